#include "experiments/arithmetic.h"

#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <cstdlib>
#include <opencv2/core/version.hpp>
#include <string_view>

#include "core/environment.h"

namespace reprise::reproduce {
namespace {

/// The vector instructions that oneDNN's float32 kernels use: the CPU's, unless a variable lowers
/// them.
std::string one_dnn_isa() {
  for (const auto* variable : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* value = std::getenv(variable);
        value != nullptr && std::string_view(value) != "DEFAULT")
      return std::string_view(value).starts_with("AVX512") ? "AVX512" : value;
#if defined(__x86_64__)
  // oneDNN uses its AVX-512 kernels only if the CPU has all four extensions.
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return wide ? "AVX512" : "AVX2";
#else
  return at::get_cpu_capability();
#endif
}

}  // namespace

std::string arithmetic_fingerprint(const std::string& gpu, int threads) {
  const std::string compiled_by = compiler(), isa = at::get_cpu_capability(),
                    one_dnn = one_dnn_isa();
  std::string text = fmt::format("{}{}, float32, LibTorch {}, {}, OpenCV {}, {} thread{}", isa,
                                 one_dnn == isa ? "" : fmt::format(" (oneDNN {})", one_dnn),
                                 TORCH_VERSION, compiled_by.substr(0, compiled_by.find('.')),
                                 CV_VERSION, threads, threads == 1 ? "" : "s");
  // The program sets COMPATIBLE itself; another value gives other numbers.
  if (const char* branch = std::getenv("MKL_CBWR");
      branch != nullptr && branch != std::string_view("COMPATIBLE"))
    text += fmt::format(", MKL_CBWR={}", branch);
  if (!gpu.empty()) text += ", " + gpu;
  return text;
}

}  // namespace reprise::reproduce
