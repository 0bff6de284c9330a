// Precision of a network's forward and backward passes. Weights, their gradients and the state of
// the optimiser are always float32.
//
//     Float32     float32 everywhere
//     BFloat16    inputs of convolutions and matrix products are rounded to bfloat16 (torch's
//                 autocast); sums are float32
//     Auto        the faster of the two, measured at the start of a run
//
// BFloat16 pays on machines with instructions for it. On a CPU with avx512_bf16, the convolutions
// of a 16 x 16 clip discriminator take half the time; without it, they take longer.
#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <functional>

#include "weights/state_dict.h"

namespace reprise::training {

class DefaultGenerator;

enum class Precision { Float32, BFloat16, Auto };

/// Times `pass` in both precisions, in turns for about `seconds`, after one uncounted pass each.
/// Returns BFloat16 if its best time is below nine tenths of Float32's: a smaller gain is not worth
/// the rounding.
Precision measure_faster_precision(const std::function<void(Precision)>& pass, double seconds = 1);

/// Measures on rank 0 and gives all ranks the result. Restores `state` (batch statistics) and the
/// random stream afterwards; the caller must clear the gradients.
Precision agree_on_precision(const weights::StateDict& state, DefaultGenerator& generator,
                             const std::function<void(Precision)>& pass);

/// Sets the precision of passes on `device` (not Auto) while it lives, then restores the previous
/// one. Guards can be nested.
class PrecisionGuard {
 public:
  PrecisionGuard(Precision precision, c10::DeviceType device);
  ~PrecisionGuard();
  PrecisionGuard(const PrecisionGuard&) = delete;
  PrecisionGuard& operator=(const PrecisionGuard&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType was_;
};

}  // namespace reprise::training
