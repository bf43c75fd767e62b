#include "media/shard_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/stream.h"
#include "media/image_format.h"
#include "media/shard.h"
#include "skinmask/base/error.h"
#include "skinmask/media/inputs.h"

namespace skinmask {

namespace fs = std::filesystem;

const std::vector<fs::path>& ShardFiles::Open(const fs::path& archive, const ProblemSink& problem) {
  if (const auto read = archives_.find(archive); read != archives_.end()) return read->second;
  std::error_code ignored;
  if (!fs::is_regular_file(archive, ignored))
    throw Error(archive.string(), "is no file (of an archive with masks, a file is expected)");
  std::vector<fs::path>& files = archives_[archive];  // none where an Error comes: it is told once
  ShardReader reader(archive);
  while (const std::optional<ShardFile> file = reader.Next()) {
    const std::string why = WhyNotRead(file->entry);
    if (!why.empty()) {
      if (HasImageExtension(file->name)) problem({(archive / file->name).string(), why});
      continue;
    }
    if (!places_.emplace(archive / file->name, Place{archive, file->entry.offset, file->entry.size})
             .second)
      throw Error(archive.string(), "holds two files called " + file->name);
    files.emplace_back(file->name);
  }
  std::ranges::sort(files);
  return files;
}

std::string ShardFiles::ReadBytes(const fs::path& path, const DecodeOptions& options) const {
  const auto found = places_.find(path);
  if (found == places_.end()) return ReadImageBytes(path, options);
  constexpr std::size_t kHead = 4096;
  const auto& [archive, offset, size] = found->second;
  const Descriptor file(archive, O_RDONLY);
  if (file.get() < 0) FailBy(archive, "cannot be read", errno);
  std::string bytes;
  const auto read_to = [&, begin = offset](std::size_t end) {  // clang 14 captures no bindings
    std::size_t have = bytes.size();
    bytes.resize(end);
    while (have < end) {
      const ssize_t got =
          pread(file.get(), bytes.data() + have, end - have, static_cast<off_t>(begin + have));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) FailBy(path, "cannot be read", errno);
      if (got == 0) throw Error(path.string(), "is gone: its archive was cut off meanwhile");
      have += static_cast<std::size_t>(got);
    }
  };
  read_to(std::min<std::size_t>(kHead, size));
  if (!FormatOf(bytes)) return bytes;  // no image: nothing decodes it, however large it is
  if (options.take) options.take(static_cast<std::int64_t>(size / 4));
  read_to(size);
  return bytes;
}

}  // namespace skinmask
