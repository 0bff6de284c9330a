// What the cells of study unit note and draw alike.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

#include "reproduce/study.h"

namespace reprise::reproduce::unit_study {

/// Sixteen pictures above what became of each, [N, 1 or 3, S, S] from -1 to 1, large enough to see: a PNG of four rows of pairs.
void draw_pairs(const std::filesystem::path& path, const at::Tensor& pictures, const at::Tensor& translated);

/// The number of its weights.
void note_network(const torch::nn::Module& network, CellContext& context);

}  // namespace reprise::reproduce::unit_study
