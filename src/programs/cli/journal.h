// The results of a run so far, in a file beside the table or record that it becomes at the end. It
// survives a kill, and a resumed run continues with it.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "skinmask/base/file.h"

namespace skinmask::cli {

class Journal {
 public:
  // The size of the complete lines of a text.
  static std::size_t WholeLines(std::string_view text) { return text.rfind('\n') + 1; }
  // The journal of `file`. That of a run that was killed is kept up to the size that `whole`
  // returns (kKeep), dropped (kReplace), or an Error, unless that size is 0 (kFail). If `file` is
  // not a regular file (a pipe, /dev/stdout), it is written directly, without a journal. Throws
  // Error if it cannot be written, or if another run is writing it.
  Journal(const std::filesystem::path& file, IfExists if_exists,
          std::size_t (*whole)(std::string_view) = &WholeLines);
  // Removes the journal if nothing was written to it.
  ~Journal();

  bool is_special() const { return path_ == file_; }
  // The journal of an earlier run.
  const std::string& earlier() const { return earlier_; }
  // Errors are reported by RequireWritten.
  void Write(std::string_view text);
  // Makes everything written so far survive the end of the process.
  void Flush();
  // Throws Error if something could not be written (is the disk full?).
  void RequireWritten();
  // Bytes written by this run.
  std::size_t size() const { return size_; }
  // Truncates to `size` bytes of this run, also after a failed write.
  void CutTo(std::size_t size);
  // The text that this run wrote.
  std::string Text();
  // Removes the journal, unless it has become the file.
  void Remove();
  // Renames the journal to the file.
  void RenameToFile(IfExists if_exists);

 private:
  [[noreturn]] void Fail() const;
  void KeepError();

  std::filesystem::path file_, target_, path_;  // target_ is the target if file_ is a link
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_{nullptr, std::fclose};
  std::string earlier_;
  std::size_t size_ = 0;
  int error_ = 0;  // of the first write that failed
};

}  // namespace skinmask::cli
