// The precision of a network's passes. Weights, gradients of weights and the optimiser's state are
// float32 in either case.
//
//     Float32     all of it
//     BFloat16    convolutions and products of matrices round what they are given to 8 bits of mantissa (torch's autocast), sums are float32
//     Auto        the faster of both, measured where a run begins
// BFloat16 pays where the machine has instructions for it: on a CPU with avx512_bf16 the
// convolutions of a 16 x 16 discriminator of clips take half the time; where it has none they take
// longer.
#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <functional>

#include "weights/state_dict.h"

namespace reprise::training {

class DefaultGenerator;

enum class Precision { Float32, BFloat16, Auto };

/// BFloat16 where `pass` takes less than nine tenths of Float32's time, since what is rounded away
/// must buy something: both in turns for about `seconds`, the least time of each, after one of each
/// that is not counted.
Precision faster_precision(const std::function<void(Precision)>& pass, double seconds = 1);

/// Rank 0's measurement, for all ranks. What the passes change of `state` (statistics of batches)
/// and of the stream of numbers is put back; gradients are the caller's to drop.
Precision agreed_precision(const weights::StateDict& state, DefaultGenerator& generator,
                           const std::function<void(Precision)>& pass);

/// While it lives, passes on `device` have the precision (not Auto). Guards nest, and each gives
/// back what it found.
class PassesIn {
 public:
  PassesIn(Precision precision, c10::DeviceType device);
  ~PassesIn();
  PassesIn(const PassesIn&) = delete;
  PassesIn& operator=(const PassesIn&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType was_;
};

}  // namespace reprise::training
