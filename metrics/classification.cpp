#include "metrics/classification.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"

namespace reprise::metrics {
namespace {

void require_labels(const at::Tensor& labels, const char* which) {
  if (labels.dim() == 1 && at::isIntegralType(labels.scalar_type(), /*includeBool=*/true)) return;
  throw UsageError(fmt::format("{} labels are a tensor of {} dimensions and type {}", which,
                               labels.dim(), at::toString(labels.scalar_type())),
                   "give one integer label an item: shape [N], type int64");
}

void require_pair(const at::Tensor& predicted, const at::Tensor& truth) {
  require_labels(predicted, "predicted");
  require_labels(truth, "true");
  if (predicted.numel() != truth.numel())
    throw UsageError(fmt::format("there are {} predicted labels and {} true ones",
                                 predicted.numel(), truth.numel()),
                     "give one prediction for each item");
  if (truth.numel() == 0)
    throw UsageError("accuracy needs at least one item; there is none",
                     "check that the split is not empty");
}

void require_range(const at::Tensor& labels, std::int64_t classes, const char* which) {
  const auto bad = at::nonzero((labels < 0) | (labels >= classes)).reshape({-1});
  if (bad.numel() == 0) return;
  const auto item = bad[0].item<std::int64_t>();
  throw UsageError(
      fmt::format("{} of {} {} labels are outside [0, {}); the first is item {} with label {}",
                  bad.numel(), labels.numel(), which, classes, item,
                  labels[item].item<std::int64_t>()),
      "count the classes from 0, or give the right number of classes");
}

}  // namespace

double accuracy(const at::Tensor& predicted, const at::Tensor& truth) {
  require_pair(predicted, truth);
  return (predicted.to(at::kLong) == truth.to(at::kLong)).to(at::kDouble).mean().item<double>();
}

at::Tensor confusion(const at::Tensor& predicted, const at::Tensor& truth, std::int64_t classes) {
  require_pair(predicted, truth);
  if (classes < 1)
    throw UsageError(fmt::format("a confusion matrix of {} classes has no cell", classes),
                     "give 1 class or more");
  if (classes > max_confusion_classes)
    throw UsageError(fmt::format("a confusion matrix of {} classes; there may be {}", classes,
                                 max_confusion_classes),
                     "number the classes from 0 without gaps");
  const auto p = predicted.to(at::kLong);
  const auto q = truth.to(at::kLong);
  require_range(p, classes, "predicted");
  require_range(q, classes, "true");
  // Cell (i, j) has the number i C + j.
  return at::bincount(q * classes + p, {}, classes * classes).reshape({classes, classes});
}

PairedAccuracy paired_accuracy(const at::Tensor& predicted, const at::Tensor& truth,
                               const std::vector<std::int64_t>& opposite) {
  require_pair(predicted, truth);
  const auto classes = static_cast<std::int64_t>(opposite.size());
  const auto p = predicted.to(at::kLong), q = truth.to(at::kLong);
  require_range(p, classes, "predicted");
  require_range(q, classes, "true");
  const auto other = at::tensor(opposite, at::kLong).index_select(0, q);
  // Found: the class or its opposite. A class without an opposite is its own.
  const auto right = p == q, found = right | (p == other), paired = other != q;
  const auto in_pairs = (found & paired).sum().item<std::int64_t>();
  return {.pair = found.to(at::kDouble).mean().item<double>(),
          .direction = in_pairs > 0
                           ? static_cast<double>((right & paired).sum().item<std::int64_t>()) /
                                 static_cast<double>(in_pairs)
                           : 0,
          .in_pairs = in_pairs};
}

}  // namespace reprise::metrics
