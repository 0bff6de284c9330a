#include "core/arithmetic.h"

#include <immintrin.h>

#include <cmath>
#include <cstdlib>

namespace reprise {

// The last argument 0 keeps a value that the user has set.
void pin_arithmetic() { setenv("MKL_CBWR", "COMPATIBLE", 0); }  // MKL reads it at its first call

}  // namespace reprise

// LibTorch calls these functions of MKL for sqrt. The linker prefers a definition in the program to
// that of a library, so these replace MKL's.
// On the pinned code path MKL starts from the CPU's estimate of 1 / sqrt. AMD and Intel estimate
// differently, and one value in six is off by its last bit on both.

extern "C" void vmsSqrt(int n, const float* a, float* r, long long /*mode*/) {
  // Eight floats fill a register of 256 bits; the second loop handles the rest.
  int i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(r + i, _mm256_sqrt_ps(_mm256_loadu_ps(a + i)));
  for (; i < n; ++i) r[i] = std::sqrt(a[i]);
}

extern "C" void vmdSqrt(int n, const double* a, double* r, long long /*mode*/) {
  // Four doubles fill a register of 256 bits.
  int i = 0;
  for (; i + 4 <= n; i += 4) _mm256_storeu_pd(r + i, _mm256_sqrt_pd(_mm256_loadu_pd(a + i)));
  for (; i < n; ++i) r[i] = std::sqrt(a[i]);
}
