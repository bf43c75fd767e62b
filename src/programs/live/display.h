// Whether there is a screen to open a window on.
#pragma once

namespace skinmask::live {

// Throws Error where there is none: Qt would end the whole process instead. Returns within two
// seconds.
void RequireDisplay();

}  // namespace skinmask::live
