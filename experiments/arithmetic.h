// The platform fingerprint of a run: if it is equal, the same seeds give the same numbers on any
// machine.
#pragma once
#include <string>

namespace reprise::reproduce {

/// Returns "AVX512, float32, LibTorch 2.11.0, clang 16, OpenCV 4.6.0, 1 thread", and the model of
/// `gpu`.
/// It begins with the instructions of LibTorch's kernels (ATEN_CPU_CAPABILITY lowers them), with
/// "(oneDNN AVX2)" if oneDNN's differ (ONEDNN_MAX_CPU_ISA lowers these). Another MKL_CBWR than the
/// program's is named. The CPU's model is no part of it (core/arithmetic.h).
std::string arithmetic_fingerprint(const std::string& gpu, int threads);

}  // namespace reprise::reproduce
