// Preloaded library that reports the other CPU maker to MKL: Intel on other CPUs, another one on
// Intel's. MKL, a part of LibTorch, chooses its kernels by the maker; the results of
// test_portable.cpp must not change.
#include <dlfcn.h>

extern "C" int mkl_serv_intel_cpu_true() {
  static const auto real = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "mkl_serv_intel_cpu_true"));
  return real != nullptr && real() == 0 ? 1 : 0;
}

extern "C" int mkl_serv_intel_cpu() { return mkl_serv_intel_cpu_true(); }
