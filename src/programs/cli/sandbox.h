// Least privilege: before the first untrusted file is opened, the process gives up the rights that
// its work does not need, so that a compromised decoder can do no harm (SECURITY.md).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace skinmask::cli {

// The files that the work of a verb needs. Empty and missing paths are ignored.
struct Access {
  std::vector<std::filesystem::path> reads;    // files, and folders with everything below
  std::vector<std::filesystem::path> folders;  // existing folders in which files are created
  std::vector<std::filesystem::path> files;    // created files; access is given to their folders,
                                               // for temporary files
  // More files and folders to read. For more than a thousand, access is given to the folders of the
  // files.
  std::span<const std::string> listed{};
};

// Restricts this thread and all threads that it starts (so it must be called before the first
// parallel work). seccomp denies sockets other than local ones, execution of programs, and
// io_uring. If the kernel has Landlock, files can be read only in `reads`, in the targets of links
// to files in these folders, and in the system's libraries, and can be created or written only
// below `folders` and the folders of `files`. This cannot be undone. Returns a line that describes
// the restrictions and what the kernel lacks. Does not throw. Takes about a millisecond, plus a
// pass over the names in the folders.
std::string EnterSandbox(const Access& access);

// Denies new processes; threads are allowed. For processes that only decode; in addition to the
// sandbox.
void ForbidProcesses();

// Denies only the network, for verbs that need devices, windows and other programs: no sockets
// except local ones and those on which the kernel reports devices. Returns a line as EnterSandbox
// does.
std::string ForbidNetwork();

// The version of the kernel's interface of Landlock; 0: it has none.
int LandlockVersion();

}  // namespace skinmask::cli
