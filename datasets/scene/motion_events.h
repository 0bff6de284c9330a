// Temporary disturbances of a camera's picture: passing occluders, motion blur, noise, low light,
// flicker.
//
// An event has a middle and a half-width in frames. Its envelope is (1 + cos(pi (t - middle) /
// half-width)) / 2 inside and 0 outside. Everything is drawn once per clip, so a frame depends on
// the clip's events and its own number alone.
#pragma once
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "datasets/scene/picture_damage.h"

namespace reprise::datasets {

struct EventOptions {
  /// Probability of the event per clip, and its strength at the peak. Both are multiplied by the
  /// clip's degradation. Sizes are fractions of the picture's side.
  double occluder_chance = 0.5;
  double occluder_size = 0.45;
  double blur_chance = 0.4, blur_length = 0.14;   ///< over the picture's side
  double noise_chance = 0.5, noise_std_dev = 30;  ///< gray levels
  double dark_chance = 0.4, dark_loss = 0.75;     ///< fraction of light lost
  /// Largest relative change of the light from frame to frame.
  double flicker_chance = 0.3;
  double flicker_depth = 0.3;
};

class MotionEvents {
 public:
  /// Draws all events of a clip. degradation 0: no event.
  MotionEvents(std::int64_t frames, double degradation, const EventOptions& options,
               Random& random);
  /// Damages the picture of frame t, in the order occluder, blur, light, noise. Landmarks stay.
  void apply(Canvas& canvas, std::int64_t t) const;

 private:
  struct Event {
    bool present = false;
    double middle = 0;
    double half_width = 1;
    double strength = 0;
    double at(double t) const;
  };
  struct PassingOccluder {
    Event event;
    double x = 0;
    double y = 0;
    double speed_x = 0;
    double speed_y = 0;
    Occluder shape;
  };
  void pass(Canvas& canvas, double t) const;
  void shine(Canvas& canvas, std::int64_t t) const;

  PassingOccluder occluder_;
  Event blur_;
  Event noise_;
  Event dark_;
  Event flicker_;
  double blur_angle_ = 0;
  std::vector<double> flicker_at_;
  std::uint64_t grain_ = 0;
};

}  // namespace reprise::datasets
