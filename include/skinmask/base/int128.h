// Integers of 128 bits: what exact sums of products need.
#pragma once

namespace [[gnu::visibility("default")]] skinmask {

__extension__ typedef __int128 Int128;

}  // namespace skinmask
