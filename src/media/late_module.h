// Modules that link libraries which take long to load. Each module is a shared object that is
// opened when it is first needed (docs/decisions/0007-late-codecs.md).
#pragma once

#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] skinmask {

// Returns the function `symbol` of the module `file` ("skinmask-imgcodecs.so"), which stays open.
// The module is searched where the dynamic linker searches the libraries of the program that
// contains this code: LD_LIBRARY_PATH, the run path, the system's folders. Throws Error if it is in
// none of them or does not load.
void* FindInModule(const std::string& file, const char* symbol);
template <class Function>
Function* FindInModule(const std::string& file, const char* symbol) {
  return reinterpret_cast<Function*>(FindInModule(file, symbol));
}

// These folders.
std::vector<std::string> ModuleFolders();

// The path of a file of skinmask in these folders for which access(2) allows `mode` (F_OK, X_OK).
// Throws Error, with `advice` at its end, if there is none.
std::string PathOfPart(const std::string& file, int mode, const std::string& advice = {});

}  // namespace skinmask
