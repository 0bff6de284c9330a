#include "datasets/readers/mnist.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "core/error.h"
#include "datasets/formats/idx.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* mnist_fix =
    "point to a folder with train-images-idx3-ubyte, train-labels-idx1-ubyte, "
    "t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, or "
    "those with .gz";

/// Returns the plain file, or the one with .gz if only that exists.
fs::path find_idx_file(const fs::path& folder, const std::string& name) {
  for (const auto& file : {folder / name, folder / (name + ".gz")})
    if (fs::is_regular_file(file)) return file;
  throw UsageError(
      fmt::format("{}: the file is missing, with and without .gz", (folder / name).string()),
      mnist_fix);
}

}  // namespace

Pictures read_mnist(const fs::path& folder, OfficialPart part) {
  // "t10k" are the ten thousand test digits.
  const std::string name = part == OfficialPart::Train ? "train" : "t10k";
  const auto image_file = find_idx_file(folder, name + "-images-idx3-ubyte");
  const auto label_file = find_idx_file(folder, name + "-labels-idx1-ubyte");
  const auto images = read_idx(image_file);
  const auto labels = read_idx(label_file);
  // IDX can hold any array, so the shape is checked here.
  if (images.scalar_type() != at::kByte || images.dim() != 3 || images.size(1) != images.size(2) ||
      images.size(1) < 1)
    throw UsageError(
        fmt::format("{}: {} values of shape [{}]; expected bytes, [N, S, S]", image_file.string(),
                    at::toString(images.scalar_type()), fmt::join(images.sizes(), ", ")),
        mnist_fix);
  if (labels.scalar_type() != at::kByte || labels.dim() != 1 || labels.size(0) != images.size(0))
    throw UsageError(
        fmt::format("{}: {} values of shape [{}]; expected a byte for each of {} images",
                    label_file.string(), at::toString(labels.scalar_type()),
                    fmt::join(labels.sizes(), ", "), images.size(0)),
        mnist_fix);
  // Bytes are never negative.
  if (const auto wrong = (labels > 9).nonzero(); wrong.size(0) > 0) {
    const auto first = wrong[0][0].item<std::int64_t>();
    throw UsageError(fmt::format("{}: label {} is {}; expected 0 to 9", label_file.string(), first,
                                 labels[first].item<std::int64_t>()),
                     mnist_fix);
  }
  return {.images = images, .labels = labels.to(at::kLong)};
}

std::vector<Issue> verify_mnist(const fs::path& folder) {
  std::vector<Issue> found;
  for (const auto part : {OfficialPart::Train, OfficialPart::Test}) {
    const auto issues = collect_issues(
        [&](std::vector<Issue>& issues) {
          // The official parts contain every digit.
          const auto counts = at::bincount(read_mnist(folder, part).labels, {}, 10);
          for (std::int64_t digit = 0; digit < 10; ++digit)
            if (counts[digit].item<std::int64_t>() == 0)
              issues.push_back({.where = part == OfficialPart::Train ? "train" : "t10k",
                                .what = fmt::format("there is no {} in it", digit),
                                .fix = "fetch the official files again"});
        },
        folder, mnist_fix);
    found.insert(found.end(), issues.begin(), issues.end());
  }
  return found;
}

}  // namespace reprise::datasets
