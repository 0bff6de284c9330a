// Short sounds of equal length with ten classes: recorded spoken digits, or generated words.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

inline constexpr int spoken_rate = 8000;  ///< samples per second
/// Samples; gives a spectrogram of 64 frames (spectrogram.h).
inline constexpr std::int64_t spoken_length = 8064;

struct SpokenDigits {
  at::Tensor samples;                ///< [N, L], float32, within [-1, 1]
  at::Tensor labels;                 ///< [N], int64, 0 to 9
  std::vector<std::string> speaker;  ///< splits keep speakers together
  std::vector<std::string> item;     ///< "7_theo_12", "voice003/000017"; unique in the set
  int rate = spoken_rate;
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
};

}  // namespace reprise::datasets
