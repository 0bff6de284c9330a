#include "training/adaptation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "core/error.h"

namespace reprise::training {

std::int64_t count_classes(const AdaptationData& data) {
  for (const auto& [x, name] : {std::pair{&data.source, "source"}, {&data.target, "target"}}) {
    if (!x->defined() || x->dim() != 4 || x->size(0) == 0)
      throw UsageError(
          fmt::format("the set of pictures of the {} is empty or not [N, C, H, W]", name),
          "give both sets, each with at least 2 pictures");
    if (x->size(0) < 2)
      throw UsageError(fmt::format("the set of pictures of the {} has one picture", name),
                       "give at least 2 of each domain");
  }
  const auto a = data.source.sizes().slice(1), b = data.target.sizes().slice(1);
  if (a != b)
    throw UsageError(fmt::format("pictures of the source are [{}], those of the target [{}]",
                                 fmt::join(a, ", "), fmt::join(b, ", ")),
                     "bring both sets to one size and one number of channels");
  const auto labels = data.labels.defined() ? data.labels.numel() : 0;
  if (labels != data.source.size(0) || data.labels.dim() != 1)
    throw UsageError(
        fmt::format("{} labels for {} pictures of the source", labels, data.source.size(0)),
        "give one label per picture, [N]");
  // Classes are counted by the largest label, so labels begin at 0.
  if (data.labels.min().item<std::int64_t>() < 0)
    throw UsageError(fmt::format("a label is {}", data.labels.min().item<std::int64_t>()),
                     "give labels from 0");
  return data.labels.max().item<std::int64_t>() + 1;
}

}  // namespace reprise::training
