// Files are read whole, and written whole or not at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// While `*stop` is true, ReadFile and WriteFile of this process throw WaitStopped instead of
// waiting for a pipe. So does the classification of a picture by a model that is slow for each
// colour. A program sets `*stop` at its first SIGINT. The default is null, as libraries need it.
// `stop` must outlive every call.
void StopWaitsBy(const std::atomic<bool>* stop);

struct ReadOptions {
  std::uint64_t most = std::uint64_t{4} << 30;  // bytes; a larger file is an Error
  // Called before memory for the whole file is allocated: with the first 4096 bytes (or the whole
  // of a smaller file) and with the file's size, which is 0 where it is unknown, as for pipes. It
  // may throw.
  std::function<void(std::string_view head, std::uint64_t size)> check{};
};

// Returns the whole file as bytes. Throws Error if the file is missing, is a folder, is too large
// or cannot be read, and for a pipe that nobody opens for writing within three seconds. Once there
// is a writer, ReadFile waits for its data without a limit.
std::string ReadFile(const std::filesystem::path& path, const ReadOptions& options = {});

// The names of the standard streams. The open descriptors are used as they are: opening the path
// again would fail for sockets, and would lose the position in a file.
inline constexpr const char* kStandardInput = "/dev/stdin";
inline constexpr const char* kStandardOutput = "/dev/stdout";

// True for paths that stand for an open descriptor of this process: standard input, and the paths
// that a shell makes of <(command).
bool IsDescriptor(const std::filesystem::path& path);

// Returns the first bytes (at most 4096) of such a pipe or file without consuming them. Waits for
// 512 bytes, the end of the data, or `stop`. Returns nothing where peeking is impossible, for
// example at a terminal. Throws Error if the path cannot be opened.
std::string PeekDescriptor(const std::filesystem::path& path, const std::atomic<bool>* stop);
// The same for an open descriptor. A named pipe that is opened a second time does not report that
// its writers are gone.
std::string PeekDescriptor(int descriptor, const std::atomic<bool>* stop);

// What to do if the output file exists already: kFail throws Error, kReplace replaces the file, and
// with kKeep a run that completes an earlier run makes no such output. What writes one file
// replaces it with kKeep, too: if it appears after the run has checked for it, both have the same
// bytes.
enum class IfExists { kFail, kReplace, kKeep };

// Which failures a written file survives. While the machine runs, the path always holds either the
// complete old file or the complete new file, even if the process is killed.
enum class Survives {
  // Only the end of the process: after a power cut the path may hold an empty or truncated file.
  kProcess,
  // Also a power cut: file and folder are flushed to the disk (fsync) before the call returns.
  // Takes about 8 ms a file on ext4 in a virtual machine; kProcess takes 0.05 ms.
  kPowerLoss,
};

// Writes `bytes` to a temporary file in the same folder and renames it to `path`, so `path` is
// either unchanged or complete. A full disk leaves no temporary file behind. With IfExists::kFail
// an existing file is an Error, also one that another process creates in the meantime. If `path` is
// a link, the link stays and its target is written. Everything that is not a regular file, and
// every path below /dev (for example /dev/stdout), is written directly. The folder must exist.
void WriteFile(const std::filesystem::path& path, std::string_view bytes, IfExists if_exists,
               Survives survives = Survives::kPowerLoss);

// Throws the Error that WriteFile would throw if the file exists, or if the folder does not exist
// or is not writable. Cheap: call it before long work. Returns `path`.
const std::filesystem::path& RequireWritable(const std::filesystem::path& path, IfExists if_exists);

// A temporary file that becomes `destination` by Rename. It lies in the folder of `destination` (or
// of its target, if `destination` is a link) and has a random name. If `destination` is not a
// regular file, path() is `destination` itself. The destructor removes the file if it was not
// renamed.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& destination);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Removes the files of all objects of this process (of at most 100 at a time). For a signal
  // handler that ends the process: afterwards, other threads that create or rename an object block
  // forever.
  static void RemoveAll();
  // Renames the file to `destination`. The writer must have closed it. Throws Error; with kFail
  // also if another process has created `destination` in the meantime.
  void Rename(IfExists if_exists = IfExists::kReplace, Survives survives = Survives::kPowerLoss);

 private:
  struct Slot;
  std::filesystem::path destination_, path_;
  Slot* slot_ = nullptr;  // for RemoveAll
};

// Renames a complete file to `destination`, which is in the same folder. Throws as
// UnfinishedFile::Rename does.
void PutInPlace(const std::filesystem::path& file, const std::filesystem::path& destination,
                IfExists if_exists, Survives survives = Survives::kPowerLoss);

// Removes temporary files of UnfinishedFile that ended processes left in a folder: those that were
// last written more than a day ago.
void RemoveOldUnfinished(const std::filesystem::path& folder);

// Resolves all links in a path, as far as its parts exist. Returns the path itself where it cannot
// be resolved.
std::filesystem::path RealPath(const std::filesystem::path& path);

// A string that is equal for two paths exactly if they lead to the same folder or file, through
// whatever symbolic links and mounts (hard links count as different files). For a folder it
// consists of device and inode; for a file, which need not exist, of the identity of its folder and
// its name.
std::string FolderIdentity(const std::filesystem::path& folder);
std::string FileIdentity(const std::filesystem::path& path);

}  // namespace skinmask
