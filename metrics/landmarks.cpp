#include "metrics/landmarks.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"
#include "core/text.h"
#include "metrics/lag.h"

namespace reprise::metrics {
namespace {

// Outer eye corners: points 37 and 46 of the 68-point scheme, which counts from 1.
constexpr std::int64_t right_eye_corner = 36;
constexpr std::int64_t left_eye_corner = 45;

/// UsageError: a frame is not good (names the first few). good: [T], bool.
void require_every_frame(const at::Tensor& good, const std::string& what, const std::string& fix) {
  if (good.all().item<bool>()) return;
  const auto bad = at::nonzero(good.logical_not()).reshape({-1}).to(at::kCPU);
  std::vector<std::string> frames;
  for (std::int64_t i = 0; i < bad.numel(); ++i)
    frames.push_back(std::to_string(bad[i].item<std::int64_t>()));
  throw UsageError(
      fmt::format("{} in frame {} (counted from 0, of {})", what, first_few(frames), good.numel()),
      fix);
}

/// Returns the length L_t of each true face, [T].
at::Tensor face_lengths(const at::Tensor& truth, FaceLength length) {
  if (length == FaceLength::OuterEyeCorners)
    return (truth.select(1, right_eye_corner) - truth.select(1, left_eye_corner)).norm(2, -1);
  // Diagonal of the smallest upright box around the points.
  return (truth.amax(1) - truth.amin(1)).norm(2, -1);
}

/// Returns the errors flat and in float64. UsageError: none, or one that is negative or not finite.
at::Tensor check_errors(const at::Tensor& error) {
  if (error.numel() == 0)
    throw UsageError("a landmark metric needs at least one frame; there is none",
                     "check that the split is not empty");
  auto flat = error.to(at::kDouble).reshape({-1});
  require_every_frame(at::isfinite(flat) & (flat >= 0), "the error is negative or not finite",
                      "check the predictions that it was made from");
  return flat;
}

at::Tensor check_errors(const at::Tensor& error, double limit) {
  if (!(limit > 0))
    throw UsageError(
        fmt::format("the limit of the cumulative error curve is {}; it must be above 0", limit),
        fmt::format("use {}, or another limit above 0", ced_limit));
  return check_errors(error);
}

/// Checks the input of a metric over time.
void require_sequences(const char* what, const at::Tensor& predicted, const at::Tensor& truth,
                       std::int64_t least) {
  if (truth.dim() != 4 || truth.size(1) < least)
    throw UsageError(
        fmt::format("the {} of landmarks {}", what, shape_text(truth.sizes())),
        fmt::format("give [N, T, K, 2] with {} frames or more", least == 2 ? "two" : "three"));
  if (predicted.sizes() != truth.sizes())
    throw UsageError("predicted landmarks have the shape " + shape_text(predicted.sizes()) +
                         ", the true ones " + shape_text(truth.sizes()),
                     "give a prediction of the same points for the same frames");
}

}  // namespace

at::Tensor landmark_error(const at::Tensor& predicted, const at::Tensor& truth, FaceLength length) {
  if (truth.dim() != 3 || truth.size(1) == 0 || truth.size(2) != 2)
    throw UsageError(
        "true landmarks have the shape " + shape_text(truth.sizes()) + "; expected [T, K, 2]",
        "give K points (x, y) for each of T frames");
  if (predicted.sizes() != truth.sizes())
    throw UsageError("predicted landmarks have the shape " + shape_text(predicted.sizes()) +
                         ", the true ones " + shape_text(truth.sizes()),
                     "give a prediction of the same points for the same frames");
  if (length == FaceLength::OuterEyeCorners && truth.size(1) != 68)
    throw UsageError(fmt::format("outer-eye-corners needs the 68-point scheme; there are {} points",
                                 truth.size(1)),
                     "normalise by box-diagonal, or give all 68 points");
  const auto p = predicted.to(at::kDouble);
  const auto q = truth.to(at::kDouble);
  require_every_frame(at::isfinite(q).flatten(1).all(1), "a true coordinate is not finite",
                      "repair the truth");
  require_every_frame(at::isfinite(p).flatten(1).all(1), "a predicted coordinate is not finite",
                      "repair the predictions");
  const auto extent = face_lengths(q, length);
  if (length == FaceLength::OuterEyeCorners)
    require_every_frame(
        extent > 0,
        "the outer eye corners of the true face (points 36 and 45, counted from 0) are one point",
        "repair these two points of the truth, or normalise by box-diagonal");
  else
    require_every_frame(extent > 0, "the true face has no extent (all its points are one point)",
                        "repair the truth");
  return (p - q).norm(2, -1).mean(1) / extent;
}

double landmark_jitter(const at::Tensor& predicted, const at::Tensor& truth, FaceLength length) {
  require_sequences("jitter", predicted, truth, 2);
  // Called for its checks.
  landmark_error(predicted.flatten(0, 1), truth.flatten(0, 1), length);
  const auto q = truth.to(at::kDouble);
  const auto off = predicted.to(at::kDouble) - q;
  // A step from frame t - 1 to t is divided by the length of face t.
  const auto extent =
      face_lengths(q.flatten(0, 1), length).view({q.size(0), q.size(1)}).slice(1, 1);
  return (off.diff(1, 1).square().sum(-1).mean(-1) / extent.square()).mean().sqrt().item<double>();
}

double landmark_lag(const at::Tensor& predicted, const at::Tensor& truth) {
  require_sequences("lag", predicted, truth, 3);
  const auto q = truth.to(at::kDouble).flatten(-2);
  // Speed at frame t: half of the way from frame t - 1 to t + 1.
  return lag(predicted.to(at::kDouble).flatten(-2) - q,
             (q.slice(1, 2) - q.slice(1, 0, q.size(1) - 2)) / 2);
}

double auc(const at::Tensor& error, double limit) {
  // The area below a step at e is 1 - e / limit, and 0 beyond the limit.
  return (1 - check_errors(error, limit) / limit).clamp_min(0).mean().item<double>();
}

double failure_rate(const at::Tensor& error, double limit) {
  return (check_errors(error, limit) > limit).to(at::kDouble).mean().item<double>();
}

double mean_error(const at::Tensor& error) { return check_errors(error).mean().item<double>(); }

ErrorCurve error_curve(const at::Tensor& error, double limit, std::int64_t samples) {
  if (samples < 2)
    throw UsageError(fmt::format("a curve of {} samples cannot be drawn", samples),
                     "use 2 samples or more");
  const auto sorted = std::get<0>(check_errors(error, limit).sort());
  ErrorCurve curve;
  for (std::int64_t i = 0; i < samples; ++i) {
    const double x = limit * static_cast<double>(i) / static_cast<double>(samples - 1);
    // Number of errors <= x.
    const auto below = at::searchsorted(sorted, at::Scalar(x), false, true).item<std::int64_t>();
    curve.x.push_back(x);
    curve.y.push_back(static_cast<double>(below) / static_cast<double>(sorted.numel()));
  }
  return curve;
}

at::Tensor error_by_position(const at::Tensor& error) {
  if (error.dim() != 2)
    throw UsageError(
        "errors by position have the shape " + shape_text(error.sizes()) + "; expected [N, T]",
        "give the errors of N clips of T frames");
  return check_errors(error).reshape(error.sizes()).mean(0);
}

at::Tensor error_in_gaps(const at::Tensor& error, const at::Tensor& damaged) {
  if (error.dim() != 2 || error.sizes() != damaged.sizes() || damaged.scalar_type() != at::kBool)
    throw UsageError(fmt::format("errors {} and damaged frames {} do not belong together",
                                 shape_text(error.sizes()), shape_text(damaged.sizes())),
                     "give both as [N, T], the latter as bool");
  const auto checked = check_errors(error).reshape(error.sizes()).to(at::kDouble).contiguous();
  const auto flags = damaged.contiguous();
  const auto clips = error.size(0);
  const auto frames = error.size(1);
  const auto* value = checked.const_data_ptr<double>();
  const auto* bad = flags.const_data_ptr<bool>();
  // Sums of errors by the number of frames since the last clear one.
  std::vector<double> sums(static_cast<std::size_t>(frames), 0);
  std::vector<std::int64_t> counts(static_cast<std::size_t>(frames), 0);
  for (std::int64_t i = 0; i < clips; ++i) {
    std::int64_t since = -1;  // frames since the last clear one; -1: none yet
    for (std::int64_t t = 0; t < frames; ++t) {
      if (!bad[i * frames + t])
        since = 0;
      else if (since >= 0)
        ++since;
      // Damaged frames before the first clear one have no such number.
      if (since < 0) continue;
      sums[static_cast<std::size_t>(since)] += value[i * frames + t];
      ++counts[static_cast<std::size_t>(since)];
    }
  }
  if (counts.front() == 0) throw UsageError("no frame is clear", "give clips with clear frames");
  // The result ends with the longest gap. A length without a gap repeats the value before it.
  while (counts.back() == 0) counts.pop_back();
  auto mean = at::empty({std::ssize(counts)}, at::kDouble);
  for (std::size_t k = 0; k < counts.size(); ++k)
    mean[static_cast<std::int64_t>(k)] =
        counts[k] > 0 ? sums[k] / static_cast<double>(counts[k]) : mean[k - 1].item<double>();
  return mean;
}

std::string_view name_of(FaceLength length) {
  return length == FaceLength::BoxDiagonal ? "box-diagonal" : "outer-eye-corners";
}

std::string protocol(std::string_view metric, FaceLength length, std::optional<double> limit,
                     std::int64_t points) {
  const std::string at = limit ? "@" + number_text(*limit) : "";
  return fmt::format("{}{}/{}/{}", metric, at, name_of(length), points);
}

}  // namespace reprise::metrics
