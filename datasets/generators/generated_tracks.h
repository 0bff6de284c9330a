// Head motion for when no recorded tracks are at hand, or when every replicate needs its own:
// random, with the spectrum of recorded ones.
//
//     x_a(t) = m_a + sum over f_j = j / 512, j = 1 .. 256, of  p_aj cos(2 pi f_j t) + q_aj sin(2 pi f_j t)     a = pitch, yaw, roll
//     p_aj, q_aj ~ N(0, V_a(band of f_j) / frequencies in the band)                           m_a ~ N(centre, spread)
// with V_a the variance that recorded tracks have in each band (motion_spectrum() of the 24
// sequences of BIWI), so that a track deviates by about 21, 30 and 12 degrees from its mean and is
// as restless from frame to frame as they are. Yaw and roll correlate by -0.48 at each frequency;
// m_a is (-12, -8, 2) with deviations (13, 7, 3). Angles stay within (80, 75, 65).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "datasets/pose_tracks.h"

namespace reprise::datasets {

/// Frames 0 .. frames - 1 each; track i of a seed is the same however many there are. UsageError:
/// count < 0, frames < 1.
std::vector<PoseTrack> generated_tracks(std::int64_t count, std::int64_t frames,
                                        std::uint64_t seed);

inline constexpr std::int64_t spectrum_window = 256;  ///< frames
/// Of the bands of motion_spectrum(): first and last multiple of 1 / 256 cycles a frame.
struct MotionBand {
  int first, last;
};
inline constexpr std::array<MotionBand, 13> motion_bands{{{1, 1},
                                                          {2, 2},
                                                          {3, 3},
                                                          {4, 5},
                                                          {6, 7},
                                                          {8, 10},
                                                          {11, 15},
                                                          {16, 22},
                                                          {23, 32},
                                                          {33, 47},
                                                          {48, 68},
                                                          {69, 98},
                                                          {99, 128}}};

/// The variance of an angle (0 pitch, 1 yaw, 2 roll) in each band, degrees^2: periodograms of
/// windows of 256 frames, which overlap by half, less their mean and under a Hann window. Tracks
/// are without gaps; those that are shorter count for nothing. UsageError: all are shorter.
std::array<double, motion_bands.size()> motion_spectrum(const std::vector<PoseTrack>& tracks,
                                                        std::size_t angle);

}  // namespace reprise::datasets
