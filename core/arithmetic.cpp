#include "core/arithmetic.h"

#include <cstdlib>

namespace reprise {

void pin_arithmetic() { setenv("MKL_CBWR", "COMPATIBLE", 0); }  // MKL reads it at its first call

}  // namespace reprise
