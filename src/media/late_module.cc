#include "media/late_module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <vector>

#include "base/folder.h"
#include "skinmask/base/error.h"

namespace skinmask {

// The folders that the dynamic linker searches for the program, or the shared library, that holds
// this code. (dlopen of a bare name would search them, too, but a sanitizer that stands between
// makes them its own, and no error would tell them.) None that depend on the current folder, such
// as the empty ones with which CMake pads a run path.
std::vector<std::string> ModuleFolders() {
  Dl_info found;
  link_map* self = nullptr;
  Dl_serinfo size;
  if (!dladdr1(reinterpret_cast<void*>(&FindInModule), &found, reinterpret_cast<void**>(&self),
               RTLD_DL_LINKMAP) ||
      dlinfo(self, RTLD_DI_SERINFOSIZE, &size) != 0)
    return {};
  std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
  auto* const paths = new (memory.data()) Dl_serinfo(size);
  if (dlinfo(self, RTLD_DI_SERINFO, paths) != 0) return {};
  std::vector<std::string> folders;
  for (unsigned i = 0; i < paths->dls_cnt; ++i) {
    std::string folder = paths->dls_serpath[i].dls_name;
    const bool new_one = std::ranges::find(folders, folder) == folders.end();
    if (folder.starts_with('/') && new_one) folders.push_back(std::move(folder));
  }
  return folders;
}

namespace {

void* Open(const std::string& file) {
  const std::vector<std::string> folders = ModuleFolders();
  for (const std::string& folder : folders) {
    const std::filesystem::path path = std::filesystem::path(folder) / file;
    if (!Exists(path)) continue;
    if (void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return module;
    throw Error(file, std::string("cannot be loaded: ") + dlerror());
  }
  throw Error(file, fmt::format("is not there, and is part of skinmask (looked for in {})",
                                fmt::join(folders, ", ")));
}

}  // namespace

void* FindInModule(const std::string& file, const char* symbol) {
  void* const function = dlsym(Open(file), symbol);
  if (!function) throw Error(file, fmt::format("has no function {} (another version?)", symbol));
  return function;
}

}  // namespace skinmask
