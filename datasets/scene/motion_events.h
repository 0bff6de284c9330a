// What goes wrong while a camera runs: passing occluders, motion blur, noise, low light, flicker,
// each an event of a clip that comes and goes.
//
// An event has a middle and a half-width in frames; its envelope is (1 + cos(pi (t - middle) /
// half-width)) / 2 within them and 0 outside. Everything is drawn once a clip, so that a frame
// depends on the clip's events and its own number alone.
#pragma once
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "datasets/scene/picture_damage.h"

namespace reprise::datasets {

struct EventOptions {
  /// Chance that a clip has the event, and its strength at the peak; both are multiplied by the
  /// clip's degradation.
  double occluder_chance = 0.5, occluder_size = 0.45;  ///< size: width over the picture's side
  double blur_chance = 0.4, blur_length = 0.14;        ///< over the picture's side
  double noise_chance = 0.5, noise_deviation = 30;     ///< gray levels
  double dark_chance = 0.4, dark_loss = 0.75;          ///< share of the light that is lost
  double flicker_chance = 0.3,
         flicker_depth = 0.3;  ///< largest share of the light gained or lost from frame to frame
};

class MotionEvents {
 public:
  /// degradation 0: no event at all.
  MotionEvents(std::int64_t frames, double degradation, const EventOptions& options,
               Random& random);
  /// Changes the picture of frame t. Order: occluder, blur, light, noise. Where the landmarks lie
  /// is not changed.
  void apply(Canvas& canvas, std::int64_t t) const;

 private:
  struct Event {
    bool present = false;
    double middle = 0, half_width = 1, strength = 0;
    double at(double t) const;
  };
  struct PassingOccluder {
    Event event;
    double x = 0, y = 0, speed_x = 0, speed_y = 0;
    Occluder shape;
  };
  void pass(Canvas& canvas, double t) const;
  void shine(Canvas& canvas, std::int64_t t) const;

  PassingOccluder occluder_;
  Event blur_, noise_, dark_, flicker_;
  double blur_angle_ = 0;
  std::vector<double> flicker_at_;
  std::uint64_t grain_ = 0;
};

}  // namespace reprise::datasets
