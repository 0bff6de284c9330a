#include "models/adversarial/methods.h"

namespace reprise::models {
namespace {

training::GeneratorMethod mocogan_row(training::MethodInfo info, const MocoganOptions& options) {
  return {.info = std::move(info),
          .conditional = options.actions == Actions::Labels,
          .any_length = true,
          .make = [options] { return std::make_unique<Mocogan>(options); }};
}

}  // namespace

std::vector<training::GeneratorMethod> adversarial_generators(const MocoganOptions& options) {
  using training::Role;
  const auto with = [&](Actions actions, ActionEntry entry, bool image) {
    auto changed = options;
    changed.actions = actions;
    changed.entry = entry;
    if (!image) changed.batches.frames_per_clip = 0;
    return changed;
  };
  using enum Actions;
  using enum ActionEntry;
  // z_M gets 1 / part of the code; the code's size stays.
  const auto of_motion = [&](std::int64_t part) {
    auto changed = with(Labels, IntoMotion, true);
    changed.d_M = (options.d_C + options.d_M) / part;
    changed.d_C = options.d_C + options.d_M - changed.d_M;
    return changed;
  };
  const auto with_generated_labels = [&](ActionEntry entry) {
    auto changed = with(Labels, entry, true);
    changed.Q_sees_generated = true;
    return changed;
  };
  // Settings of the authors' release (github.com/sergeytulyakov/mocogan).
  auto released = with(None, IntoMotion, true);
  released.depth_G = 0;
  released.grid_G = false;
  released.rotation_frames = 0;
  released.d_C = 50;
  released.d_M = 10;
  released.d_E = 10;
  released.patch = true;
  auto& training = released.training;
  training.G = {.learning_rate = 2e-4, .weight_decay = 1e-5};
  training.D = training.G;
  training.decay_from = 1;
  training.discriminator_every = 1;
  training.r1 = 0;
  training.ema_decay = 0;
  training.noise = {};
  const std::string both = "G_I, R_M, D_I, D_V per iteration", one = "G_I, R_M, D_V per iteration";
  return {
      mocogan_row({"mocogan", "MoCoGAN", Role::Document, "eq 6; figure 2A", both},
                  with(None, IntoMotion, true)),
      mocogan_row({"mocogan_no_image", "MoCoGAN without D_I", Role::Ablation, "paragraph 53", one},
                  with(None, IntoMotion, false)),
      mocogan_row(
          {"mocogan_action", "MoCoGAN, z_A into R_M", Role::Document, "eq 7; figure 2E", both},
          with(Labels, IntoMotion, true)),
      mocogan_row(
          {"mocogan_action_image", "MoCoGAN, z_A into G_I", Role::Ablation, "paper, table 4", both},
          with(Labels, IntoImage, true)),
      mocogan_row({"mocogan_action_no_image", "MoCoGAN, z_A into R_M, without D_I", Role::Ablation,
                   "paper, table 4", one},
                  with(Labels, IntoMotion, false)),
      mocogan_row({"mocogan_action_image_no_image", "MoCoGAN, z_A into G_I, without D_I",
                   Role::Ablation, "paper, table 4", one},
                  with(Labels, IntoImage, false)),
      mocogan_row({"mocogan_action_half", "MoCoGAN, half of the code is motion", Role::Ablation,
                   "paper, table of d_C and d_M", both},
                  of_motion(2)),
      mocogan_row({"mocogan_action_third", "MoCoGAN, a third of the code is motion", Role::Ablation,
                   "paper, table of d_C and d_M", both},
                  of_motion(3)),
      mocogan_row({"mocogan_action_told", "MoCoGAN, z_A into R_M, Q sees generated clips too",
                   Role::Document, "paragraph 62", both},
                  with_generated_labels(IntoMotion)),
      mocogan_row({"mocogan_action_image_told", "MoCoGAN, z_A into G_I, Q sees generated clips too",
                   Role::Ablation, "paper, table 4", both},
                  with_generated_labels(IntoImage)),
      mocogan_row({"mocogan_released", "MoCoGAN by the recipe of its release", Role::Baseline,
                   "the authors' release", both},
                  released),
      mocogan_row({"mocogan_discovered", "MoCoGAN, actions discovered", Role::Document,
                   "eq 7, without labels", both},
                  with(Discovered, IntoMotion, true)),
  };
}

}  // namespace reprise::models
