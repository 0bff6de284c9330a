// Preloaded, it tells MKL that the CPU is of the other maker: Intel's where it is not, another's
// where it is. MKL, which LibTorch carries, chooses its kernels by that answer; the tests of
// test_portable.cpp must not see a difference.
#include <dlfcn.h>

extern "C" int mkl_serv_intel_cpu_true() {
  static const auto real = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "mkl_serv_intel_cpu_true"));
  return real != nullptr && real() == 0 ? 1 : 0;
}

extern "C" int mkl_serv_intel_cpu() { return mkl_serv_intel_cpu_true(); }
