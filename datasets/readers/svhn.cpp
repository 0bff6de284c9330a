#include "datasets/readers/svhn.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "datasets/formats/mat.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* svhn_fix =
    "point to a folder with train_32x32.mat and test_32x32.mat (SVHN, format 2: cropped digits)";

Pictures read_svhn_file(const fs::path& file) {
  if (!fs::is_regular_file(file))
    throw UsageError(file.string() + ": the file is missing", svhn_fix);
  const auto arrays = read_mat(file);
  const auto& X = find_array(arrays, "X", file.string());
  const auto& y = find_array(arrays, "y", file.string());
  const auto refuse = [&](const std::string& problem) {
    throw UsageError(fmt::format("{}: {}", file.string(), problem), svhn_fix);
  };
  // MATLAB drops a last dimension of 1: X of a single digit is [S, S, 3].
  const auto images = X.dim() == 3 ? X.unsqueeze(3) : X;
  if (X.scalar_type() != at::kByte || images.dim() != 4 || images.size(0) != images.size(1) ||
      images.size(0) < 1 || images.size(2) != 3)
    refuse(fmt::format("X has {} values of shape [{}]; expected bytes, [S, S, 3, N]",
                       at::toString(X.scalar_type()), fmt::join(X.sizes(), ", ")));
  if (y.numel() != images.size(3))
    refuse(fmt::format("y has the shape [{}]; expected a label for each of {} images",
                       fmt::join(y.sizes(), ", "), images.size(3)));
  // y may have any numeric type; whole numbers are checked below.
  const auto labels = y.reshape({-1}).to(at::kDouble);
  const auto right = (labels >= 1) & (labels <= 10) & (labels == labels.floor());
  if (const auto wrong = right.logical_not().nonzero(); wrong.size(0) > 0) {
    const auto first = wrong[0][0].item<std::int64_t>();
    refuse(fmt::format("label {} is {}; expected 1 to 10, of which 10 is the digit 0", first,
                       labels[first].item<double>()));
  }
  // Label 10 is the digit 0.
  // MATLAB's [S, S, 3, N] becomes [N, S, S, 3].
  return {.images = images.permute({3, 0, 1, 2}).contiguous(),
          .labels = labels.to(at::kLong).remainder(10)};
}

}  // namespace

Pictures read_svhn(const fs::path& folder, OfficialPart part) {
  return read_svhn_file(folder /
                        (part == OfficialPart::Train ? "train_32x32.mat" : "test_32x32.mat"));
}

Pictures read_svhn_extra(const fs::path& folder) {
  return read_svhn_file(folder / "extra_32x32.mat");
}

std::vector<Issue> verify_svhn(const fs::path& folder) {
  std::vector<Issue> found;
  for (const std::string name : {"train_32x32.mat", "test_32x32.mat", "extra_32x32.mat"}) {
    // The extra digits are optional.
    if (name.starts_with("extra") && !fs::exists(folder / name)) continue;
    const auto issues = collect_issues(
        [&](std::vector<Issue>& problems_of_part) {
          const auto counts = at::bincount(read_svhn_file(folder / name).labels, {}, 10);
          for (std::int64_t digit = 0; digit < 10; ++digit)
            if (counts[digit].item<std::int64_t>() == 0)
              problems_of_part.push_back({.where = name,
                                          .what = fmt::format("there is no {} in it", digit),
                                          .fix = "fetch the official files again"});
        },
        folder, svhn_fix);
    found.insert(found.end(), issues.begin(), issues.end());
  }
  return found;
}

}  // namespace reprise::datasets
