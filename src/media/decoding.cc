#include "media/decoding.h"

#include <atomic>

namespace skinmask {
namespace {

std::atomic<int> under_way{0};
static_assert(std::atomic<int>::is_always_lock_free, "read in a signal handler");

}  // namespace

Decoding::Decoding() noexcept { ++under_way; }
Decoding::~Decoding() { --under_way; }
bool Decoding::IsUnderWay() noexcept { return under_way > 0; }

}  // namespace skinmask
