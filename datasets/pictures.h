// Pictures with one class each, as readers and generators of digits and landscapes return them.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

/// Parts of a digit set by its official files.
enum class OfficialPart { Train, Test };

/// Digits are gray, from 0 (paper) to 255 (ink). Their class is the digit. Landscapes are RGB with
/// classes 0 (day) and 1 (night).
struct Pictures {
  at::Tensor images;  ///< [N, H, W] gray or [N, H, W, 3] RGB, uint8
  at::Tensor labels;  ///< [N], int64
  std::int64_t size() const { return labels.defined() ? labels.size(0) : 0; }
  /// Returns the pictures of these indices, in this order.
  Pictures at(const std::vector<std::int64_t>& indices) const {
    const auto chosen = at::tensor(indices, at::kLong);
    return {images.index_select(0, chosen), labels.index_select(0, chosen)};
  }
};

/// Pictures of an exported set, each with a name.
struct NamedPictures : Pictures {
  std::vector<std::string> item = {};
  std::vector<std::string> classes = {};  ///< name of each label
  NamedPictures at(const std::vector<std::int64_t>& indices) const {
    NamedPictures part{Pictures::at(indices), {}, classes};
    for (const auto i : indices) part.item.push_back(item.at(static_cast<std::size_t>(i)));
    return part;
  }
};

}  // namespace reprise::datasets
