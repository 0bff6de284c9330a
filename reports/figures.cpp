#include "reports/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "core/csv.h"
#include "core/error.h"
#include "core/text.h"
#include "statistics/statistics.h"

namespace reprise::reports {
namespace {

/// Points of one seed.
struct Points {
  std::int64_t seed = 0;
  std::vector<double> x, y;
};

/// Reads a series of the confirmation seeds, or of all seeds if none of them has it. Bars with
/// names stand at 1, 2, 3, ...
std::vector<Points> read_points(const Series& series, const Figure& figure,
                                const Measured& measured) {
  const bool named = !figure.x_names.empty();
  std::vector<Points> out;
  for (const auto* record :
       measured.finished_records(series.table, series.dataset, series.method)) {
    const auto curves = measured.store().curves(record->cell);
    const auto y = curves.find(series.y);
    if (y == curves.end() || y->second.empty()) continue;
    Points points{.seed = record->cell.seed, .x = {}, .y = y->second};
    if (series.x.empty() || named) {
      points.x.resize(points.y.size());
      std::iota(points.x.begin(), points.x.end(), named ? 1.0 : figure.x_first);
    } else {
      const auto x = curves.find(series.x);
      if (x == curves.end()) continue;
      points.x = x->second;
    }
    if (points.x.size() != points.y.size())
      throw Error(
          fmt::format("the curves of {} differ in length: {} has {} points, {} has {}",
                      record->cell.id(), series.x, points.x.size(), series.y, points.y.size()),
          "run this cell again: remove its folder and repeat the run");
    // A curve of NaN alone, as of a diverged training, counts as no data.
    if (std::any_of(points.y.begin(), points.y.end(), [](double y) { return std::isfinite(y); }))
      out.push_back(std::move(points));
  }
  // Exploration seeds are shown only if no confirmation seed has the curve.
  const auto confirms = [&](const Points& points) { return measured.confirms(points.seed); };
  if (std::any_of(out.begin(), out.end(), confirms)) std::erase_if(out, std::not_fn(confirms));
  return out;
}

/// Subtracts `less` from the points of the same seed. Seeds without it are left out.
std::vector<Points> subtract(const std::vector<Points>& seeds, const std::vector<Points>& less) {
  std::vector<Points> out;
  for (const auto& points : seeds) {
    const auto other = std::find_if(less.begin(), less.end(),
                                    [&](const Points& p) { return p.seed == points.seed; });
    if (other == less.end()) continue;
    if (other->x != points.x)
      throw Error(fmt::format("two curves of seed {} are to be subtracted and have different x",
                              points.seed),
                  "run these cells again: remove their folders and repeat the run");
    out.push_back(points);
    for (std::size_t i = 0; i < points.y.size(); ++i) out.back().y[i] -= other->y[i];
  }
  return out;
}

/// Averages a series over seeds and adds its band. All seeds must have the same x. `clouds`: every
/// seed has its own x, and both coordinates are averaged. A series of one point is such a cloud.
void average_seeds(SeriesData& out, const std::vector<Points>& seeds, bool clouds,
                   std::vector<std::string>& remarks) {
  const auto shorter = [](const Points& a, const Points& b) { return a.y.size() < b.y.size(); };
  const auto [shortest, longest] = std::minmax_element(seeds.begin(), seeds.end(), shorter);
  // A mean over fewer seeds from some point on would have a step, so all end with the shortest.
  const auto length = shortest->y.size();
  if (length < longest->y.size())
    remarks.push_back(fmt::format("{} is cut at {} of {} points, where its first seed ends.",
                                  out.described.label, length, longest->y.size()));
  const bool anywhere = clouds || longest->y.size() == 1;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<double> values;
    double x = 0;
    for (const auto& points : seeds) {
      if (!anywhere && points.x[i] != seeds[0].x[i])
        throw Error(
            fmt::format(
                "series {} of {}/{}/{}: point {} is at x = {} in seed {} and at {} in seed {}",
                out.described.y, out.described.table, out.described.dataset, out.described.method,
                i + 1, seeds[0].x[i], seeds[0].seed, points.x[i], points.seed),
            "a mean over seeds needs the same x in each: describe the figure as Pooled or First, "
            "or run the older cells again");
      values.push_back(points.y[i]);
      x += points.x[i];
    }
    out.x.push_back(anywhere ? x / static_cast<double>(seeds.size()) : seeds[0].x[i]);
    out.y.push_back(std::accumulate(values.begin(), values.end(), 0.0) /
                    static_cast<double>(values.size()));
    if (clouds || values.size() < 2) continue;
    // A gap in the line is a gap in the band.
    statistics::Interval interval{.low = out.y.back(), .high = out.y.back()};
    if (std::isfinite(out.y.back())) interval = statistics::mean_interval(values);
    out.low.push_back(interval.low);
    out.high.push_back(interval.high);
  }
}

SeriesData collect_series(const Series& described, const Figure& figure, const Measured& measured,
                          std::vector<std::string>& remarks) {
  SeriesData out;
  out.described = described;
  auto seeds = read_points(described, figure, measured);
  if (figure.less) seeds = subtract(seeds, read_points(*figure.less, figure, measured));
  if (seeds.empty()) return out;
  // Seeds are sorted, confirmation seeds first.
  if (figure.seeds == SeedMerge::First) seeds.resize(1);
  for (const auto& points : seeds) out.seeds.push_back(points.seed);
  if (figure.seeds == SeedMerge::MeanAndBand) {
    average_seeds(out, seeds, figure.mark == Mark::Points, remarks);
    return out;
  }
  for (const auto& points : seeds) {
    out.x.insert(out.x.end(), points.x.begin(), points.x.end());
    out.y.insert(out.y.end(), points.y.begin(), points.y.end());
  }
  return out;
}

/// Names the seed of a figure of single seeds: "Seed 8.", with a note on an exploration seed.
std::string describe_single_seed(const Drawing& drawing, const Measured& measured) {
  std::set<std::int64_t> seeds;
  for (const auto& series : drawing.series) seeds.insert(series.seeds.begin(), series.seeds.end());
  if (seeds.size() != 1) return "One seed per series, the first.";
  return fmt::format(
      "Seed {}{}.", *seeds.begin(),
      measured.confirms(*seeds.begin()) ? "" : ", an exploratory seed without a verdict");
}

/// States how many seeds a figure shows and what its lines and bands mean.
std::string describe_seeds(const Drawing& drawing, const Measured& measured) {
  std::size_t least = SIZE_MAX, most = 0;
  bool band = false;
  for (const auto& series : drawing.series) {
    if (series.seeds.empty()) continue;
    least = std::min(least, series.seeds.size());
    most = std::max(most, series.seeds.size());
    band |= !series.low.empty();
  }
  std::string count = fmt::format("{} to {} seeds", least, most);
  if (least == most) count = fmt::format("{} seed{}", most, most == 1 ? "" : "s");
  switch (drawing.figure.seeds) {
    case SeedMerge::Pooled:
      return fmt::format("Points of {}.", count);
    case SeedMerge::First:
      return describe_single_seed(drawing, measured);
    case SeedMerge::MeanAndBand:
      break;
  }
  if (drawing.figure.mark == Mark::Matrix || drawing.figure.mark == Mark::Points)
    return fmt::format("Mean over {}.", count);
  if (!band) return fmt::format("{}, so no band.", count);
  return fmt::format("{} over {}{}. {}: its {} interval.",
                     drawing.figure.mark == Mark::Bars ? "Bar: mean" : "Line: mean", count,
                     drawing.figure.less ? ", of paired differences" : "",
                     drawing.figure.mark == Mark::Bars ? "Whisker" : "Band",
                     statistics::confidence_text());
}

}  // namespace

bool Drawing::empty() const {
  return std::all_of(series.begin(), series.end(), [](const auto& s) { return s.seeds.empty(); });
}

Drawing collect(const Figure& figure, const Measured& measured) {
  Drawing out{.figure = figure, .series = {}, .shaded = {}, .remarks = {}};
  std::vector<std::string> cuts, missing;
  for (const auto& described : figure.series) {
    out.series.push_back(collect_series(described, figure, measured, cuts));
    if (out.series.back().seeds.empty()) missing.push_back(described.label);
    auto bars = out.series.back().y.size();
    // A matrix is stored row by row; its names are those of one side.
    if (figure.mark == Mark::Matrix) {
      const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(bars))));
      if (side * side != bars)
        throw Error(fmt::format("figure {}: {} has {} values, which fill no square", figure.id,
                                described.label, bars),
                    "run its cells again: remove their folders and repeat the run");
      bars = side;
    }
    if (!figure.x_names.empty() && bars > figure.x_names.size())
      throw UsageError(fmt::format("figure {} names {} bars, but {} has {}", figure.id,
                                   figure.x_names.size(), described.label, bars),
                       "give one name a bar in x_names");
  }
  // One seed's steps are shaded, because the steps of several seeds would cover each other.
  if (figure.shade)
    if (const auto seeds = read_points(*figure.shade, figure, measured); !seeds.empty())
      for (std::size_t i = 0; i < seeds.front().y.size(); ++i)
        if (seeds.front().y[i] != 0) out.shaded.push_back(seeds.front().x[i]);
  if (!out.empty()) {
    out.remarks.push_back(describe_seeds(out, measured));
    if (!missing.empty()) out.remarks.push_back("No data for: " + first_few(missing, 6) + ".");
  }
  out.remarks.insert(out.remarks.end(), cuts.begin(), cuts.end());
  return out;
}

std::string csv(const Drawing& drawing) {
  std::string out =
      csv_line({"series", "table", "dataset", "method", "seeds", "x", "y", "low", "high"}) + "\n";
  for (const auto& series : drawing.series) {
    std::vector<std::string> seeds;
    for (const auto seed : series.seeds) seeds.push_back(std::to_string(seed));
    const auto& s = series.described;
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      const bool band = !series.low.empty();
      const auto text = [](double value) {
        return std::isfinite(value) ? number_text(value) : std::string();
      };
      out += csv_line({s.label, s.table, s.dataset, s.method, join(seeds, " "), text(series.x[i]),
                       text(series.y[i]), band ? text(series.low[i]) : "",
                       band ? text(series.high[i]) : ""}) +
             "\n";
    }
  }
  return out;
}

}  // namespace reprise::reports
