// Gaps in a clip: runs of consecutive damaged frames between clear frames.
//
// Clear runs and gaps alternate. The clip starts at a random place of this pattern. All frames of a
// gap have the same kind of damage:
//
// - hidden: a box or an ellipse covers the middle of the picture
// - dark: most of the light is lost, and the camera's noise remains
// - blurred: the mean along a line, as from a shaken camera
// - defocused: a Gaussian low-pass, as from a wrong focus
// - frozen: the frame before the gap is repeated
// - jumped: the face window has a wrong position and size
//
// apply() makes the first four kinds from the picture of the frame. It does not change frozen and
// jumped frames: the caller asks at() for them, and renders another frame or window.
// A tracker gets little information from damaged frames, so it has to use earlier ones. All gaps
// are drawn in the constructor. A frame then depends only on them and on its number.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/random.h"
#include "datasets/scene/picture_damage.h"

namespace reprise::datasets {

enum class Damage { Hidden, Dark, Blurred, Defocused, Frozen, Jumped };

struct GapOptions {
  std::int64_t clear_low = 2, clear_high = 4;  ///< frames of a clear run, uniform
  std::int64_t gap_low = 1, gap_high = 4;      ///< frames of a gap
  /// Kinds of damage, with equal probability.
  std::vector<Damage> kinds{Damage::Hidden, Damage::Dark, Damage::Blurred, Damage::Defocused};
  double hidden_size = 0.8;                    ///< width over the picture's side
  double dark_loss = 0.97, dark_std_dev = 10;  ///< fraction of light lost; noise in gray levels
  double blur_length = 0.5;                    ///< over the picture's side
  double defocus_radius = 0.1;                 ///< standard deviation, over the picture's side
};

class Gaps {
 public:
  /// degradation: probability of each gap, and factor of its strength, 0 to 1. 0: no gaps.
  Gaps(std::int64_t frames, double degradation, const GapOptions& options, Random& random);
  /// Whether frame t lies in a gap.
  bool damages(std::int64_t t) const { return find_gap(t) != nullptr; }
  /// The gap that contains a frame.
  struct At {
    Damage kind = Damage::Hidden;
    std::int64_t first = 0;  ///< first frame of the gap; negative if the clip begins within it
    double strength = 0;     ///< 0 to 1
    double angle = 0;        ///< radians, 0 to pi
  };
  /// Returns the gap that contains frame t; nothing if the frame is clear.
  std::optional<At> at(std::int64_t t) const;
  /// Damages the picture of frame t, unless the frame is clear. Landmarks stay in place.
  void apply(Canvas& canvas, std::int64_t t) const;

 private:
  struct Gap {
    Damage kind = Damage::Hidden;
    std::int64_t first = 0, after = 0;  // frames [first, after)
    double strength = 0;
    double angle = 0;
    Occluder occluder = {};
  };
  const Gap* find_gap(std::int64_t t) const;
  static Gap draw_gap(Damage kind, double degradation, Random& random);

  GapOptions options_;
  std::vector<Gap> gaps_;
  std::uint64_t grain_ = 0;
};

}  // namespace reprise::datasets
