// Modules of our own that link parts of OpenCV which take long to load. Each is a file of its own
// that is opened when it is first needed (docs/decisions/0007-late-codecs.md).
#pragma once

#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// The function `symbol` of the module `file` ("skinmask-imgcodecs.so"), which stays open. The
// module is looked for where the dynamic linker looks for the libraries of the program that this
// code is part of: LD_LIBRARY_PATH, the program's run path, the system's folders. Throws Error when
// it is in none of them, or does not load.
void* FindInModule(const std::string& file, const char* symbol);
template <class Function>
Function* FindInModule(const std::string& file, const char* symbol) {
  return reinterpret_cast<Function*>(FindInModule(file, symbol));
}

// Those folders.
std::vector<std::string> ModuleFolders();

// The path of a file of ours in them, where access(2) allows `mode` (F_OK, X_OK). Throws Error
// where there is none, which ends in `advice`.
std::string PathOfPart(const std::string& file, int mode, const std::string& advice = {});

}  // namespace skinmask
