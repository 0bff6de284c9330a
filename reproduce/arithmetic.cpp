#include "reproduce/arithmetic.h"

#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/version.h>

#include <cstdlib>
#include <opencv2/core/version.hpp>
#include <string_view>

#include "core/environment.h"

namespace reprise::reproduce {

std::string arithmetic_fingerprint(const std::string& gpu, int threads) {
  const std::string compiled_by = compiler();
  std::string text = fmt::format("{}, float32, LibTorch {}, {}, OpenCV {}, {} thread{}", at::get_cpu_capability(), TORCH_VERSION,
                                 compiled_by.substr(0, compiled_by.find('.')), CV_VERSION, threads, threads == 1 ? "" : "s");
  for (const auto& [variable, usual] : {std::pair{"MKL_CBWR", "COMPATIBLE"}, {"ONEDNN_MAX_CPU_ISA", ""}})
    if (const char* value = std::getenv(variable); value != nullptr && value != std::string_view(usual))
      text += fmt::format(", {}={}", variable, value);
  if (!gpu.empty()) text += ", " + gpu;
  return text;
}

}  // namespace reprise::reproduce
