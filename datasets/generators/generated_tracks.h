// Random head motion with the spectrum of recorded tracks: for users without recordings, and for
// fresh tracks in every seed.
//
//     x_a(t) = m_a + sum over j = 1 .. 256 of  p_aj cos(2 pi f_j t) + q_aj sin(2 pi f_j t)
//     p_aj, q_aj ~ N(0, V_a(band of f_j) / frequencies in the band)
//     m_a ~ N(centre, spread),   f_j = j / 512,   a = pitch, yaw, roll
//
// V_a is the variance of recorded tracks per band (motion_spectrum() of the 24 sequences of BIWI).
// A track varies from frame to frame like a recording. Yaw and roll correlate by -0.48 at each
// frequency. In degrees:
//
//                                                       pitch   yaw   roll
//     standard deviation of a track around its mean        21    30     12
//     centre of the mean m_a                              -12    -8      2
//     standard deviation of the mean m_a                   13     7      3
//     largest absolute angle                               80    75     65
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "datasets/pose_tracks.h"

namespace reprise::datasets {

/// Generates tracks with frames 0 .. frames - 1. Track i of a seed does not depend on their number.
/// UsageError: count < 0, frames < 1.
std::vector<PoseTrack> generate_tracks(std::int64_t count, std::int64_t frames, std::uint64_t seed);

inline constexpr std::int64_t spectrum_window = 256;  ///< frames
/// Band of motion_spectrum(): first and last multiple of 1 / 256 cycles per frame.
struct MotionBand {
  int first;
  int last;
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

/// Returns the variance of an angle in each band, degrees^2. angle: pitch, yaw or roll, from 0. It
/// averages
/// periodograms of half-overlapping windows of 256 frames, without their mean and under a Hann
/// window. Tracks must have no gaps; shorter tracks are ignored. UsageError: all tracks are
/// shorter.
std::array<double, motion_bands.size()> motion_spectrum(const std::vector<PoseTrack>& tracks,
                                                        std::size_t angle);

}  // namespace reprise::datasets
