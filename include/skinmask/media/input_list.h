// A list of files to work on, for millions of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

enum class Media : std::uint8_t { kImage, kVideo, kArchive };  // a tar archive of images

// A file to work on, and its path below the folder it was found in (its name, when named itself).
struct InputFile {
  std::filesystem::path path;
  std::filesystem::path relative;
  Media media = Media::kImage;
};

// Names are kept once, without their folders: 16 bytes a file and its name. Less than 2³² files.
class InputList {
 public:
  // A folder that files are added to, and what the relative paths of its files begin with.
  std::uint32_t AddFolder(const std::filesystem::path& folder, const std::filesystem::path& below);
  // One in a folder of this list.
  std::uint32_t AddSubfolder(std::uint32_t folder, std::string_view name);
  // A file of a folder of this list. `link`: the name is that of a link, or none of a file alone
  // ("..", or nothing), so that only the system can tell what it stands for.
  void Add(std::uint32_t folder, std::string_view name, Media media, bool link = false);
  // Leaves out files whose path, made absolute, came before.
  void LeaveOutDoubles();

  std::size_t size() const { return files_.size(); }
  bool empty() const { return files_.empty(); }
  InputFile operator[](std::size_t i) const;
  std::string Path(std::size_t i) const;
  std::string_view Name(std::size_t i) const { return names_.data() + files_[i].name; }
  Media MediaOf(std::size_t i) const { return files_[i].media; }
  // FileIdentity of its path, for which only links are asked for themselves.
  std::string Identity(std::size_t i) const;

  // Folders have the numbers from 0 on that they were given.
  std::size_t folder_count() const { return folders_.size(); }
  std::uint32_t FolderOf(std::size_t i) const { return files_[i].folder; }
  std::string FolderPath(std::uint32_t folder) const;
  std::string FolderIdentity(std::uint32_t folder) const;
  // What the relative paths of its files begin with, and what of that follows the `below` that was
  // given.
  std::string RelativeFolder(std::uint32_t folder) const;
  std::string_view Subfolder(std::uint32_t folder) const {
    return names_.data() + folders_[folder].below_root;
  }

  class Iterator {
   public:
    Iterator(const InputList& list, std::size_t i) : list_(&list), i_(i) {}
    InputFile operator*() const { return (*list_)[i_]; }
    Iterator& operator++() {
      ++i_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const InputList* list_;
    std::size_t i_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  struct Root {
    std::string path, below, identity;
    std::string place;  // the path, made absolute by its letters alone
  };
  struct Folder {
    std::uint32_t root;
    std::size_t below_root;  // in names_
  };
  struct File {
    std::size_t name;  // in names_
    std::uint32_t folder;
    Media media;
    bool link;
  };
  std::size_t Keep(std::string_view name);
  std::string Place(std::size_t i) const;

  std::vector<Root> roots_;
  std::vector<Folder> folders_;
  std::vector<File> files_;
  std::string names_;  // each ended by a zero
};

}  // namespace skinmask
