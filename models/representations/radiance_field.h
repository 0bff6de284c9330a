// Objects in space that are networks: phi of Algorithm 1 as a NeRF, seen by cameras; a prior of
// images makes it an object.
//
//     gamma(p) = sin and cos of 2^k pi p / radius, k < frequencies
//     density, colour = MLP(gamma(p)), from which volume_rendering.h makes pixels; colour in [-1, 1], as the prior's images
//
// All is in a sphere around the origin: a ray is sampled where it is inside (and between near and
// far), in S equal pieces of length delta. One that misses it is background, and costs nothing.
// render() takes the middle of every piece; a step of fit() draws a place in each, and only some of
// the rays. The colour of a point is that from everywhere: no viewing direction goes in.
//
// World: z is up. psi: [V, 13]: object, then the 3x4 camera-to-world matrix row by row, with the
// columns right, down, forward, position. The pixel in row v, column u looks along ((u - c) /
// focal, (v - c) / focal, 1) in camera axes, c = (size - 1) / 2. Source: Mildenhall et al., NeRF,
// 2020, eq 3 (quadrature) and 4 (gamma).
#pragma once
#include <limits>
#include <vector>

#include "models/representations/representation.h"

namespace reprise::models {

/// A camera that looks at the origin, upright, from radius (cos e cos a, cos e sin a, sin e): [3,
/// 4], float64.
at::Tensor camera_to_world(double azimuth_deg, double elevation_deg, double radius);

struct RadianceFieldOptions {
  std::int64_t objects = 1;
  std::int64_t size = 0;  ///< of the square images, pixels
  double focal = 0;       ///< pixels
  double radius = 1;      ///< of the sphere that holds the object
  double near = 0, far = std::numeric_limits<double>::infinity();
  double background = 1;
  std::int64_t samples = 48;            ///< S, a ray
  std::int64_t width = 64, layers = 3;  ///< of the MLP: hidden layers
  std::int64_t frequencies = 6;         ///< the finest wave is radius / 2^(frequencies - 2) long
  std::int64_t cameras = 4;             ///< an object and round, drawn by views():
  double camera_radius = 4;             ///< all at this distance, from everywhere around, and
  double elevation_low = -10,
         elevation_high = 60;  ///< degrees; even over the part of the sphere that these bound
  std::int64_t rays = 1024;    ///< a step of fit(), over all objects and views
  FitSteps fit = {.steps = 15, .rate = 3e-3};
  std::uint64_t seed = 0;  ///< of the first weights, and of what fit() draws
};

class RadianceField : public LearnedRepresentation {
 public:
  /// Starts as a thin grey fog. UsageError: a size, count or length that is not above 0, near and
  /// far or the elevations in the wrong order.
  explicit RadianceField(const RadianceFieldOptions& options);
  std::int64_t objects() const override { return options_.objects; }
  at::Tensor views(Random& random) const override;
  /// [V, 3, size, size].
  at::Tensor render(const at::Tensor& psi) override;

 protected:
  /// Error: no ray of the views meets the sphere.
  std::pair<at::Tensor, at::Tensor> fitted(const at::Tensor& psi,
                                           const at::Tensor& target) override;

 private:
  /// The rays of all pixels of all views that meet the sphere: which pixel ([n], into V size^2) and
  /// object it is, and where it is inside.
  struct Rays {
    at::Tensor pixel, object, origin, direction, enter, leave;
    Rays chosen(const at::Tensor& index) const;
  };
  Rays rays_of(const at::Tensor& psi) const;
  /// [n, 3]. place: where in its piece a sample is, from 0 to 1: [n, samples], or one for all.
  at::Tensor pixels(const Rays& rays, const at::Tensor& place);

  RadianceFieldOptions options_;
  at::Tensor waves_,
      phases_;        ///< gamma(p) = sin(p waves + phases): [3, 6 frequencies], [6 frequencies]
  at::Tensor draws_;  ///< steps that fit() drew for
  std::vector<std::vector<at::Tensor>>
      fields_;  ///< an object: weight [in, out] and bias [out], a layer after the other
};

}  // namespace reprise::models
