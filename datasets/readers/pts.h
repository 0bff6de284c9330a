// The .pts annotation file of 300-W and 300-VW:
//
//     version: 1
//     n_points: 68
//     {
//     26.667 56.207        x y of point 1
//     ...
//     }
//
// Parsed strictly: this order, 68 points, nothing after the brace but blank lines. Spaces and line
// ends (LF or CRLF) are free.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reprise::datasets {

/// [68, 2], float32. UsageError: names `name` and the line, what stands there and what was
/// expected; not finite; all points equal.
at::Tensor parse_pts(std::string_view text, const std::string& name);
at::Tensor read_pts(const std::filesystem::path& path);

}  // namespace reprise::datasets
