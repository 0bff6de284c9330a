// The .pts annotation file of 300-W and 300-VW:
//
//     version: 1
//     n_points: 68
//     {
//     26.667 56.207        x y of point 1
//     ...
//     }
//
// Parsing is strict: this order, 68 points, only blank lines after the brace. Spaces and line ends
// (LF or CRLF) are free.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// Parses landmarks [68, 2], float32. UsageError: a line is malformed (`name`, line, text and
/// expectation are given); a value is not finite; all points coincide.
at::Tensor parse_pts(std::string_view text, const std::string& name);
at::Tensor read_pts(const std::filesystem::path& path);

}  // namespace reprise::datasets
