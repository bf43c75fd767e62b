// The name of this header before it moved; programs that include it still compile.
#pragma once

#include "skinmask/media/image.h"
