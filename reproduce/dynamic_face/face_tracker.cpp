#include "reproduce/dynamic_face/face_tracker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json.h"
#include "core/prefix_errors.h"
#include "datasets/formats/images.h"
#include "models/methods.h"
#include "reproduce/dynamic_face/cells.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {

using namespace dynamic_face_study;

namespace {

constexpr std::string_view trunk_prefix = "trunk.";
constexpr std::string_view network_prefix = "network.";

weights::StateDict select_prefix(const weights::StateDict& all, std::string_view prefix) {
  weights::StateDict state;
  for (const auto& [name, tensor] : all)
    if (name.starts_with(prefix)) state.emplace_back(name.substr(prefix.size()), tensor);
  return state;
}

constexpr auto expected_file =
    "give the tracker.safetensors of one of its cells: "
    "runs/dynamic_face/PROFILE/cells/pose/synhead/METHOD/seed0";

/// Checks the settings of a file against its tensors before anything is allocated, since settings
/// determine the size of the layers. Method::make builds layers of the sizes that these have.
/// UsageError: a setting out of range; a tensor that is missing or has another shape.
void check_sizes(const Method& method, const Settings& settings,
                 const weights::StateDict& tensors) {
  const auto damaged = "the file is damaged: fetch it again, or train the tracker again";
  const auto in_range = [&](const char* key, double value, double low, double high) {
    if (!(value >= low && value <= high))
      throw UsageError(fmt::format("setting {} is {}, expected {} to {}", key, value, low, high),
                       damaged);
  };
  // Far above any network of the study, and small enough to allocate.
  in_range("image.size", static_cast<double>(settings.integer("image.size")), 1, 4096);
  in_range("cnn.width", static_cast<double>(settings.integer("cnn.width")), 1, 1 << 20);
  in_range("cnn.trunk (letters)", static_cast<double>(settings.text("cnn.trunk").size()), 0, 1000);
  const auto expect = [&](const std::string& keys, const std::string& name,
                          const std::vector<std::int64_t>& shape) {
    const auto found = std::ranges::find(tensors, name, &weights::StateDict::value_type::first);
    if (found == tensors.end())
      throw UsageError(fmt::format("{} require a tensor {}, which is missing", keys, name),
                       damaged);
    if (found->second.sizes() != at::IntArrayRef(shape))
      throw UsageError(fmt::format("{} require {} of shape [{}], but it is [{}]", keys, name,
                                   fmt::join(shape, ", "), fmt::join(found->second.sizes(), ", ")),
                       damaged);
  };
  for (const auto& stage :
       models::small_network_stages(network_options(method.output(), settings))) {
    if (stage.outputs == 0) continue;  // pooling has no weights
    std::vector<std::int64_t> shape{stage.outputs, stage.inputs};
    shape.insert(shape.end(), stage.window.size.begin(), stage.window.size.end());
    expect("settings image.size, cnn.trunk and cnn.width",
           fmt::format("{}{}.weight", trunk_prefix, stage.path), shape);
  }
  // The linear network on estimates has a fixed number of units.
  if (method.sees == Method::Sees::Estimates && method.cell != models::RecurrentCell::Linear) {
    const auto units = settings.integer("sequence.post_units");
    in_range("sequence.post_units", static_cast<double>(units), 3, 1 << 16);
    const auto gates = std::ssize(models::gate_names(method.cell.value()));
    expect("settings sequence.post_units", fmt::format("{}rnn.weight_h", network_prefix),
           {units * gates, units});
  }
}

datasets::WindowOptions parse_window(const std::string& text, const std::filesystem::path& file) {
  const auto values = parse_json(text, file.string() + ", metadata \"window\"", expected_file);
  datasets::WindowOptions window;
  for (const auto& [name, value] :
       {std::pair{"margin", &window.margin}, std::pair{"right", &window.right},
        std::pair{"down", &window.down}}) {
    const bool known = values.is_object() && values.contains(name) && values.at(name).is_number();
    if (known) *value = values.at(name).get<double>();
    if (!known || !(std::abs(*value) < 100) || !(window.margin > 0))
      throw UsageError(
          fmt::format("{}: metadata \"window\" has no usable \"{}\"", file.string(), name),
          "the file is damaged: fetch it again, or train the tracker again");
  }
  return window;
}

[[noreturn]] void throw_no_tracker(const std::filesystem::path& file) {
  throw UsageError(file.string() + " is not a tracker of study dynamic_face", expected_file);
}

}  // namespace

FaceTracker::FaceTracker(const std::filesystem::path& file) {
  const auto [tensors, metadata] = weights::read_safetensors(file);
  if (!metadata.contains("method") || !metadata.contains("settings")) throw_no_tracker(file);
  const auto values =
      parse_json(metadata.at("settings"), file.string() + ", metadata \"settings\"", expected_file);
  if (!values.is_object()) throw_no_tracker(file);
  const Settings settings(values);
  prefix_errors(file.string(), [&] {
    method_ = &method_named(metadata.at("method"));
    check_sizes(*method_, settings, tensors);
  });
  // Older files have no window: theirs is that of rendered heads.
  side_ = settings.integer("image.size");
  window_ = rendered_window;
  if (metadata.contains("window")) window_ = parse_window(metadata.at("window"), file);
  trunk_ = new_network(method_->output(), settings, method_->network, 0);
  training::load_state(*trunk_, select_prefix(tensors, trunk_prefix), file.string());
  trunk_->eval();
  // Per-frame methods have no second network.
  if (!method_->make) return;
  Random random(0);  // first weights do not matter: the file replaces them
  network_ = method_->make(trunk_, settings, 0, random);
  training::load_state(*network_, select_prefix(tensors, network_prefix), file.string());
  network_->eval();
}

bool FaceTracker::gives_pose() const { return dynamic_face_study::gives_pose(method_->output()); }
bool FaceTracker::gives_landmarks() const {
  return dynamic_face_study::gives_landmarks(method_->output());
}

at::Tensor FaceTracker::outputs(const at::Tensor& picture) {
  const c10::InferenceMode inference;
  const auto clip = picture.unsqueeze(0).unsqueeze(0);
  // Recurrent networks continue from the frames before; end-to-end ones include the trunk.
  if (!network_) return frame_outputs(trunk_, clip).outputs[0][0];
  if (method_->sees == Method::Sees::Frames) return network_->follow(clip)[0][0];
  const auto features =
      trunk_->features(network_input(clip), models::features_layer(trunk_)).flatten(1);
  return network_->follow(features.unsqueeze(0))[0][0];
}

at::Tensor FaceTracker::next(const at::Tensor& picture) {
  if (picture.scalar_type() != at::kByte || picture.sizes() != at::IntArrayRef({side_, side_, 3}))
    throw UsageError(fmt::format("a picture of {}", c10::str(picture.sizes())),
                     fmt::format("give uint8 [{0}, {0}, 3]", side_));
  const auto given = outputs(picture);
  std::vector<at::Tensor> parts;
  if (gives_pose()) parts.push_back(extract_pose(given));
  if (gives_landmarks()) parts.push_back(extract_landmarks(given, side_).flatten());
  return at::cat(parts).to(at::kDouble);
}

double FaceTracker::confidence(const at::Tensor& picture) {
  // A reliable network gives mirrored outputs for the mirror image.
  const auto both = frame_outputs(trunk_, at::stack({picture, picture.flip({1})}).unsqueeze(1))
                        .outputs.squeeze(1)
                        .to(at::kDouble);
  constexpr double landmark_scale = 0.04;  // d0, fraction of the box's diagonal
  constexpr double angle_scale = 8;        // d0, degrees
  double off = 0;                          // d / d0
  if (gives_landmarks()) {
    const auto seen = extract_landmarks(both[0], side_);
    const auto mirrored = datasets::mirror_landmarks(extract_landmarks(both[1], side_), side_);
    const auto box = datasets::landmark_box(seen);
    off = (seen - mirrored).norm(2, -1).mean().item<double>() / std::hypot(box.width, box.height) /
          landmark_scale;
  } else {
    // In a mirror yaw and roll change their sign, the pitch stays.
    const auto mirrored = extract_pose(both[1]) * at::tensor({1.0, -1.0, -1.0}, at::kDouble);
    off = (extract_pose(both[0]) - mirrored).abs().mean().item<double>() / angle_scale;
  }
  return std::isfinite(off) ? 1 / (1 + off * off) : 0;
}

at::Tensor FaceTracker::track(const at::Tensor& pictures) {
  restart();
  std::vector<at::Tensor> estimates;
  for (const auto& picture : pictures.unbind(0)) estimates.push_back(next(picture));
  return at::stack(estimates);
}

FaceTracker::Estimate FaceTracker::split_estimate(const at::Tensor& estimate) const {
  Estimate parts;
  if (gives_pose()) {
    parts.pose.emplace();
    for (std::int64_t a = 0; a < 3; ++a)
      (*parts.pose)[static_cast<std::size_t>(a)] = estimate[a].item<double>();
  }
  if (gives_landmarks()) parts.landmarks = estimate.slice(0, gives_pose() ? 3 : 0).view({-1, 2});
  return parts;
}

void FaceTracker::restart() {
  if (network_) network_->restart();
}

namespace dynamic_face_study {

void write_tracker(const std::filesystem::path& file, const Method& method,
                   const Settings& settings, const torch::nn::Module& trunk,
                   const torch::nn::Module* network, const datasets::WindowOptions& window) {
  weights::StateDict tensors;
  const auto add = [&](std::string_view prefix, const torch::nn::Module& module) {
    for (const auto& [name, tensor] : training::module_state(module))
      tensors.emplace_back(fmt::format("{}{}", prefix, name), tensor.detach().cpu().contiguous());
  };
  add(trunk_prefix, trunk);
  if (network) add(network_prefix, *network);
  weights::write_safetensors(
      file, tensors,
      {{"method", method.info.id},
       {"settings", json_text(settings.all())},
       {"window",
        json_text({{"margin", window.margin}, {"right", window.right}, {"down", window.down}})}});
}

}  // namespace dynamic_face_study
}  // namespace reprise::reproduce
