#include "programs/cli/path_list.h"

#include <algorithm>
#include <string_view>

#include "skinmask/base/error.h"
#include "skinmask/base/file.h"

namespace skinmask::cli {

std::vector<std::string> ReadPathList(const std::string& file) {
  const std::string text = ReadFile(file == "-" ? kStandardInput : file);
  const char end = text.find('\0') != text.npos ? '\0' : '\n';
  std::vector<std::string> paths;
  paths.reserve(static_cast<std::size_t>(std::ranges::count(text, end)) + 1);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // as Windows begins its texts
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  while (!rest.empty()) {
    std::string_view path = rest.substr(0, rest.find(end));
    rest.remove_prefix(std::min(path.size() + 1, rest.size()));
    if (end == '\n' && path.ends_with('\r')) path.remove_suffix(1);  // lines of Windows
    if (!path.empty()) paths.emplace_back(path);
  }
  if (paths.empty()) throw Error(file, "names no input (a path a line is expected)");
  return paths;
}

}  // namespace skinmask::cli
