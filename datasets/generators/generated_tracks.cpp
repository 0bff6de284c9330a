#include "datasets/generators/generated_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/random.h"

namespace reprise::datasets {
namespace {

using Bands = std::array<double, motion_bands.size()>;

/// motion_spectrum() of BIWI's sequences: pitch, yaw, roll; degrees^2 per band.
constexpr std::array<Bands, 3> recorded_variance{
    {{98, 76, 34, 20, 4.3, 1.5, 1.1, .33, .10, .08, .06, .06, .06},
     {559, 288, 34, 19, 6.4, 2.6, .87, .29, .15, .06, .06, .06, .05},
     {43, 33, 13, 12, 3.6, 1.3, 1.1, .32, .18, .15, .15, .14, .13}}};
/// Mean of m_a, its standard deviation, and the largest angle of pitch, yaw and roll; degrees
/// (BIWI).
constexpr std::array<double, 3> centre{-12, -8, 2};
constexpr std::array<double, 3> apart{13, 7, 3};
constexpr std::array<double, 3> most{80, 75, 65};
/// Correlation of yaw and roll per frequency (BIWI).
constexpr double correlation = -0.48;
/// Number of frequencies, multiples of half a bin. A track thus repeats only after two windows.
constexpr std::size_t frequencies = spectrum_window;

/// Spreads the variance of an angle evenly over the frequencies of each band.
std::array<double, frequencies> spread_bands(std::size_t angle) {
  std::array<double, frequencies> variance{};
  for (std::size_t b = 0; b < motion_bands.size(); ++b) {
    // Bands count bins of the spectrum; frequencies here are half a bin apart.
    const auto first = 2 * motion_bands[b].first - 1;
    const auto last = 2 * motion_bands[b].last;
    for (int j = first; j <= last; ++j)
      variance[static_cast<std::size_t>(j - 1)] = recorded_variance[angle][b] / (last - first + 1);
  }
  return variance;
}

struct Wave {
  double cosine;
  double sine;
};
using Motion = std::array<std::array<Wave, frequencies>, 3>;

Motion random_motion(Random& random) {
  static const std::array<std::array<double, frequencies>, 3> variance{
      spread_bands(0), spread_bands(1), spread_bands(2)};
  // With this factor roll keeps unit variance.
  const double own = std::sqrt(1 - correlation * correlation);
  Motion motion{};
  for (std::size_t j = 0; j < frequencies; ++j) {
    std::array<Wave, 3> z{};
    for (auto& wave : z) {
      wave.cosine = random.normal();
      wave.sine = random.normal();
    }
    // Roll shares a part of yaw's motion.
    z[2] = {correlation * z[1].cosine + own * z[2].cosine,
            correlation * z[1].sine + own * z[2].sine};
    for (std::size_t a = 0; a < 3; ++a) {
      const double size = std::sqrt(variance[a][j]);
      motion[a][j] = {size * z[a].cosine, size * z[a].sine};
    }
  }
  return motion;
}

}  // namespace

std::vector<PoseTrack> generate_tracks(std::int64_t count, std::int64_t frames,
                                       std::uint64_t seed) {
  if (count < 0 || frames < 1)
    throw UsageError(fmt::format("{} tracks of {} frames were requested", count, frames),
                     "request 0 or more tracks of 1 or more frames");
  constexpr std::size_t period = 2 * frequencies;
  std::array<double, period> cosine{};
  std::array<double, period> sine{};
  for (std::size_t k = 0; k < period; ++k) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(k) / period;
    cosine[k] = std::cos(turn);
    sine[k] = std::sin(turn);
  }
  std::vector<PoseTrack> tracks;
  for (std::int64_t i = 0; i < count; ++i) {
    auto random = Random(seed).split("track", i);
    std::array<double, 3> mean{};
    for (std::size_t a = 0; a < 3; ++a) mean[a] = centre[a] + apart[a] * random.normal();
    const auto motion = random_motion(random);
    PoseTrack track{.sequence = fmt::format("generated{:03}", i)};
    for (std::int64_t t = 0; t < frames; ++t) {
      track.frame.push_back(t);
      for (std::size_t a = 0; a < 3; ++a) {
        double angle = mean[a];
        for (std::size_t j = 0; j < frequencies; ++j) {
          // Angles are multiples of 2 pi / period, so a table replaces 512 calls of cos and sin per
          // value.
          const auto k = (j + 1) * static_cast<std::size_t>(t) % period;
          angle += motion[a][j].cosine * cosine[k] + motion[a][j].sine * sine[k];
        }
        track.angle[a].push_back(std::clamp(angle, -most[a], most[a]));
      }
    }
    tracks.push_back(std::move(track));
  }
  return tracks;
}

std::array<double, motion_bands.size()> motion_spectrum(const std::vector<PoseTrack>& tracks,
                                                        std::size_t angle) {
  constexpr auto length = static_cast<std::size_t>(spectrum_window);
  const auto turn = [](std::size_t k) {
    return 2 * std::numbers::pi * static_cast<double>(k % length) / static_cast<double>(length);
  };
  Bands sum{};
  double windows = 0;
  for (const auto& track : tracks) {
    const auto& x = track.angle.at(angle);
    // Welch's method: windows overlap by half, and their spectra are averaged.
    for (std::size_t first = 0; first + length <= x.size(); first += length / 2, ++windows) {
      double mean = 0;
      for (std::size_t t = 0; t < length; ++t) mean += x[first + t] / static_cast<double>(length);
      for (std::size_t b = 0; b < motion_bands.size(); ++b)
        for (int k = motion_bands[b].first; k <= motion_bands[b].last; ++k) {
          double real = 0;
          double imaginary = 0;
          for (std::size_t t = 0; t < length; ++t) {
            // Without its mean and under a Hann window, a window leaks little between bands.
            const double weighted = (x[first + t] - mean) * 0.5 * (1 - std::cos(turn(t)));
            real += weighted * std::cos(turn(static_cast<std::size_t>(k) * t));
            imaginary += weighted * std::sin(turn(static_cast<std::size_t>(k) * t));
          }
          // Negative frequencies double the power, except at half a cycle per frame. A Hann window
          // keeps 3/8 of the power.
          const double both = 2 * k == static_cast<int>(length) ? 1 : 2;
          sum[b] += both * (real * real + imaginary * imaginary) /
                    (static_cast<double>(length * length) * 3 / 8);
        }
    }
  }
  if (windows == 0)
    throw UsageError(
        fmt::format("no track has {} frames, which its spectrum needs", spectrum_window),
        "give longer tracks");
  for (auto& variance : sum) variance /= windows;
  return sum;
}

}  // namespace reprise::datasets
