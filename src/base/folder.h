// What a folder holds, as the system lists it.
#pragma once

#include <filesystem>
#include <functional>
#include <system_error>

namespace skinmask {

enum class EntryType { kFile, kFolder, kLink, kOther };

// Of what `path` names itself, if it is a link; kOther where there is nothing.
EntryType EntryTypeOf(const char* path);

// Calls see(name, type) for each entry but "." and "..", in no order. The list tells the types, so
// no entry is asked for itself unless the file system does not say. Returns why the folder could
// not be read to its end.
std::error_code ForEachEntry(const std::filesystem::path& folder,
                             const std::function<void(const char* name, EntryType type)>& see);

}  // namespace skinmask
