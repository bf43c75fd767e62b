#include "c/guard.h"

#include <new>
#include <opencv2/core.hpp>
#include <string>

#include "skinmask/base/options.h"

namespace skinmask::c {
namespace {

// The text of one thread. Where there is no memory for it, a part of it does.
class LastError {
 public:
  // Options are called as skinmask_options_set does.
  void Set(const char* text) noexcept {
    try {
      text_ = WithOptionNames(text, [](const std::string& name) { return name; });
    } catch (...) {
      text_.clear();
    }
  }
  const char* text() const { return text_.c_str(); }

 private:
  std::string text_;
};

thread_local LastError last_error;

skinmask_status Failed(skinmask_status status, const char* text) noexcept {
  last_error.Set(text);
  return status;
}

}  // namespace

void RequireGiven(const void* pointer, std::string_view name) {
  if (!pointer) throw BadArgument(name, "is NULL");
}

skinmask_status Guarded(const std::function<void()>& work) noexcept {
  try {
    work();
    return SKINMASK_OK;
  } catch (const BadArgument& e) {
    return Failed(SKINMASK_BAD_ARGUMENT, e.what());
  } catch (const std::bad_alloc&) {
    return Failed(SKINMASK_NO_MEMORY, "memory: there is not enough");
  } catch (const cv::Exception& e) {
    if (e.code == cv::Error::StsNoMem)
      return Failed(SKINMASK_NO_MEMORY, "memory: there is not enough");
    return Failed(SKINMASK_FAILED, e.err.c_str());
  } catch (const std::exception& e) {
    return Failed(SKINMASK_FAILED, e.what());
  } catch (...) {
    return Failed(SKINMASK_FAILED, "skinmask: failed for no reason that it tells");
  }
}

}  // namespace skinmask::c

extern "C" const char* skinmask_error(void) { return skinmask::c::last_error.text(); }
