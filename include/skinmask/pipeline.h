// The name of this header before it was divided; programs that include it still compile.
#pragma once

#include "skinmask/skinmask.h"
