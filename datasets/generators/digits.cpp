#include "datasets/generators/digits.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"

namespace reprise::datasets {
namespace {

struct Spot {
  double x = 0;
  double y = 0;
  Spot operator+(const Spot& o) const { return {x + o.x, y + o.y}; }
  Spot operator-(const Spot& o) const { return {x - o.x, y - o.y}; }
  Spot operator*(double s) const { return {x * s, y * s}; }
};

/// A stroke as indices into a way's points: a curve through all of them (Catmull-Rom), or straight
/// lines.
struct Stroke {
  bool curve;
  std::vector<int> points;
};

/// One way to write a digit: x to the right, y down, within [-0.6, 0.6] x [-1, 1]. Strokes that
/// share a point stay joined.
struct Way {
  std::vector<Spot> points;
  std::vector<Stroke> strokes;
};

// Control points and strokes of each way; way w of digit d is ways[d][w].
const std::array<std::vector<Way>, 10> ways{{
    // 0: closed at the top; begun at the right, its ends crossing; narrow.
    {{{{0, -1},
       {-0.42, -0.65},
       {-0.55, 0},
       {-0.42, 0.65},
       {0, 1},
       {0.42, 0.65},
       {0.55, 0},
       {0.42, -0.65}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 0}}}},
     {{{0.3, -0.95},
       {-0.2, -0.9},
       {-0.5, -0.3},
       {-0.42, 0.55},
       {0.02, 1},
       {0.45, 0.6},
       {0.5, -0.25},
       {0.25, -0.85},
       {-0.12, -0.98}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 8}}}},
     {{{0.02, -1},
       {-0.25, -0.7},
       {-0.34, 0},
       {-0.25, 0.7},
       {-0.02, 1},
       {0.25, 0.7},
       {0.34, 0},
       {0.25, -0.7}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 0}}}}},
    // 1: a stroke; with a flag; with flag and foot.
    {{{{0, -1}, {0.01, 0}, {0, 1}}, {{true, {0, 1, 2}}}},
     {{{-0.32, -0.55}, {0.06, -1}, {0.06, 0}, {0.06, 1}}, {{false, {0, 1}}, {true, {1, 2, 3}}}},
     {{{-0.3, -0.6}, {0.03, -1}, {0.03, 1}, {-0.38, 1}, {0.42, 1}},
      {{false, {0, 1, 2}}, {false, {3, 2, 4}}}}},
    // 2: a sharp foot; a looped foot.
    {{{{-0.48, -0.6},
       {-0.2, -0.96},
       {0.25, -0.92},
       {0.46, -0.5},
       {0.2, 0.1},
       {-0.2, 0.6},
       {-0.55, 1},
       {0, 0.97},
       {0.55, 0.97}},
      {{true, {0, 1, 2, 3, 4, 5, 6}}, {true, {6, 7, 8}}}},
     {{{-0.45, -0.65},
       {-0.1, -1},
       {0.35, -0.75},
       {0.36, -0.25},
       {0.02, 0.35},
       {-0.36, 0.86},
       {-0.55, 0.72},
       {-0.3, 0.58},
       {0.1, 0.85},
       {0.58, 0.9}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}}}},
    // 3: two bows; a flat top.
    {{{{-0.46, -0.72},
       {-0.1, -1},
       {0.36, -0.76},
       {0.3, -0.25},
       {-0.1, -0.04},
       {0.36, 0.18},
       {0.46, 0.6},
       {0.05, 1},
       {-0.5, 0.75}},
      {{true, {0, 1, 2, 3, 4}}, {true, {4, 5, 6, 7, 8}}}},
     {{{-0.45, -0.95},
       {0.42, -0.95},
       {-0.05, -0.15},
       {0.36, 0.05},
       {0.46, 0.5},
       {0.05, 1},
       {-0.5, 0.78}},
      {{false, {0, 1, 2}}, {true, {2, 3, 4, 5, 6}}}}},
    // 4: open at the top; closed; open, with a round corner.
    {{{{-0.4, -0.95}, {-0.5, 0.12}, {0.58, 0.12}, {0.28, -0.6}, {0.28, 1}},
      {{false, {0, 1, 2}}, {false, {3, 4}}}},
     {{{0.24, -1}, {-0.58, 0.35}, {0.58, 0.35}, {0.24, 1}}, {{false, {0, 1, 2}}, {false, {0, 3}}}},
     {{{-0.42, -0.9}, {-0.5, -0.2}, {-0.3, 0.08}, {0.3, 0.02}, {0.4, -0.95}, {0.3, 0.1}, {0.24, 1}},
      {{true, {0, 1, 2, 3}}, {true, {4, 3, 6}}}}},
    // 5: neck and bar; in one stroke.
    {{{{0.48, -0.97},
       {-0.36, -0.97},
       {-0.42, -0.12},
       {0.05, -0.3},
       {0.46, 0.05},
       {0.42, 0.65},
       {-0.02, 1},
       {-0.5, 0.78}},
      {{false, {0, 1, 2}}, {true, {2, 3, 4, 5, 6, 7}}}},
     {{{0.5, -0.9},
       {0.05, -0.95},
       {-0.35, -0.75},
       {-0.4, -0.25},
       {0.05, -0.15},
       {0.42, 0.2},
       {0.34, 0.75},
       {-0.08, 1},
       {-0.48, 0.82}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 8}}}}},
    // 6: a bowed stem; a straight stem.
    {{{{0.35, -0.98},
       {-0.15, -0.65},
       {-0.46, 0},
       {-0.42, 0.65},
       {0.02, 1},
       {0.45, 0.68},
       {0.36, 0.2},
       {-0.02, 0.02},
       {-0.42, 0.4}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 8}}}},
     {{{0.08, -1},
       {-0.22, -0.3},
       {-0.44, 0.42},
       {-0.22, 0.92},
       {0.2, 0.94},
       {0.42, 0.58},
       {0.2, 0.24},
       {-0.18, 0.3},
       {-0.42, 0.58}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 8}}}}},
    // 7: plain; with a bar; with a bowed stem and a serif.
    {{{{-0.5, -0.95}, {0.48, -0.95}, {0.08, 0}, {-0.15, 1}}, {{false, {0, 1}}, {true, {1, 2, 3}}}},
     {{{-0.5, -0.95}, {0.48, -0.95}, {0.1, 0}, {-0.15, 1}, {-0.3, 0.02}, {0.42, -0.02}},
      {{false, {0, 1}}, {true, {1, 2, 3}}, {false, {4, 2, 5}}}},
     {{{-0.5, -0.62},
       {-0.48, -0.93},
       {0.1, -0.9},
       {0.5, -0.95},
       {0.15, -0.3},
       {-0.05, 0.35},
       {-0.1, 1}},
      {{false, {0, 1}}, {true, {1, 2, 3}}, {true, {3, 4, 5, 6}}}}},
    // 8: in one stroke that crosses itself; two rings.
    {{{{0.34, -0.76},
       {0, -1},
       {-0.36, -0.75},
       {-0.28, -0.35},
       {0.05, -0.04},
       {0.4, 0.35},
       {0.4, 0.8},
       {0, 1},
       {-0.42, 0.78},
       {-0.38, 0.36},
       {-0.04, 0},
       {0.3, -0.38}},
      {{true, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0}}}},
     {{{0, -1},
       {-0.34, -0.72},
       {-0.26, -0.22},
       {0, -0.06},
       {0.26, -0.22},
       {0.34, -0.72},
       {-0.42, 0.3},
       {-0.36, 0.82},
       {0, 1},
       {0.36, 0.82},
       {0.42, 0.3}},
      {{true, {0, 1, 2, 3, 4, 5, 0}}, {true, {3, 6, 7, 8, 9, 10, 3}}}}},
    // 9: a straight stem; a bowed tail.
    {{{{0.4, -0.6},
       {0.1, -0.97},
       {-0.34, -0.82},
       {-0.44, -0.4},
       {-0.12, -0.08},
       {0.28, -0.24},
       {0.44, -0.9},
       {0.36, 0.1},
       {0.24, 1}},
      {{true, {0, 1, 2, 3, 4, 5, 0}}, {true, {0, 7, 8}}}},
     {{{0.42, -0.62},
       {0.05, -1},
       {-0.38, -0.72},
       {-0.36, -0.24},
       {0.02, -0.08},
       {0.36, -0.34},
       {0.42, 0.25},
       {0.22, 0.85},
       {-0.15, 1},
       {-0.42, 0.82}},
      {{true, {0, 1, 2, 3, 4, 5, 0}}, {true, {0, 6, 7, 8, 9}}}}},
}};

/// Straight pieces between two points of a curve.
constexpr int steps = 5;

/// Corners of the pieces that a stroke is drawn with.
std::vector<Spot> trace_stroke(const Stroke& stroke, const std::vector<Spot>& points) {
  const auto& order = stroke.points;
  const auto count = order.size();
  const auto at = [&](std::size_t i) { return points[static_cast<std::size_t>(order[i])]; };
  std::vector<Spot> path{at(0)};
  // A curve that returns to its first point passes through it without a corner.
  const bool closed = order.front() == order.back();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Spot p1 = at(i);
    const Spot p2 = at(i + 1);
    if (!stroke.curve) {
      path.push_back(p2);
      continue;
    }
    // The spline needs one point before and one after the piece. At a free end the end itself is
    // repeated.
    Spot p0 = closed ? at(count - 2) : p1;
    Spot p3 = closed ? at(1) : p2;
    if (i > 0) p0 = at(i - 1);
    if (i + 2 < count) p3 = at(i + 2);
    for (int s = 1; s <= steps; ++s) {
      // Uniform Catmull-Rom spline: it passes through p1 and p2 with tangents (p2 - p0) / 2 and (p3
      // - p1) / 2.
      const double t = static_cast<double>(s) / steps;
      const double tt = t * t;
      const double ttt = tt * t;
      path.push_back(p1 + ((p2 - p0) * t + (p0 * 2 - p1 * 5 + p2 * 4 - p3) * tt +
                           (p1 * 3 - p0 - p2 * 3 + p3) * ttt) *
                              0.5);
    }
  }
  return path;
}

/// Draws digits of a size; not to be shared between threads.
class Pen {
 public:
  explicit Pen(int size)
      : size_(size), nearest_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}

  void draw(std::int64_t digit, Random random, std::uint8_t* image) {
    // Order of the draws: way, pen, softness, then place_strokes(). It is part of the data set.
    const auto& choice = ways[static_cast<std::size_t>(digit)];
    const Way& way =
        choice[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(choice.size())))];
    // Every line passes within half a pixel of pixel centres, so a radius of 0.55 leaves no gaps.
    const double radius = std::max(0.55, size_ * random.uniform(0.028, 0.058));
    // The edge is soft at most up to the middle of the stroke, which thus keeps full ink.
    const double soft = std::min(2 * radius, std::max(1.0, size_ * random.uniform(0.03, 0.065)));
    const auto paths = place_strokes(way, radius + soft / 2, random);
    // Pixels outside the pen's reach keep this distance, which gives no ink.
    std::ranges::fill(nearest_, static_cast<float>((radius + soft) * (radius + soft)));
    for (const auto& path : paths)
      for (std::size_t i = 0; i + 1 < path.size(); ++i)
        draw_piece(path[i], path[i + 1], radius + soft / 2);
    // Ink is half at the pen's edge.
    for (std::size_t i = 0; i < nearest_.size(); ++i) {
      // Linear across the edge: full at radius - soft / 2, none at radius + soft / 2.
      const double ink = (radius + soft / 2 - std::sqrt(static_cast<double>(nearest_[i]))) / soft;
      image[i] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(ink, 0.0, 1.0)));
    }
  }

 private:
  /// Returns the strokes in pixels. Ink within `margin` of them leaves the border's pixels free.
  std::vector<std::vector<Spot>> place_strokes(const Way& way, double margin,
                                               Random& random) const {
    // Slant shears, turn rotates; both in the digit's own frame before it is moved.
    const double turn = random.uniform(-12, 12) * std::numbers::pi / 180;
    const double slant = random.uniform(-0.12, 0.32);
    const double height = size_ * random.uniform(0.58, 0.76) / 2;
    const double width = height * random.uniform(0.85, 1.35);
    const double shift_x = random.uniform(-0.07, 0.07) * size_;
    const double shift_y = random.uniform(-0.07, 0.07) * size_;
    std::vector<Spot> points;
    for (const auto& point : way.points) {
      const double x = width * (point.x + 0.045 * random.normal() - slant * point.y);
      const double y = height * (point.y + 0.045 * random.normal());
      // Control points jitter by 4.5 % of the half height before slant and turn.
      points.push_back(
          {std::cos(turn) * x - std::sin(turn) * y, std::sin(turn) * x + std::cos(turn) * y});
    }
    std::vector<std::vector<Spot>> paths;
    Spot low{1e9, 1e9};
    Spot high{-1e9, -1e9};
    for (const auto& stroke : way.strokes)
      for (const auto& p : paths.emplace_back(trace_stroke(stroke, points))) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
      }
    // Wide or tall results shrink until they fit; a digit is never cut off.
    const double available = size_ - 1 - 2 * margin;
    const double extent = std::max(high.x - low.x, high.y - low.y);
    const double shrink = std::min(1.0, available / extent);
    const double middle = (size_ - 1) / 2.0;
    const auto origin = [&](double shift, double from, double to) {
      // The digit's box is centred and then moved, at most up to the margin.
      const double slack = std::max(0.0, (available - (to - from) * shrink) / 2);
      return middle + std::clamp(shift, -slack, slack) - shrink * (from + to) / 2;
    };
    const Spot moved{origin(shift_x, low.x, high.x), origin(shift_y, low.y, high.y)};
    for (auto& path : paths)
      for (auto& p : path) p = p * shrink + moved;
    return paths;
  }

  /// Lowers nearest_ to the squared distance to a piece, where the piece is the nearest so far.
  void draw_piece(const Spot& from, const Spot& to, double reach) {
    // Only pixels within reach of the piece are visited.
    const auto first = [&](double a, double b) {
      return std::max(0, static_cast<int>(std::ceil(std::min(a, b) - reach)));
    };
    const auto last = [&](double a, double b) {
      return std::min(size_ - 1, static_cast<int>(std::floor(std::max(a, b) + reach)));
    };
    const int x0 = first(from.x, to.x);
    const int x1 = last(from.x, to.x);
    const int y0 = first(from.y, to.y);
    const int y1 = last(from.y, to.y);
    const auto dx = static_cast<float>(to.x - from.x);
    const auto dy = static_cast<float>(to.y - from.y);
    // The lower limit avoids a division by 0 if both ends coincide.
    const float per_square = 1 / std::max(1e-9F, dx * dx + dy * dy);
    for (int y = y0; y <= y1; ++y) {
      float* row = &nearest_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_)];
      const auto py = static_cast<float>(y - from.y);
      for (int x = x0; x <= x1; ++x) {
        const auto px = static_cast<float>(x - from.x);
        // Position of the nearest point along the piece, 0 to 1.
        const float t = std::clamp((px * dx + py * dy) * per_square, 0.0F, 1.0F);
        const float ex = px - t * dx;
        const float ey = py - t * dy;
        row[x] = std::min(row[x], ex * ex + ey * ey);
      }
    }
  }

  int size_;
  std::vector<float> nearest_;  // [size, size]: squared distance to the strokes, pixels^2
};

}  // namespace

Pictures draw_digits(std::int64_t n, int size, std::uint64_t seed) {
  if (n < 0) throw UsageError(fmt::format("{} digits were requested", n), "request 0 or more");
  if (size < 8 || size > 512)
    throw UsageError(fmt::format("digits of {} pixels cannot be drawn", size),
                     "choose a size from 8 to 512");
  const Random whole(seed);
  Pictures set{.images = at::empty({n, size, size}, at::kByte),
               .labels = at::empty({n}, at::kLong)};
  auto* labels = set.labels.data_ptr<std::int64_t>();
  // Classes are balanced: each ten digits are a permutation, and the last ones may be incomplete.
  for (std::int64_t round = 0; round * 10 < n; ++round) {
    const auto order = whole.split("classes", round).permutation(10);
    std::copy_n(order.begin(), std::min<std::int64_t>(10, n - round * 10), labels + round * 10);
  }
  auto* pixels = set.images.data_ptr<std::uint8_t>();
  std::vector<Pen> pens(static_cast<std::size_t>(count_workers(n, at::get_num_threads())),
                        Pen(size));
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    pens[static_cast<std::size_t>(worker)].draw(labels[i], whole.split("digit", i),
                                                pixels + i * size * size);
  });
  return set;
}

}  // namespace reprise::datasets
