// What goes wrong while a camera runs, and passes: gaps in a clip, runs of frames that show the
// scene badly or not at all, among clear ones.
//
// A clip is a sequence of clear runs and gaps in turn, entered at a random place. All frames of a
// gap are damaged in one way:
//     hidden      a box or an ellipse lies over the middle of the picture
//     dark        most of the light is lost, and the camera's noise is not
//     blurred     the mean along a line: the camera was shaken
//     defocused   a normal low-pass: the lens looked elsewhere
//     frozen      no new picture came: that of the frame before the gap is delivered again
//     jumped      whoever cuts the face out looks beside it, and is off in size
// The last two are not in the picture but in how it came about: apply() leaves it alone, and
// whoever draws the scene asks at(). What a frame within a gap still tells is little; what the
// frames before it told is still true but for the motion since. Everything is drawn once a clip, so
// that a frame depends on the clip's gaps and its own number alone.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/random.h"
#include "datasets/scene/picture_damage.h"

namespace reprise::datasets {

enum class Damage { Hidden, Dark, Blurred, Defocused, Frozen, Jumped };

struct GapOptions {
  std::int64_t clear_low = 2, clear_high = 4;  ///< frames of a clear run, each number alike
  std::int64_t gap_low = 1, gap_high = 4;      ///< frames of a gap
  std::vector<Damage> kinds{Damage::Hidden, Damage::Dark, Damage::Blurred,
                            Damage::Defocused};  ///< of a gap, each alike
  double hidden_size = 0.8;                      ///< width over the picture's side
  double dark_loss = 0.97, dark_deviation = 10;  ///< share of the light; gray levels of noise
  double blur_length = 0.5,
         defocus_radius = 0.1;  ///< over the picture's side; the radius is a standard deviation
};

class Gaps {
 public:
  /// degradation: the chance that a gap takes place, and its strength as a share of the options';
  /// 0: every frame is clear.
  Gaps(std::int64_t frames, double degradation, const GapOptions& options, Random& random);
  /// Whether frame t lies in a gap.
  bool damages(std::int64_t t) const { return gap_of(t) != nullptr; }
  /// The gap of frame t; none: it is clear.
  struct At {
    Damage kind = Damage::Hidden;
    std::int64_t first = 0;  ///< its first frame; below 0 where the clip begins within it
    double strength = 0;     ///< 0 to 1
    double angle = 0;        ///< radians, 0 to pi
  };
  std::optional<At> at(std::int64_t t) const;
  /// Changes the picture of frame t, or leaves a clear one as it is. Where the landmarks lie is not
  /// changed.
  void apply(Canvas& canvas, std::int64_t t) const;

 private:
  struct Gap {
    Damage kind = Damage::Hidden;
    std::int64_t first = 0, after = 0;  // frames [first, after)
    double strength = 0;
    double angle = 0;
    Occluder occluder = {};
  };
  const Gap* gap_of(std::int64_t t) const;
  static Gap drawn(Damage kind, double degradation, Random& random);

  GapOptions options_;
  std::vector<Gap> gaps_;
  std::uint64_t grain_ = 0;
};

}  // namespace reprise::datasets
