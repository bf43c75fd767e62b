#include "learn/iterations.h"

#include "skinmask/base/error.h"

namespace skinmask {

void Iterations::Look() const {
  if (options_.stop && options_.stop->load())
    throw Error("fit", "was stopped before its end (interrupted)");
}

void Iterations::Done(int left) {
  pixels_ += pixels_of_each_;
  ++done_;
  if (options_.progress)
    options_.progress(done_, done_ + static_cast<std::size_t>(left) + later_, pixels_);
}

}  // namespace skinmask
