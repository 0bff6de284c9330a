#include "models/representations/radiance_field.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "models/representations/volume_rendering.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Refuses options out of range.
void check(const RadianceFieldOptions& o) {
  if (o.objects < 1 || o.size < 1 || o.samples < 1 || o.width < 1 || o.layers < 1 ||
      o.frequencies < 1 || o.cameras < 1 || o.rays < 1)
    throw UsageError(
        fmt::format(
            "{} radiance fields of {} layers of {} with {} frequencies, {} samples a ray, {} rays a step, {} cameras of "
            "{} pixels",
            o.objects, o.layers, o.width, o.frequencies, o.samples, o.rays, o.cameras, o.size),
        "give at least 1 of each");
  // A comparison with NaN is false, so that NaN is refused too.
  if (!(o.focal > 0 && o.radius > 0 && o.camera_radius > 0 && o.near >= 0 && o.far > o.near))
    throw UsageError(
        fmt::format(
            "a camera of focal length {} at {} that sees a sphere of radius {} from {} to {}",
            o.focal, o.camera_radius, o.radius, o.near, o.far),
        "give lengths above 0, and far beyond near");
  if (!(o.elevation_low >= -90 && o.elevation_high <= 90 && o.elevation_low <= o.elevation_high))
    throw UsageError(
        fmt::format("cameras at elevations from {} to {}", o.elevation_low, o.elevation_high),
        "give degrees from -90 to 90");
}

/// Draws the weights and biases of one field.
std::vector<at::Tensor> first_layers(const RadianceFieldOptions& o,
                                     const at::Generator& generator) {
  std::vector<at::Tensor> layers;
  auto in = 6 * o.frequencies;
  for (std::int64_t layer = 0; layer <= o.layers; ++layer) {
    const bool last = layer == o.layers;
    const auto out = last ? 4 : o.width;
    // He's initialisation; a small last layer gives a uniform start.
    layers.push_back((last ? 0.1 : std::numbers::sqrt2) / std::sqrt(static_cast<double>(in)) *
                     at::randn({in, out}, generator));
    layers.push_back(at::zeros({out}));
    in = out;
  }
  // Thin fog: half the light of a ray through the whole sphere passes.
  layers.back()[0] = -3.3;
  return layers;
}

}  // namespace

at::Tensor camera_to_world(double azimuth_deg, double elevation_deg, double radius) {
  const double ca = std::cos(azimuth_deg * kDegree);
  const double sa = std::sin(azimuth_deg * kDegree);
  const double ce = std::cos(elevation_deg * kDegree);
  const double se = std::sin(elevation_deg * kDegree);
  return at::tensor({-sa, se * ca, -ce * ca, radius * ce * ca,  //
                     ca, se * sa, -ce * sa, radius * ce * sa,   //
                     0.0, -ce, -se, radius * se},
                    at::kDouble)
      .view({3, 4});
}

RadianceField::RadianceField(const RadianceFieldOptions& options)
    : LearnedRepresentation(options.fit), options_(options) {
  check(options_);
  // gamma(p) as one product: a column per axis and frequency.
  const auto wave =
      std::numbers::pi / options_.radius * at::pow(2, at::arange(options_.frequencies, at::kFloat));
  const auto of_axes = at::kron(at::eye(3), wave.unsqueeze(0));
  waves_ = register_buffer("waves", at::cat({of_axes, of_axes}, 1));
  // The phase pi / 2 turns the second half into cosines.
  phases_ = register_buffer("phases", at::tensor({0.0F, static_cast<float>(std::numbers::pi / 2)})
                                          .repeat_interleave(of_axes.size(1)));
  draws_ = register_buffer("draws", at::zeros({}, at::kLong));
  const auto generator = training::torch_generator(options_.seed);
  for (std::int64_t object = 0; object < options_.objects; ++object) {
    auto layers = first_layers(options_, generator);
    for (std::size_t i = 0; i < layers.size(); ++i)
      layers[i] = register_parameter(
          fmt::format("object{}_{}{}", object, i % 2 == 0 ? "weight" : "bias", i / 2), layers[i]);
    fields_.push_back(std::move(layers));
  }
}

at::Tensor RadianceField::views(Random& random) const {
  const double low = std::sin(options_.elevation_low * kDegree);
  const double high = std::sin(options_.elevation_high * kDegree);
  std::vector<at::Tensor> rows;
  for (std::int64_t object = 0; object < options_.objects; ++object)
    for (std::int64_t camera = 0; camera < options_.cameras; ++camera) {
      // Uniform on the sphere between the elevations: uniform in azimuth and in sin(elevation).
      const double azimuth = random.uniform(0, 360);
      const double elevation = std::asin(low + (high - low) * random.uniform()) / kDegree;
      const auto pose = camera_to_world(azimuth, elevation, options_.camera_radius).view({12});
      rows.push_back(at::cat({at::full({1}, object, at::kDouble), pose}));
    }
  return at::stack(rows);
}

RadianceField::Rays RadianceField::Rays::select(const at::Tensor& index) const {
  const auto some = [&](const at::Tensor& all) { return all.index_select(0, index); };
  return {some(pixel), some(object), some(origin), some(direction), some(enter), some(leave)};
}

RadianceField::Rays RadianceField::make_rays(const at::Tensor& psi) const {
  const auto size = options_.size;
  const auto V = psi.size(0);
  const auto pose = psi.slice(1, 1).view({V, 3, 4}).to(waves_.options());
  // Directions of pixels in camera axes, then in world axes.
  const auto along =
      (at::arange(size, waves_.options()) - 0.5 * static_cast<double>(size - 1)) / options_.focal;
  const auto u = along.expand({size, size}).reshape({-1});
  const auto v = along.repeat_interleave(size);
  const auto camera = at::stack({u, v, at::ones_like(u)});
  auto direction = at::matmul(pose.slice(2, 0, 3), camera).transpose(1, 2);  // [V, size^2, 3]
  direction = direction / direction.norm(2, 2, true);
  const auto origin = pose.select(2, 3).unsqueeze(1);
  // Solve |origin + t direction| = radius for t.
  const auto middle = -(origin * direction).sum(2);
  const auto half_squared =
      middle.square() - origin.square().sum(2) + options_.radius * options_.radius;
  const auto half = half_squared.clamp_min(0).sqrt();
  const auto enter = (middle - half).clamp_min(options_.near);
  const auto leave = (middle + half).clamp_max(options_.far);
  // Rays that miss the sphere show the background and need no samples.
  const auto hit = at::nonzero((leave > enter).logical_and(half_squared > 0).view(-1)).view(-1);
  const auto object =
      psi.select(1, 0).to(at::kLong).to(waves_.device()).repeat_interleave(size * size);
  const auto pixel = at::arange(V * size * size, object.options());
  const Rays all{pixel,
                 object,
                 origin.expand_as(direction).reshape({-1, 3}),
                 direction.reshape({-1, 3}),
                 enter.view(-1),
                 leave.view(-1)};
  return all.select(hit);
}

at::Tensor RadianceField::pixels(const Rays& rays, const at::Tensor& place) {
  // Pieces of equal length, with one sample each at the fraction `place` of the piece.
  const auto delta = (rays.leave - rays.enter) / options_.samples;
  const auto piece = at::arange(options_.samples, delta.options()) + place;
  const RaySamples samples{rays.origin, rays.direction,
                           at::addcmul(rays.enter.unsqueeze(1), delta.unsqueeze(1), piece), delta};
  const FieldForm form{
      .waves = waves_,
      .phases = phases_,
      .density_scale = 10 / options_.radius,  // density per unit length where softplus(raw) is 1
      .background = options_.background};
  // One field needs no grouping of rays by object.
  if (options_.objects == 1) return render_rays(samples, form, fields_[0]).t();
  std::vector<at::Tensor> parts;
  std::vector<at::Tensor> order;
  for (std::int64_t object = 0; object < options_.objects; ++object) {
    const auto own = at::nonzero(rays.object == object).view(-1);
    if (own.numel() == 0) continue;
    const auto some = [&](const at::Tensor& all) { return all.index_select(0, own); };
    const RaySamples of_object{some(samples.origin), some(samples.direction),
                               some(samples.distance), some(samples.delta)};
    parts.push_back(render_rays(of_object, form, fields_[static_cast<std::size_t>(object)]));
    order.push_back(own);
  }
  // The parts are in order of objects; bring them back into the order of rays.
  return at::cat(parts, 1).t().index_select(0, at::cat(order).argsort());
}

at::Tensor RadianceField::render(const at::Tensor& psi) {
  const auto rays = make_rays(psi);
  const auto size = options_.size;
  auto image = at::full({psi.size(0) * size * size, 3}, options_.background, waves_.options());
  if (rays.pixel.numel() > 0)
    image = image.index_copy(0, rays.pixel, pixels(rays, at::full({}, 0.5, waves_.options())));
  return image.view({-1, size, size, 3}).permute({0, 3, 1, 2}).contiguous();
}

std::pair<at::Tensor, at::Tensor> RadianceField::select_fit_pair(const at::Tensor& psi,
                                                                 const at::Tensor& target) {
  auto rays = make_rays(psi);
  if (rays.pixel.numel() == 0)
    throw Error(fmt::format("no ray of {} views meets the sphere of radius {} around the origin",
                            psi.size(0), options_.radius),
                "give cameras that look at the origin, between near and far");
  // draws_ is part of the state, so that a resumed fit continues the same stream.
  const auto draw = draws_.item<std::int64_t>();
  draws_.add_(1);
  const auto generator =
      training::torch_generator(Random(options_.seed).split("rays", draw).below(INT64_MAX));
  const auto drawn =
      at::randint(rays.pixel.numel(), {options_.rays}, generator, at::kLong).to(waves_.device());
  rays = rays.select(drawn);
  const auto place =
      at::rand({options_.rays, options_.samples}, generator, waves_.options().device(at::kCPU))
          .to(waves_.device());
  const auto wanted = target.permute({0, 2, 3, 1}).reshape({-1, 3}).index_select(0, rays.pixel);
  return {pixels(rays, place), wanted};
}

}  // namespace reprise::models
