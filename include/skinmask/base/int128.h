// Exact sums of products need integers of 128 bits.
#pragma once

namespace [[gnu::visibility("default")]] skinmask {

__extension__ typedef __int128 Int128;

}  // namespace skinmask
