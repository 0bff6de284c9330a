// Objects in space as networks: phi of Algorithm 1 is a NeRF seen by cameras. A prior of images
// shapes it.
//
//     gamma(p) = sin and cos of 2^k pi p / radius, k < frequencies
//     density, colour = MLP(gamma(p)); volume_rendering.h makes pixels of them; colour in [-1, 1]
//
// The object is in a sphere around the origin. A ray is sampled inside the sphere (and between near
// and far) in S equal pieces of length delta. A ray that misses it is background and costs nothing.
// render() samples the middle of every piece. A step of fit() draws a random position in each
// piece, and only some rays. Colour does not depend on the viewing direction.
//
// Axes: z is up. psi: [V, 13]: object, then the 3x4 camera-to-world matrix row by row, with the
// columns right, down, forward, position. In camera axes the pixel in row v and column u looks along
//     ((u - c) / focal, (v - c) / focal, 1),   c = (size - 1) / 2
//
// Source: Mildenhall et al., NeRF, 2020: the quadrature and gamma.
#pragma once
#include <limits>
#include <vector>

#include "models/representations/representation.h"

namespace reprise::models {

/// Matrix [3, 4], float64, of an upright camera that looks at the origin from radius (cos e cos a,
/// cos e sin a, sin e).
at::Tensor camera_to_world(double azimuth_deg, double elevation_deg, double radius);

struct RadianceFieldOptions {
  std::int64_t objects = 1;
  std::int64_t size = 0;  ///< side of the square images, pixels
  double focal = 0;       ///< focal length, pixels
  double radius = 1;      ///< radius of the sphere around the object
  double near = 0;
  double far = std::numeric_limits<double>::infinity();
  double background = 1;
  std::int64_t samples = 48;     ///< S, per ray
  std::int64_t width = 64;       ///< width of the MLP's hidden layers
  std::int64_t layers = 3;       ///< number of the MLP's hidden layers
  std::int64_t frequencies = 6;  ///< the finest wavelength is radius / 2^(frequencies - 2)
  std::int64_t cameras = 4;      ///< cameras per object and round, drawn by views()
  double camera_radius = 4;      ///< distance of all cameras from the origin
  /// Elevations of cameras, degrees; uniform on the part of the sphere between them.
  double elevation_low = -10;
  double elevation_high = 60;
  std::int64_t rays = 1024;  ///< rays per step of fit(), over all objects and views
  FitSteps fit = {.steps = 15, .rate = 3e-3};
  std::uint64_t seed = 0;  ///< seed of the initial weights and of fit()
};

class RadianceField : public LearnedRepresentation {
 public:
  /// Starts as thin grey fog. UsageError: a size, count or length that is not above 0; near and far
  /// or the elevations in the wrong order.
  explicit RadianceField(const RadianceFieldOptions& options);
  std::int64_t objects() const override { return options_.objects; }
  at::Tensor views(Random& random) const override;
  /// [V, 3, size, size].
  at::Tensor render(const at::Tensor& psi) override;

 protected:
  /// Error: no ray of the views meets the sphere.
  std::pair<at::Tensor, at::Tensor> select_fit_pair(const at::Tensor& psi,
                                                    const at::Tensor& target) override;

 private:
  /// All rays of all views that meet the sphere: number of the pixel ([n], among V size^2), number
  /// of the object, and the segment inside the sphere.
  struct Rays {
    at::Tensor pixel;
    at::Tensor object;
    at::Tensor origin;
    at::Tensor direction;
    at::Tensor enter;
    at::Tensor leave;
    Rays select(const at::Tensor& index) const;
  };
  Rays make_rays(const at::Tensor& psi) const;
  /// Pixels [n, 3]. place: relative position of a sample in its piece, 0 to 1: [n, samples], or one
  /// for all.
  at::Tensor pixels(const Rays& rays, const at::Tensor& place);

  RadianceFieldOptions options_;
  at::Tensor waves_;   ///< gamma(p) = sin(p waves + phases): [3, 6 frequencies]
  at::Tensor phases_;  ///< [6 frequencies]
  at::Tensor draws_;   ///< number of steps that fit() drew for
  /// Layers of each object: weight [in, out] and bias [out] in turn.
  std::vector<std::vector<at::Tensor>> fields_;
};

}  // namespace reprise::models
