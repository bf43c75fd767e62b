// Lists and names of outputs against plain ones, which keep paths in sets and maps and ask the
// system of each file.
#include "skinmask/media/inputs.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/folder.h"
#include "skinmask/base/error.h"
#include "skinmask/media/output_paths.h"
#include "support/files.h"

namespace skinmask {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<InputFile>;
using Strings = std::vector<std::string>;

bool Matches(const Strings& patterns, const fs::path& relative) {
  return std::ranges::any_of(patterns, [&](const std::string& p) {
    const fs::path subject = p.find('/') == p.npos ? relative.filename() : relative;
    return fnmatch(p.c_str(), subject.c_str(), 0) == 0;
  });
}

void PlainSearch(const fs::path& root, const fs::path& folder, const ListOptions& options,
                 Files& files) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path relative = entry.path().lexically_relative(root);
    if (Matches(options.exclude, relative)) continue;
    if (IsFolder(entry.path())) {
      if (!entry.is_symlink() && RealPath(entry.path()) != RealPath(options.excluded))
        PlainSearch(root, entry.path(), options, files);
    } else if (options.include.empty() || Matches(options.include, relative)) {
      const NamedMedia named(entry.path().native());
      const bool video = named.video;
      if (named.video || named.image)
        files.push_back({entry.path(), relative, video ? Media::kVideo : Media::kImage});
    }
  }
}

Files PlainFilesOf(const fs::path& input, const ListOptions& options) {
  if (!IsFolder(input))
    return {{input, input.filename(),
             NamedMedia(input.native()).video ? Media::kVideo : Media::kImage}};
  Files files;
  PlainSearch(input, input, options, files);
  std::ranges::sort(files, {}, &InputFile::relative);
  return files;
}

Files PlainList(const std::vector<fs::path>& inputs, const ListOptions& options,
                const Strings& listed) {
  Files files;
  std::set<fs::path> seen;
  const auto take = [&](const fs::path& input, const fs::path& below) {
    for (InputFile& file : PlainFilesOf(input, options)) {
      if (!seen.insert(fs::absolute(file.path).lexically_normal()).second) continue;
      file.relative = below / file.relative;
      files.push_back(file);
    }
  };
  const bool several = std::ranges::count_if(inputs, IsFolder) > 1;
  for (const fs::path& input : inputs)
    take(input, several && IsFolder(input) ? RealPath(input).filename() : fs::path());
  for (const fs::path path : listed) {
    fs::path inner;
    for (const fs::path& part : path.lexically_normal().relative_path())
      if (part != ".." && part != ".") inner /= part;
    take(path, IsFolder(path) ? inner : inner.parent_path());
  }
  return files;
}

std::vector<fs::path> PlainPathsOf(const InputFile& input, bool full,
                                   const std::vector<OutputSuffix>& outputs, bool frame_folders) {
  fs::path base = input.relative;
  if (!full) base.replace_extension();
  const bool video = input.media == Media::kVideo;
  if (video && frame_folders) return {base};
  std::vector<fs::path> paths;
  for (const OutputSuffix& output : outputs)
    paths.push_back(base.string() + std::string(video ? output.video : output.image));
  return paths;
}

// As lines: the paths of each input, and the problems.
Strings PlainOutputs(const Files& inputs, const std::vector<OutputSuffix>& outputs,
                     bool frame_folders) {
  std::vector<bool> full(inputs.size(), false);
  std::vector<std::vector<fs::path>> paths(inputs.size());
  std::set<fs::path> folders;
  for (const InputFile& input : inputs)
    for (fs::path p = input.relative.parent_path(); !p.empty(); p = p.parent_path())
      folders.insert(p);
  for (bool changed = true; changed;) {
    changed = false;
    std::map<fs::path, std::size_t> users;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      paths[i] = PlainPathsOf(inputs[i], full[i], outputs, frame_folders);
      for (const fs::path& path : paths[i]) ++users[path];
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
      for (const fs::path& path : paths[i])
        if (!full[i] && (users[path] > 1 || folders.count(path))) full[i] = changed = true;
  }
  Strings problems, lines;
  std::map<fs::path, std::size_t> owner;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (const fs::path& path : paths[i]) {
      const auto [first, fresh] = owner.emplace(path, i);
      if (fresh || first->second == i) continue;
      const std::string what = "would have the output '" + path.string() + "' of '" +
                               inputs[first->second].path.string() + "' (run them apart)";
      problems.push_back(Problem(inputs[i].path.string(), what).line);
      paths[i].clear();
      break;
    }
  for (const auto& of_one : paths) {
    lines.emplace_back();
    for (const fs::path& path : of_one) lines.back() += path.string() + "|";
  }
  lines.insert(lines.end(), problems.begin(), problems.end());
  return lines;
}

Strings LinesOf(const InputList& inputs, const std::vector<OutputSuffix>& outputs,
                bool frame_folders) {
  Strings problems, lines;
  const OutputPaths paths(
      inputs, outputs, [&](const Problem& p) { problems.push_back(p.line); }, frame_folders);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    lines.emplace_back();
    for (const fs::path& path : paths[i]) lines.back() += path.string() + "|";
  }
  lines.insert(lines.end(), problems.begin(), problems.end());
  return lines;
}

class InputListTest : public testing::FolderTest {
 protected:
  InputListTest() { fs::current_path(folder_); }
  ~InputListTest() override { fs::current_path("/"); }

  std::size_t Below(std::size_t n) { return random_() % n; }
  const std::string& AnyOf(const Strings& choice) { return choice[Below(choice.size())]; }

  // Names that are near each other in every order, and those that outputs have.
  void Plant(const fs::path& folder, int depth) {
    const Strings folders{"a", "a.png", "a.jpg.png", "b.mkv", "a b", "a-b", "b.overlay.png", "Z"};
    const Strings files{"a.jpg",     "a.png",         "a.jpg.bmp",    "a.overlay.jpg", "b.mp4",
                        "b.mkv",     "b.overlay.mp4", "b.jpg",        "A.JPG",         "a-b.jpg",
                        "a b.jpg",   "\xC3\xA4.webp", "x\ny.jpg",     ".jpg",          "a..png",
                        "a.jpg.png", "note.txt",      "b.mp4.png.ts", "-.tif",         "none"};
    fs::create_directories(folder);
    for (int i = 0; i < 8; ++i) {
      const fs::path file = folder / AnyOf(files);
      if (fs::exists(fs::symlink_status(file))) continue;
      if (Below(6) == 0)
        fs::create_symlink(AnyOf({"a.jpg", "b.mp4", "nowhere.png", "..", "../a"}), file);
      else
        std::ofstream(file) << "x";
    }
    for (std::size_t i = Below(3); depth > 0 && i > 0; --i) {
      const fs::path sub = folder / AnyOf(folders);
      if (!fs::exists(fs::symlink_status(sub))) Plant(sub, depth - 1);
    }
  }

  void ExpectSame(const std::vector<fs::path>& inputs, const ListOptions& options,
                  const Strings& listed) {
    const Files plain = PlainList(inputs, options, listed);
    const InputList list = ListInputs(inputs, options, listed);
    ASSERT_EQ(list.size(), plain.size());
    FileIdentities identities;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_EQ(list[i].path.native(), plain[i].path.native());
      EXPECT_EQ(list[i].relative.native(), plain[i].relative.native());
      EXPECT_EQ(list[i].media, plain[i].media) << plain[i].path;
      EXPECT_EQ(identities.Of(list.Path(i), list.IsLink(i)), FileIdentity(plain[i].path));
    }
    const OutputSuffix kMask{".png", ".mkv"}, kOverlay{".overlay.png", ".overlay.mp4"},
        kCutout{".cutout.png", ".cutout.mp4"}, kProbability{".probability.png", ".probability.mkv"};
    const std::vector<OutputSuffix> outputs[] = {
        {kMask}, {kMask, kOverlay}, {kCutout, kProbability}};
    for (const auto& wanted : outputs)
      for (const bool frame_folders : {false, true})
        EXPECT_EQ(LinesOf(list, wanted, frame_folders), PlainOutputs(plain, wanted, frame_folders));
  }

  std::mt19937 random_{20240501};
};

TEST_F(InputListTest, AWorkingFolderThatIsRemovedIsNoObstacle) {
  Put("in/a.jpg", "x");
  fs::create_directory("gone");
  fs::current_path("gone");
  fs::remove("../gone");
  const InputList list = ListInputs({"../in", "."}, {}, {});
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].path, "../in/a.jpg");
}

TEST_F(InputListTest, IsThatOfThePlainWayInRandomTrees) {
  for (int tree = 0; tree < 12 && !HasFailure(); ++tree) {
    fs::remove_all("t");
    for (const char* root : {"t/x/a", "t/y/a", "t/z"}) Plant(root, 3);
    fs::create_directory_symlink("x", "t/link");
    const ListOptions all{.wanted = Inputs::kAll};
    ListOptions some = all;
    some.excluded = AnyOf({"t/x/a/a", "t/link/a/a-b", "t/z/../z/b.mkv", ""});
    some.exclude = {AnyOf({"*.mkv", "a/*", "b*", "nothing"})};
    if (Below(2) == 0) some.include = {"*.jpg", AnyOf({"*/a.png", "*.mp4", "a*"})};
    for (const ListOptions& options : {all, some}) {
      ExpectSame({"t"}, options, {});
      ExpectSame({"t/x/a", "t/y//a/", "t/y/a/a.jpg", "t/link/a"}, options, {});
      ExpectSame({"t/z/a.jpg", "t/x/a/a.jpg"}, options,
                 {"./t/z", "t/y/a/b.jpg", "t/x/../z//a.jpg"});
      ExpectSame({}, options, {"t/z/a.jpg", "t/x/a/a.png", "t//x/a/a.jpg", "t/y/a", "t/z/a.jpg"});
    }
  }
}

// Many of one folder: it is read, and each path is taken for what it is.
TEST_F(InputListTest, LongListsAreThatOfThePlainWay) {
  Strings listed;
  for (int i = 0; i < 1500; ++i) {
    const std::string name = "f/" + std::to_string(i) + (i % 7 == 0 ? ".mp4" : ".png");
    if (i % 5 == 1)
      Put(name + "/in.jpg", "x");
    else if (i % 50 == 2)
      fs::create_symlink(i % 100 == 2 ? "3.png" : "1.png", Path(name));
    else
      Put(name, "x");
    listed.push_back(name);
    if (i % 100 == 99) listed.insert(listed.end(), {"f/../f/3.png", "./" + name});
  }
  ExpectSame({}, {.wanted = Inputs::kAll}, listed);
  std::ranges::reverse(listed);
  ExpectSame({"f"}, {.wanted = Inputs::kAll}, listed);
}

TEST_F(InputListTest, TheExcludedFolderIsNoInput) {
  Put("in/a.png", "x");
  const ListOptions options{.excluded = "in/../in"};
  EXPECT_ERROR(ListInputs({}, options, {Path("in").string()}), "is the input folder too");
  EXPECT_EQ(ListInputs({"in/a.png"}, options).size(), 1u);
}

}  // namespace
}  // namespace skinmask
