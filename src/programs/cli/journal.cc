#include "programs/cli/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/blocking_call.h"
#include "base/stream.h"
#include "media/names.h"
#include "pipeline/bytes_as_text.h"
#include "programs/cli/print.h"
#include "skinmask/base/error.h"

namespace skinmask::cli {
namespace {

// A fixed name, so that a resumed run finds it. (Other temporary files have random names.)
std::filesystem::path JournalOf(const std::filesystem::path& file,
                                const std::filesystem::path& target) {
  constexpr std::size_t kMaxName = 200, kDigits = 16;  // file names have at most 255 bytes
  if (IsSpecial(file)) return file;
  std::string name = target.filename().string();
  if (name.size() > kMaxName)
    name = name.substr(0, kMaxName) + "-" + Sha256(name).substr(0, kDigits);
  return target.parent_path() / (".skinmask-" + name + ".part");
}

// False if another run has renamed the file in the meantime: then it is the table of that run.
bool IsNamed(const std::filesystem::path& path, int descriptor) {
  struct stat named, opened;
  return stat(path.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

}  // namespace

Journal::Journal(const std::filesystem::path& file, IfExists if_exists,
                 std::size_t (*whole)(std::string_view))
    : file_(file), target_(RealPath(file)), path_(JournalOf(file, target_)) {
  if (is_special()) {
    const BlockingCall waiting;  // opening a named pipe waits for its reader
    stream_.reset(OpenToWrite(path_, IfExists::kReplace));
    if (!stream_) Fail();
    return;
  }
  const int descriptor =
      open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor >= 0) stream_.reset(fdopen(descriptor, "a"));
  if (!stream_) Fail();
  const bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (!locked || !IsNamed(path_, descriptor))
    throw Error(file.string(), "is being written by another run (another name is free)");
  if (if_exists != IfExists::kReplace) earlier_ = ReadFile(path_);
  earlier_.resize(whole(earlier_));
  if (if_exists == IfExists::kFail && !earlier_.empty())
    throw Error(file.string(),
                fmt::format("is unfinished: {} has what a run that was killed noted "
                            "(--force drops it; detect completes its own by --resume)",
                            Quoted(path_)));
  if (ftruncate(descriptor, static_cast<off_t>(earlier_.size())) != 0) Fail();
}

Journal::~Journal() {
  if (stream_ && !is_special() && size_ == 0 && earlier_.empty()) unlink(path_.c_str());
}

void Journal::Fail() const { FailToWrite(file_, errno); }

// A stream records that a write failed, but not the reason.
void Journal::KeepError() {
  if (error_ == 0 && std::ferror(stream_.get()) != 0) error_ = errno;
}

void Journal::Write(std::string_view text) {
  const AboveBar above(stream_.get());
  PrintExactly(text, stream_.get());
  KeepError();
  size_ += text.size();
}

void Journal::Flush() {
  cli::Flush(stream_.get());
  KeepError();
}

void Journal::RequireWritten() {
  Flush();
  if (error_ != 0) FailToWrite(file_, error_);
}

void Journal::CutTo(std::size_t size) {
  if (is_special()) return;
  Flush();
  // Drops the buffered text, which would be written later.
  __fpurge(stream_.get());
  std::clearerr(stream_.get());
  error_ = 0;
  if (ftruncate(fileno(stream_.get()), static_cast<off_t>(earlier_.size() + size)) != 0) Fail();
  size_ = size;
}

std::string Journal::Text() {
  RequireWritten();
  return ReadFile(path_).substr(earlier_.size());
}

void Journal::RenameToFile(IfExists if_exists) {
  RequireWritten();
  if (!is_special()) PutInPlace(path_, target_, if_exists);
  stream_.reset();
}

void Journal::Remove() {
  if (stream_ && !is_special()) unlink(path_.c_str());
  stream_.reset();
}

}  // namespace skinmask::cli
