#include "skinmask/media/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "base/nearest.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;

struct OutputKind {
  Output output;
  std::string_view name;
  std::string_view suffix;
  std::string_view video_suffix;
};
constexpr OutputKind kOutputs[] = {
    {Output::kMask, "mask", ".png", ".mkv"},
    {Output::kProbability, "probability", ".probability.png", ".probability.mkv"},
    {Output::kOverlay, "overlay", ".overlay.png", ".overlay.mp4"},
    {Output::kCutout, "cutout", ".cutout.png", ".cutout.mp4"},
    {Output::kClasses, "classes", ".classes.png", ".classes.mkv"},
};

std::string Quoted(const fs::path& path) { return "'" + path.string() + "'"; }

std::vector<fs::path> PathsOf(const InputFile& input, bool full, const std::vector<Output>& outputs,
                              bool frame_folders) {
  fs::path base = input.relative;
  if (!full) base.replace_extension();
  if (input.video && frame_folders) return {base};
  std::vector<fs::path> paths;
  for (Output output : outputs)
    paths.push_back(base.string() +
                    std::string(input.video ? VideoOutputSuffix(output) : OutputSuffix(output)));
  return paths;
}

}  // namespace

bool IsOtherOutput(const fs::path& path) {
  return std::any_of(std::begin(kOutputs), std::end(kOutputs), [&](const OutputKind& kind) {
    return kind.output != Output::kMask && path.filename().string().ends_with(kind.suffix);
  });
}

std::string_view OutputSuffix(Output output) {
  return kOutputs[static_cast<std::size_t>(output)].suffix;
}

std::string_view VideoOutputSuffix(Output output) {
  return kOutputs[static_cast<std::size_t>(output)].video_suffix;
}

std::string_view TransparentExtension(std::string_view codec) {
  if (codec.find("vpx") != codec.npos || codec.starts_with("vp8") || codec.starts_with("vp9"))
    return ".webm";
  return codec.starts_with("prores") || codec == "qtrle" ? ".mov" : ".mkv";
}

Output OutputFromName(std::string_view name) {
  for (const OutputKind& kind : kOutputs)
    if (kind.name == name) return kind.output;
  std::vector<std::string> names;
  for (const OutputKind& kind : kOutputs) names.emplace_back(kind.name);
  throw Error(fmt::format("output '{}'", name), UnknownAmong(name, names));
}

std::vector<std::vector<fs::path>> OutputPaths(const std::vector<InputFile>& inputs,
                                               const std::vector<Output>& outputs,
                                               const ProblemSink& problem, bool frame_folders) {
  std::vector<bool> full(inputs.size(), false);
  std::vector<std::vector<fs::path>> paths(inputs.size());
  // Each round but the last turns at least one more input to its full name, so this ends.
  for (bool changed = true; changed;) {
    changed = false;
    std::map<fs::path, std::size_t> users;  // how many inputs want a name, or need it as a folder
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      paths[i] = PathsOf(inputs[i], full[i], outputs, frame_folders);
      for (const fs::path& path : paths[i]) ++users[path];
    }
    std::set<fs::path> folders;
    for (const InputFile& input : inputs)
      for (fs::path p = input.relative.parent_path(); !p.empty(); p = p.parent_path())
        folders.insert(p);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (const fs::path& path : paths[i])
        if (!full[i] && (users[path] > 1 || folders.count(path))) full[i] = changed = true;
  }
  std::map<fs::path, std::size_t> owner;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const fs::path& path : paths[i]) {
      const auto [first, fresh] = owner.emplace(path, i);
      if (fresh || first->second == i) continue;
      problem(
          {inputs[i].path.string(), fmt::format("would have the output {} of {} (run them apart)",
                                                Quoted(path), Quoted(inputs[first->second].path))});
      paths[i].clear();
      break;
    }
  }
  return paths;
}

}  // namespace skinmask
