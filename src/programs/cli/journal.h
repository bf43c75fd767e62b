// What a run has found so far, in a file beside the table or record that it becomes at the end. A
// kill leaves it there, and a run that resumes goes on with it.
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
  // How much of a text is whole: up to its last line break.
  static std::size_t WholeLines(std::string_view text) { return text.rfind('\n') + 1; }
  // Of this file. What a run before left is kept if this one resumes, as far as `whole` says.
  // What is no regular file (a pipe, /dev/stdout) has no journal: it is written as it is. Throws
  // Error where it cannot be written, or another run is writing it.
  Journal(const std::filesystem::path& file, bool resume,
          std::size_t (*whole)(std::string_view) = &WholeLines);
  // Takes it away where nothing was written to it.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  bool is_special() const { return path_ == file_; }
  // What a run before left.
  const std::string& earlier() const { return earlier_; }
  // What fails shows in RequireWritten.
  void Write(std::string_view text);
  // From now on it is there, whatever becomes of the process.
  void Flush();
  // Throws Error where something could not be written (is the disk full?).
  void RequireWritten();
  // Bytes written by this run.
  std::size_t size() const { return size_; }
  // Takes back what was written beyond so many bytes, also where that failed.
  void CutTo(std::size_t size);
  // What this run wrote.
  std::string Text();
  // The journal goes, unless it is the file already.
  void Remove();
  // The journal becomes the file.
  void Become(IfExists if_exists);

 private:
  [[noreturn]] void Fail() const;
  void KeepError();

  std::filesystem::path file_, target_, path_;  // the second is that of a link
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_{nullptr, std::fclose};
  std::string earlier_;
  std::size_t size_ = 0;
  int error_ = 0;  // of the first write that failed
};

}  // namespace skinmask::cli
