// What spoils a picture: something in front of it, a smear, a lens out of focus, noise. Landmarks
// stay where they are.
#pragma once
#include <cstdint>
#include <vector>

namespace reprise::datasets {

/// A picture in work: [size, size, channels] floats, 0 to 255.
struct Canvas {
  std::int64_t size = 0, channels = 1;
  std::vector<float> pixels, spare;
};

/// A box or an ellipse in front of the picture.
struct Occluder {
  bool round = false;
  double x = 0.5, y = 0.5, width = 0.5;  ///< middle and width over the picture's side
  double high = 1;                       ///< height over width
  double tilt = 0;                       ///< radians
  float colour[3]{}, stripe = 0;         ///< gray levels; of stripes across it
};
void occlude(Canvas& canvas, const Occluder& occluder);

/// The mean along a line through each pixel, as long to one side as to the other: what was at a
/// place stays the middle of its streak. length: pixels; below the half of one nothing changes.
void smear(Canvas& canvas, double length, double angle);

/// A normal low-pass of this standard deviation, pixels; beyond the border the picture is
/// reflected.
void defocus(Canvas& canvas, double deviation);

/// Nearly normal noise, the same for the same `grain`.
void add_noise(Canvas& canvas, float deviation, std::uint64_t grain);

}  // namespace reprise::datasets
