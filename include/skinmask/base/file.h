// Files are read whole, and written whole or not at all.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace [[gnu::visibility("default")]] skinmask {

// While `*stop` is true, ReadFile and WriteFile of this process do not wait for pipes but throw
// WaitStopped; and so does what judges a picture by a model that takes long for each colour. For
// programs, whose first SIGINT sets it; null, the default, for libraries. `stop` outlives every
// call.
void StopWaitsBy(const std::atomic<bool>* stop);

struct ReadOptions {
  std::uint64_t most = std::uint64_t{4} << 30;  // bytes; a larger file is an Error
  // Called with the first bytes (all, of a file of less than 4096) and the file's size (0 where it
  // does not tell, as pipes do not), before memory is taken for the rest. It may throw.
  std::function<void(std::string_view head, std::uint64_t size)> check{};
};

// The whole file as bytes. Throws Error when it is missing, a folder, too large, or cannot be read,
// and for a pipe to which nobody writes within three seconds; a writer is then given its time.
std::string ReadFile(const std::filesystem::path& path, const ReadOptions& options = {});

// The standard streams under the names that files have; they are read and written as they are, not
// opened anew (which sockets do not allow, and which would lose the place in a file).
inline constexpr const char* kStandardInput = "/dev/stdin";
inline constexpr const char* kStandardOutput = "/dev/stdout";

// True for what has its bytes in a descriptor of this process: standard input, and what a shell
// makes of <(command).
bool IsDescriptor(const std::filesystem::path& path);

// The first bytes, at most 4096, of such a pipe or file, which stay in it. Waits until there are
// 512 of them, or the end, or `stop`. Empty where they cannot be had, as of a terminal. Throws
// Error where it cannot be opened.
std::string PeekDescriptor(const std::filesystem::path& path, const std::atomic<bool>* stop);
// The same of one that is open: who opens a named pipe anew does not hear that its writers are
// gone.
std::string PeekDescriptor(int descriptor, const std::atomic<bool>* stop);

// What becomes of a file that is there before the one that is written: an Error says so; it is
// replaced; or it is kept, by a run that completes what another began. What appears between that
// run's look and its writing has the same bytes, and is replaced.
enum class IfExists { kFail, kReplace, kKeep };

// What a file that is renamed into its place survives. As long as the machine runs, its place holds
// the old file or the new one, whole, whatever becomes of the process.
enum class Survives {
  kProcess,    // no more than that: after a power cut the place may hold an empty or a half file
  kPowerLoss,  // a power cut, too: file and folder are on the disk (fsync) before the call returns.
               // Some 8 ms a file on the ext4 of a virtual machine, where kProcess takes 0.05 ms.
};

// Writes `bytes` to a file beside `path` and renames it, so that `path` is either as it was or
// complete; a full disk leaves nothing behind. With IfExists::kFail an existing file is an Error,
// also one that another process makes meanwhile. A
// link stays, and its target is written. What is no regular file, and all below /dev (/dev/stdout),
// is written to directly. The folder must exist.
void WriteFile(const std::filesystem::path& path, std::string_view bytes, IfExists if_exists,
               Survives survives = Survives::kPowerLoss);

// Throws the Error that WriteFile would throw because the file exists or the folder does not, or
// cannot be written to. Cheap; call it before work. Returns the path.
const std::filesystem::path& RequireWritable(const std::filesystem::path& path, IfExists if_exists);

// A file in the making, beside its destination (beside the target, where that is a link), under a
// name that no other process takes, or the destination itself if it is no regular file. Removed
// when it is not renamed.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::filesystem::path& destination);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  static void RemoveAll();  // as RemoveUnfinishedNow
  // Puts it in its place. Its writer has closed it. Throws Error, with kFail also where another
  // process has put something there meanwhile.
  void Rename(IfExists if_exists = IfExists::kReplace, Survives survives = Survives::kPowerLoss);

 private:
  struct Slot;
  std::filesystem::path destination_, path_;
  Slot* slot_ = nullptr;  // for RemoveUnfinishedNow
};

// Gives a file that is whole its name, in the same folder, as UnfinishedFile::Rename does.
void PutInPlace(const std::filesystem::path& file, const std::filesystem::path& destination,
                IfExists if_exists, Survives survives = Survives::kPowerLoss);

// Removes the files that UnfinishedFiles of this process stand for, of the first hundred at a time,
// for a process that ends in a signal handler; no part is begun or renamed after it.
void RemoveUnfinishedNow();

// Removes what UnfinishedFile names of processes that are gone left in a folder: those that nobody
// has written to for a day.
void RemoveOldUnfinished(const std::filesystem::path& folder);

// The path of the file behind a path, whatever links lead to it, as far as it is there; the path
// itself where that cannot be told.
std::filesystem::path RealPath(const std::filesystem::path& path);

// What tells a folder, or a file, from all others, whatever links and mounts lead to it: a folder's
// device and inode, and of a file, which may not be there, those of its folder and its name.
std::string FolderIdentity(const std::filesystem::path& folder);
std::string FileIdentity(const std::filesystem::path& path);

}  // namespace skinmask
