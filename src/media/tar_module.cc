// The module skinmask-tar.
#include "media/tar_module.h"

void skinmask_libarchive(skinmask::LibArchive& functions) {
#define SKINMASK_SET(name) functions.name = ::name;
  SKINMASK_LIBARCHIVE(SKINMASK_SET)
#undef SKINMASK_SET
}
