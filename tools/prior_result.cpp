#include "tools/prior_result.h"

#include <torch/torch.h>

#include "datasets/formats/images.h"
#include "datasets/formats/wav.h"
#include "datasets/generators/solids.h"
#include "models/representations/canvas.h"
#include "models/representations/coordinate_images.h"
#include "models/representations/radiance_field.h"
#include "tools/prior_items.h"

namespace reprise::reproduce {
namespace {

/// Makes the canvas of a picture, panorama, sound or video; empty, or with the picture of --from.
std::unique_ptr<models::Canvas> make_canvas(const PreparedRun& run) {
  const auto& item = run.item();
  if (run.form.shape == Shape::Video) {
    const auto frames = item[0] / 3;
    return std::make_unique<models::Canvas>(
        torch::zeros({1, frames * run.length, 3, item[1], item[2]}),
        models::CanvasOptions{.axis = 0, .window = frames, .item = item});
  }
  const auto content =
      run.from.defined() ? run.from : torch::zeros({1, item[0], item[1], item[2] * run.length});
  return std::make_unique<models::Canvas>(
      content, models::CanvasOptions{.axis = 2,
                                     .window = item[2],
                                     .wrap = run.form.shape == Shape::Panorama && run.length > 1});
}

/// Makes a nerf with the camera of the training views (datasets/generators/solids.h).
std::unique_ptr<models::RadianceField> make_field(const PreparedRun& run) {
  const auto size = run.item()[1];
  return std::make_unique<models::RadianceField>(
      models::RadianceFieldOptions{.size = size,
                                   .focal = datasets::solid_focal(static_cast<int>(size)),
                                   .camera_radius = datasets::solid_distance,
                                   .elevation_low = 10,
                                   .elevation_high = 50,
                                   .fit = {.steps = 15, .rate = 5e-3},
                                   .seed = run.generation.synthesis.seed});
}

}  // namespace

std::unique_ptr<models::Representation> make_representation(const PreparedRun& run,
                                                            const at::Device& device) {
  if (run.form.shape == Shape::Field) {
    auto field = make_field(run);
    field->to(device);
    return field;
  }
  if (run.form.shape != Shape::Painting) {
    auto canvas = make_canvas(run);
    canvas->to(device);
    return canvas;
  }
  const auto& item = run.item();
  auto painting = std::make_unique<models::CoordinateImages>(
      models::CoordinateImagesOptions{.channels = item[0],
                                      .height = item[1],
                                      .width = item[2],
                                      .seed = run.generation.synthesis.seed});
  painting->to(device);
  return painting;
}

void fit_to_picture(models::Representation& phi, const PreparedRun& run) {
  constexpr int fits = 30;  // chosen by hand
  if (run.form.shape != Shape::Painting || !run.from.defined()) return;
  for (int i = 0; i < fits; ++i) phi.fit(torch::zeros({1, 1}, at::kDouble), run.from);
}

void restore_known(models::Representation& phi, const PreparedRun& run) {
  if (!run.known.defined()) return;
  const torch::NoGradGuard no_grad;
  auto content = dynamic_cast<models::Canvas&>(phi).content();
  content.copy_(at::where(run.known, run.from, content));
}

namespace {

/// Returns `count` views around the object: [count, 13], a row of 0 and a camera pose.
at::Tensor turntable_views(std::int64_t count) {
  constexpr double elevation = 25;  // degrees; training views have 10 to 50
  std::vector<at::Tensor> psi;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto pose = datasets::solid_pose(
        360.0 * static_cast<double>(i) / static_cast<double>(count), elevation);
    psi.push_back(at::cat({torch::zeros({1}, at::kDouble), pose.flatten()}));
  }
  return at::stack(psi);
}

/// Renders the complete canvas, the picture, or views of the object.
at::Tensor render_result(models::Representation& phi, const PreparedRun& run) {
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t strip = 8;          // views in a .png
  constexpr std::int64_t turn = 36;          // frames of a turntable video, 10 degrees apart
  constexpr std::int64_t views_at_once = 4;  // limits the memory
  if (auto* canvas = dynamic_cast<models::Canvas*>(&phi)) return canvas->content().detach();
  if (run.form.shape == Shape::Painting)
    return phi.render(torch::zeros({1, 1}, at::kDouble)).detach();
  std::vector<at::Tensor> views;
  for (const auto& psi : turntable_views(run.generation.out.extension() == ".png" ? strip : turn)
                             .split(views_at_once))
    views.push_back(phi.render(psi).detach());
  return at::cat(views);
}

}  // namespace

void write_result(models::Representation& phi, const PreparedRun& run) {
  constexpr double turntable_rate = 12;  // frames per second: one turn in three seconds
  const auto& out = run.generation.out;
  const auto x = render_result(phi, run);
  models::check_finite_views(x, "final rendering");
  if (run.form.shape == Shape::Sound)
    return datasets::write_wav(out,
                               convert_to_sound(run.prior, x[0], run.generation.synthesis.seed));
  if (run.form.shape == Shape::Video)
    return write_animation(out, convert_to_frames(run.prior, x.flatten(1, 2))[0],
                           frames_per_second);
  const auto pictures = convert_to_frames(run.prior, x).squeeze(1);
  if (run.form.shape == Shape::Field && out.extension() != ".png")
    return write_animation(out, pictures, turntable_rate);
  // [N, H, W, 3] -> [H, N W, 3]: views from left to right.
  datasets::write_png(out, pictures.permute({1, 0, 2, 3}).flatten(1, 2).contiguous());
}

}  // namespace reprise::reproduce
