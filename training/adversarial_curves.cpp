#include "training/adversarial_curves.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "training/data_parallel.h"

namespace reprise::training {
namespace {

constexpr double largest_loss = 1e4;          // beyond it training has diverged
constexpr double collapsed_diversity = 0.05;  // below it generated items are practically one item
constexpr double won_accuracy = 0.99;         // above it D gives G no usable gradient

// Positions of the values in a point.
constexpr std::int64_t loss_D_column = 0;
constexpr std::int64_t loss_G_column = 1;
constexpr std::int64_t r1_column = 2;
constexpr std::int64_t diversity_column = 3;
constexpr std::int64_t first_accuracy_column = 4;

/// Error: the loss of `network` at `iteration` diverged.
void check_loss(double loss, const char* network, std::int64_t iteration,
                const AdversarialOptions& options) {
  if (std::isfinite(loss) && std::abs(loss) <= largest_loss) return;
  throw Error(
      fmt::format("adversarial training diverged at iteration {}: the loss of {} is {}", iteration,
                  network, loss),
      fmt::format(
          "lower the learning rates (now G {}, D {}), or raise r1 (now {}) or the noise (now {})",
          options.G.learning_rate, options.D.learning_rate, options.r1, options.noise.sigma));
}

}  // namespace

AdversarialCurves::AdversarialCurves(std::int64_t discriminators, const AdversarialOptions& options,
                                     AdversarialReport& report)
    : discriminators_(discriminators), options_(options), report_(report) {}

void AdversarialCurves::add(const AdversarialPoint& point) {
  // The values stay on their device: to read one waits for all of the device's work.
  points_.push_back(at::cat(
      {at::stack({point.loss_D, point.loss_G, point.r1, point.diversity}), point.accuracy}));
}

/// Returns the points of the window, [iterations, values], averaged over the ranks.
at::Tensor AdversarialCurves::take_points() {
  // One read for the whole window.
  auto points = data_parallel::average(at::stack(points_).to(at::kCPU, at::kDouble));
  points_.clear();
  return points;
}

void AdversarialCurves::check_losses(const at::Tensor& points) const {
  const auto first_iteration = report_.iterations + 1 - points.size(0);
  for (std::int64_t i = 0; i < points.size(0); ++i) {
    check_loss(points[i][loss_D_column].item<double>(), "D", first_iteration + i, options_);
    check_loss(points[i][loss_G_column].item<double>(), "G", first_iteration + i, options_);
  }
}

void AdversarialCurves::add_means(const at::Tensor& means, const at::Tensor& noise) {
  const auto add = [&](const std::string& name, const at::Tensor& value) {
    report_.curves[name].push_back(value.item<double>());
  };
  add("loss_D", means[loss_D_column]);
  add("loss_G", means[loss_G_column]);
  if (options_.r1 > 0) add("r1", means[r1_column]);
  add("diversity", means[diversity_column]);
  for (std::int64_t k = 0; k < discriminators_; ++k) {
    add(fmt::format("accuracy_{}", k + 1), means[first_accuracy_column + k]);
    add(fmt::format("noise_{}", k + 1), noise[k]);
  }
}

void AdversarialCurves::end_window(const at::Tensor& noise) {
  const auto points = take_points();
  auto means = points.mean(0);
  // A batch of equal real items has no diversity (NaN), and does not count.
  const auto diversity = points.select(1, diversity_column);
  if (at::isnan(diversity).any().item<bool>()) means[diversity_column] = diversity.nanmean();
  check_losses(points);
  add_means(means, noise.to(at::kCPU));
  // Remembers the first iteration of the period in which a condition has held without a break.
  const auto track_since = [&](bool holds, std::int64_t& since) {
    if (!holds) since = -1;
    if (holds && since < 0) since = report_.iterations - points.size(0);
  };
  track_since(means[diversity_column].item<double>() < collapsed_diversity,
              report_.collapsed_since);
  track_since(means.slice(0, first_accuracy_column).min().item<double>() > won_accuracy,
              report_.won_since);
}

std::string AdversarialCurves::progress_text() const {
  if (report_.curves.empty()) return "";
  std::string accuracies;
  for (std::int64_t k = 1; k <= discriminators_; ++k)
    accuracies += fmt::format("{}{:.2f}", k == 1 ? "" : " ",
                              report_.curves.at(fmt::format("accuracy_{}", k)).back());
  return fmt::format(": loss D {:.3g}, G {:.3g}, accuracy {}, diversity {:.2f}",
                     report_.curves.at("loss_D").back(), report_.curves.at("loss_G").back(),
                     accuracies, report_.curves.at("diversity").back());
}

}  // namespace reprise::training
