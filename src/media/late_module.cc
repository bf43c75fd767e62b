#include "media/late_module.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <new>

#include "skinmask/base/error.h"

namespace skinmask {

// The folders that the dynamic linker searches for the program or shared library that contains this
// code. (dlopen of a bare name would search them, too. But a sanitizer that intercepts dlopen would
// search the folders of its own library, and no error would list the folders.) Relative folders are
// left out, such as the empty ones with which CMake pads a run path.
std::vector<std::string> ModuleFolders() {
  Dl_info found;
  link_map* self = nullptr;
  Dl_serinfo size;
  if (!dladdr1(reinterpret_cast<void*>(&ModuleFolders), &found, reinterpret_cast<void**>(&self),
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

std::string PathOfPart(const std::string& file, int mode, const std::string& advice) {
  const std::vector<std::string> folders = ModuleFolders();
  for (const std::string& folder : folders)
    if (const std::string path = folder + "/" + file; access(path.c_str(), mode) == 0) return path;
  // The dynamic linker takes the folder of the program from /proc.
  const char* const why = access("/proc/self/exe", F_OK) == 0
                              ? ""
                              : ", but not beside the program, as /proc is not mounted";
  throw Error(file, fmt::format("is not there, and is part of skinmask (looked for in {}{}{})",
                                fmt::join(folders, ", "), why, advice));
}

void* FindInModule(const std::string& file, const char* symbol) {
  void* const module = dlopen(PathOfPart(file, F_OK).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!module) throw Error(file, std::string("cannot be loaded: ") + dlerror());
  void* const function = dlsym(module, symbol);
  if (!function) throw Error(file, fmt::format("has no function {} (another version?)", symbol));
  return function;
}

}  // namespace skinmask
