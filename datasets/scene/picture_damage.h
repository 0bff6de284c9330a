// Damage to single pictures: occlusion, motion blur, defocus, noise. Landmarks stay in place.
#pragma once
#include <cstdint>
#include <vector>

namespace reprise::datasets {

/// A picture during processing: [size, size, channels] floats, 0 to 255.
struct Canvas {
  std::int64_t size = 0;
  std::int64_t channels = 1;
  std::vector<float> pixels;
  std::vector<float> spare;
};

/// A box or an ellipse in front of the picture.
struct Occluder {
  bool round = false;
  double x = 0.5, y = 0.5, width = 0.5;  ///< centre and width, over the picture's side
  double high = 1;                       ///< height over width
  double tilt = 0;                       ///< radians
  /// Gray levels; amplitude of stripes across the occluder, gray levels.
  float colour[3]{}, stripe = 0;
};
void occlude(Canvas& canvas, const Occluder& occluder);

/// Averages along a line centred at each pixel (motion blur). length: pixels; nothing changes below
/// half a pixel.
void smear(Canvas& canvas, double length, double angle);

/// Applies a Gaussian low-pass of this standard deviation in pixels. The picture is reflected at
/// its border.
void defocus(Canvas& canvas, double std_dev);

/// Adds approximately Gaussian noise, determined by `grain`.
void add_noise(Canvas& canvas, float std_dev, std::uint64_t grain);

}  // namespace reprise::datasets
