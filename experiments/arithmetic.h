// The fingerprint of a run's arithmetic: where it is the same, the same seeds give the same
// numbers, on whatever machine.
#pragma once
#include <string>

namespace reprise::reproduce {

/// "AVX512, float32, LibTorch 2.11.0, clang 16, OpenCV 4.6.0, 1 thread", and the GPU's model where
/// `gpu` is one. First what LibTorch's own kernels use here (ATEN_CPU_CAPABILITY lowers it), with
/// "(oneDNN AVX2)" where oneDNN's differ (ONEDNN_MAX_CPU_ISA lowers these); another MKL_CBWR than
/// the program's own is named. The CPU's maker and model have no part (core/arithmetic.h).
std::string arithmetic_fingerprint(const std::string& gpu, int threads);

}  // namespace reprise::reproduce
