#include "media/ffmpeg.h"

#include <dlfcn.h>

#include "media/damage_log.h"
#include "skinmask/base/error.h"

namespace skinmask {
namespace {

// A library's file is named after the major version of its headers, which changes with its ABI.
#define SKINMASK_SONAME(name, NAME) "lib" name ".so." AV_STRINGIFY(NAME##_VERSION_MAJOR)

void* Open(const char* soname) {
  void* const library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    throw Error(soname,
                std::string("cannot be loaded, and video needs it (FFmpeg's libraries, of the "
                            "version that skinmask was built with): ") +
                    dlerror());
  return library;
}

template <class Function>
void Find(void* library, const char* soname, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function) throw Error(soname, std::string("has no function ") + name);
}

}  // namespace

Ffmpeg::Ffmpeg() {
  void* library = nullptr;
  const char* soname = nullptr;
#define SKINMASK_FIND(name) Find(library, soname, #name, name);
  library = Open(soname = SKINMASK_SONAME("avutil", LIBAVUTIL));
  SKINMASK_AVUTIL(SKINMASK_FIND)
  library = Open(soname = SKINMASK_SONAME("avcodec", LIBAVCODEC));
  SKINMASK_AVCODEC(SKINMASK_FIND)
  library = Open(soname = SKINMASK_SONAME("avformat", LIBAVFORMAT));
  SKINMASK_AVFORMAT(SKINMASK_FIND)
  library = Open(soname = SKINMASK_SONAME("swscale", LIBSWSCALE));
  SKINMASK_SWSCALE(SKINMASK_FIND)
#undef SKINMASK_FIND
  DamageLog::Install(*this);
}

const Ffmpeg& Ffmpeg::Get() {
  static const Ffmpeg ffmpeg;
  return ffmpeg;
}

std::string Ffmpeg::Message(int error) const {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof text);
  return text;
}

}  // namespace skinmask
