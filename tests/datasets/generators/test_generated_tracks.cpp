// Protects: generated head motion has the statistics that its header states, in range and at every
// frequency, and each track is its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "datasets/generators/generated_tracks.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

TEST(GeneratedTracks, HaveTheStatisticsTheyState) {
  constexpr std::size_t frames = 512;
  const auto tracks = generate_tracks(400, frames, 5);
  std::array<double, 3> mean{}, square{};
  double yaw_roll = 0, count = 0;
  for (const auto& t : tracks) {
    std::array<double, 3> centre{};
    for (std::size_t a = 0; a < 3; ++a)
      for (const double v : t.angle[a]) centre[a] += v / frames;
    for (std::size_t i = 0; i < frames; ++i, ++count) {
      for (std::size_t a = 0; a < 3; ++a)
        mean[a] += t.angle[a][i], square[a] += std::pow(t.angle[a][i] - centre[a], 2);
      yaw_roll += (t.angle[1][i] - centre[1]) * (t.angle[2][i] - centre[2]);
    }
  }
  const std::array<double, 3> expected_mean{-12, -8, 2}, expected_deviation{15.4, 30, 10.4};
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_NEAR(mean[a] / count, expected_mean[a], 2.5);
    EXPECT_NEAR(std::sqrt(square[a] / count), expected_deviation[a], 0.1 * expected_deviation[a]);
  }
  EXPECT_NEAR(yaw_roll / std::sqrt(square[1] * square[2]), -0.48, 0.1);
}

TEST(GeneratedTracks, AreAsRestlessAsRecordedOnesAtEveryFrequencySlow) {
  const auto tracks = generate_tracks(200, 512, 6);
  const std::array<double, 13> pitch{98, 76, 34, 20, 4.3, 1.5, 1.1, .33, .10, .08, .06, .06, .06};
  const auto spectrum = motion_spectrum(tracks, 0);
  // the window spreads what the first bands have over their neighbours; a band of fast motion is
  // its own
  for (std::size_t b = 5; b < pitch.size(); ++b)
    EXPECT_NEAR(spectrum[b], pitch[b], 0.15 * pitch[b]) << b;
  double slow = 0;
  for (std::size_t b = 0; b < 5; ++b) slow += spectrum[b];
  EXPECT_NEAR(slow, 185, 35)
      << "of 232, less what is slower than the window, which takes its mean away";
}

TEST(GeneratedTracks, AreTheSameHoweverManyThereAre) {
  EXPECT_EQ(generate_tracks(3, 20, 5)[2].angle, generate_tracks(8, 20, 5)[2].angle);
  EXPECT_NE(generate_tracks(3, 20, 5)[2].angle, generate_tracks(3, 20, 6)[2].angle);
  EXPECT_THAT([] { generate_tracks(1, 0, 0); }, ThrowsUsageError(HasSubstr("tracks of 0 frames")));
}

TEST(MotionSpectrum, FindsAWaveInItsBandWithItsVariance) {
  PoseTrack track{.sequence = "wave"};
  for (int t = 0; t < 600; ++t) {
    track.frame.push_back(t);
    const double turn = 2 * std::numbers::pi * t / spectrum_window;
    track.angle[0].push_back(5 + 3 * std::cos(26 * turn + 1));
    track.angle[1].push_back(2 * std::cos(128 * turn));
    track.angle[2].push_back(1);
  }
  const auto of_pitch = motion_spectrum({track}, 0), of_yaw = motion_spectrum({track}, 1),
             of_roll = motion_spectrum({track}, 2);
  EXPECT_NEAR(of_pitch[8], 4.5, 0.01);  // bins 23 to 32; the variance is 3^2 / 2
  EXPECT_NEAR(of_pitch[3], 0, 1e-6);
  EXPECT_NEAR(of_yaw[12], 4, 0.05);  // half a cycle a frame: 2, -2, 2, ...
  for (const double variance : of_roll) EXPECT_NEAR(variance, 0, 1e-9);
  EXPECT_THAT([&] { motion_spectrum(generate_tracks(2, 255, 1), 0); },
              ThrowsUsageError(HasSubstr("256 frames")));
}

}  // namespace
}  // namespace reprise::datasets
