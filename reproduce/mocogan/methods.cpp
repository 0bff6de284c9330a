#include "reproduce/mocogan/methods.h"

#include <algorithm>

#include "baselines/adversarial/methods.h"
#include "baselines/generators.h"
#include "models/adversarial/methods.h"
#include "reproduce/adversarial_training.h"
#include "reproduce/embedded.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/names.h"
#include "reproduce/replicates.h"

namespace reprise::reproduce::mocogan_study {
namespace {

/// At the last iteration, at half of them, at a quarter and so on, each rounded up to whole windows: what comes soon is seen, too.
std::set<std::int64_t> halved_looks(std::int64_t iterations, std::int64_t count) {
  const auto window = training::AdversarialOptions().window;
  std::set<std::int64_t> looks;
  for (auto at = iterations; std::ssize(looks) < count; at /= 2) {
    looks.insert(std::min(iterations, (at + window - 1) / window * window));
    if (at <= window) break;
  }
  return looks;
}

/// Section [recipe], of all generators alike, TGAN among them, whose paper has RMSprop; and what section `family` was found to need, all
/// families by as many trials.
training::AdversarialOptions recipe(const Settings& settings, const std::string& family, const std::filesystem::path& checkpoint) {
  const auto own = [&](const char* key) { return settings.number(family + "." + key); };
  const auto number = [&](const char* key) { return settings.number(std::string("recipe.") + key); };
  const auto integer = [&](const char* key) { return settings.integer(std::string("recipe.") + key); };
  return {.iterations = integer("iterations"),
          .G = {.learning_rate = own("learning_rate_G")},
          .D = {.learning_rate = own("learning_rate_D")},
          .decay_from = number("decay_from"),
          .discriminator_every = integer("discriminator_every"),
          .r1 = own("r1"),
          .r1_every = integer("r1_every"),
          .noise = {.sigma = number("noise"), .target = number("noise_target"), .speed = number("noise_speed")},
          .ema_decay = number("ema_decay"),
          .precision = named_precision(settings.text("recipe.precision")),
          .looks = halved_looks(integer("iterations"), integer("looks")),
          .rounding = settings.integer("rounding"),
          .checkpoint = checkpoint};
}

models::VideoBatchOptions batches(const Settings& settings) {
  return {.T = settings.integer("clips.frames"),
          .batch = settings.integer("recipe.batch"),
          .frames_per_clip = settings.integer("recipe.frames_per_clip")};
}

}  // namespace

std::vector<training::GeneratorMethod> generators(const Settings& settings, const std::filesystem::path& checkpoint) {
  const auto integer = [&](const char* key) { return settings.integer(key); };
  models::MocoganOptions own{.width_G = integer("mocogan.width_G"),
                             .width_D = integer("mocogan.width_D"),
                             .depth_G = integer("recipe.depth_G"),
                             .grid_G = settings.flag("recipe.grid_G"),
                             .d_C = integer("mocogan.d_C"),
                             .d_M = integer("mocogan.d_M"),
                             .d_E = integer("mocogan.d_E"),
                             .turning = settings.number("mocogan.turning"),
                             .batches = batches(settings),
                             .training = recipe(settings, "mocogan", checkpoint)};
  auto all = models::adversarial_generators(own);
  own.training.iterations = integer("recipe.iterations_of_actions");
  own.training.looks = halved_looks(own.training.iterations, integer("recipe.looks"));
  auto labelled = models::adversarial_generators(own);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].conditional) all[i] = std::move(labelled[i]);
  own.training.iterations = integer("lengths.iterations");
  own.batches.T = integer("lengths.shortest");
  all.push_back({.info = {lengths_row, "MoCoGAN, clips of differing lengths", training::Role::Document, "paragraph 54", "as MoCoGAN"},
                 .any_length = true,
                 .make = [own] { return std::make_unique<models::Mocogan>(own); }});
  const auto rival = [&](const std::string& name, std::int64_t temporal_width, double weight_of_mask) {
    return baselines::ClipGanOptions{.width_G = settings.integer(name + ".width_G"),
                                     .width_D = settings.integer(name + ".width_D"),
                                     .d_z = settings.integer(name + ".d_z"),
                                     .temporal_width = temporal_width,
                                     .depth_G = integer("recipe.depth_G"),
                                     .grid_G = settings.flag("recipe.grid_G"),
                                     .T = integer("clips.frames"),
                                     .weight_of_mask = weight_of_mask,
                                     .batch = integer("recipe.batch"),
                                     .training = recipe(settings, name, checkpoint)};
  };
  const auto others = baselines::adversarial_clip_generators(rival("vgan", 0, settings.number("vgan.weight_of_mask")),
                                                             rival("tgan", integer("tgan.temporal_width"), 0));
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<ListedMethod> listed_methods() {
  std::vector<ListedMethod> all;
  const auto add = [&](const std::vector<training::GeneratorMethod>& methods) {
    for (const auto& method : methods)
      all.push_back({training::Contract::Generator, method.info,
                     std::string(method.conditional ? "of a class that is asked for" : "of any class") +
                         (method.any_length ? ", clips of any length" : "")});
  };
  add(generators(Settings(embedded::file("mocogan/quick.toml"), "mocogan/quick.toml")));
  add(baselines::generators());
  all.push_back({training::Contract::Generator,
                 {.id = real_row, .title = "real clips", .role = training::Role::Bound, .source = "the data", .cost = "none"},
                 "clips that nothing was trained on"});
  const auto add_row = [&](const std::string& id, const std::string& title, training::Role role, const std::string& cost) {
    all.push_back({training::Contract::Generator,
                   {.id = id, .title = title, .role = role, .source = "our comparison", .cost = cost},
                   "clips from images"});
  };
  add_row(repeat_row, "the image repeated", training::Role::Control, "none");
  add_row(nearest_row, "the nearest training clip", training::Role::Baseline, "a distance to each training clip");
  add_row(unrelated_row, "an unrelated clip of the generator", training::Role::Control, "a clip");
  return all;
}

}  // namespace reprise::reproduce::mocogan_study
