// Short sounds of one length with ten classes: spoken digits that were recorded, or words of a
// generator.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

inline constexpr int spoken_rate = 8000;  ///< samples a second
inline constexpr std::int64_t spoken_length =
    8064;  ///< samples: a spectrogram of 64 frames (spectrogram.h)

struct SpokenDigits {
  at::Tensor samples;                ///< [N, L], float32, within [-1, 1]
  at::Tensor labels;                 ///< [N], int64, 0 to 9
  std::vector<std::string> speaker;  ///< the unit of a split
  std::vector<std::string> item;     ///< "7_theo_12", "voice003/000017"; unique in the set
  int rate = spoken_rate;
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
};

}  // namespace reprise::datasets
