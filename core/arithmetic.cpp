#include "core/arithmetic.h"

#include <immintrin.h>

#include <cmath>
#include <cstdlib>

namespace reprise {

void pin_arithmetic() { setenv("MKL_CBWR", "COMPATIBLE", 0); }  // MKL reads it at its first call

}  // namespace reprise

// MKL's names, which LibTorch calls for sqrt: a definition in the program comes before that of a
// library. MKL's own on that code path begins at the CPU's estimate of 1 / sqrt, which AMD and
// Intel make differently, and leaves one value of six a last bit off on both.

extern "C" void vmsSqrt(int n, const float* a, float* r, long long /*mode*/) {
  int i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(r + i, _mm256_sqrt_ps(_mm256_loadu_ps(a + i)));
  for (; i < n; ++i) r[i] = std::sqrt(a[i]);
}

extern "C" void vmdSqrt(int n, const double* a, double* r, long long /*mode*/) {
  int i = 0;
  for (; i + 4 <= n; i += 4) _mm256_storeu_pd(r + i, _mm256_sqrt_pd(_mm256_loadu_pd(a + i)));
  for (; i < n; ++i) r[i] = std::sqrt(a[i]);
}
