// Gaps in a clip: runs of badly visible frames among clear ones.
//
// A clip alternates between clear runs and gaps and starts at a random place. All frames of a gap
// are damaged in one way:
//
// - hidden: a box or an ellipse covers the middle of the picture
// - dark: most of the light is lost, but not the camera's noise
// - blurred: the mean along a line, as from a shaken camera
// - defocused: a Gaussian low-pass, as from a wrong focus
// - frozen: the frame before the gap is delivered again
// - jumped: the face's window is displaced and has the wrong size
//
// Frozen and jumped frames are not made from the picture: apply() leaves it alone, and the renderer
// of the scene queries at(). Inside a gap a frame carries little information. Earlier frames remain
// valid, apart from the motion since. Everything is drawn once per clip, so a frame depends on the
// clip's gaps and its own number alone.
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
  double dark_loss = 0.97, dark_std_dev = 10;  ///< fraction of light lost; noise, gray levels
  double blur_length = 0.5;                    ///< over the picture's side
  double defocus_radius = 0.1;                 ///< standard deviation, over the picture's side
};

class Gaps {
 public:
  /// degradation: probability that a gap occurs, and factor on its strength; 0: every frame is
  /// clear.
  Gaps(std::int64_t frames, double degradation, const GapOptions& options, Random& random);
  /// Whether frame t lies in a gap.
  bool damages(std::int64_t t) const { return find_gap(t) != nullptr; }
  /// Gap of a frame.
  struct At {
    Damage kind = Damage::Hidden;
    std::int64_t first = 0;  ///< first frame of the gap; negative if the clip begins within it
    double strength = 0;     ///< 0 to 1
    double angle = 0;        ///< radians, 0 to pi
  };
  /// Returns the gap of frame t. Empty: the frame is clear.
  std::optional<At> at(std::int64_t t) const;
  /// Damages the picture of frame t, unless it is clear. Landmarks stay.
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
