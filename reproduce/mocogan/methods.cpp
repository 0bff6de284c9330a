// The generators of study mocogan from the settings of a profile.
#include "reproduce/mocogan/methods.h"

#include <algorithm>

#include "baselines/adversarial/methods.h"
#include "baselines/generators.h"
#include "experiments/adversarial_training.h"
#include "experiments/embedded.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "models/adversarial/methods.h"
#include "reproduce/mocogan/cells.h"

namespace reprise::reproduce::mocogan_study {
namespace {

/// Returns the iterations of evaluations: the last, a half, a quarter and so on, rounded up to
/// whole windows. So early progress is seen too.
std::set<std::int64_t> halve_iterations(std::int64_t iterations, std::int64_t count) {
  const auto window = training::AdversarialOptions().window;
  std::set<std::int64_t> evaluate_after;
  for (auto at = iterations; std::ssize(evaluate_after) < count; at /= 2) {
    evaluate_after.insert(std::min(iterations, (at + window - 1) / window * window));
    // All earlier ones would fall into the first window.
    if (at <= window) break;
  }
  return evaluate_after;
}

/// Returns the training options of a family. Section [recipe] is for all generators; learning rates
/// and R1 come from the section of the family.
/// TGAN's paper uses RMSprop; here all families have one optimizer. Each family was tuned with the
/// same number of trials.
training::AdversarialOptions recipe_options(const Settings& settings, const std::string& family,
                                            const std::filesystem::path& checkpoint) {
  const auto own = [&](const char* key) { return settings.number(family + "." + key); };
  const auto number = [&](const char* key) {
    return settings.number(std::string("recipe.") + key);
  };
  const auto integer = [&](const char* key) {
    return settings.integer(std::string("recipe.") + key);
  };
  return {.iterations = integer("iterations"),
          .G = {.name = settings.text("recipe.optimizer"), .learning_rate = own("learning_rate_G")},
          .D = {.name = settings.text("recipe.optimizer"), .learning_rate = own("learning_rate_D")},
          .decay_from = number("decay_from"),
          .discriminator_every = integer("discriminator_every"),
          .r1 = own("r1"),
          .r1_every = integer("r1_every"),
          .noise = {.sigma = number("noise"),
                    .target = number("noise_target"),
                    .speed = number("noise_speed")},
          .ema_decay = number("ema_decay"),
          .precision = named_precision(settings.text("recipe.precision")),
          .evaluate_after = halve_iterations(integer("iterations"), integer("evaluations")),
          .checkpoint = checkpoint};
}

/// Returns the batches of the discriminators.
models::VideoBatchOptions batch_options(const Settings& settings) {
  return {.T = settings.integer("clips.frames"),
          .batch = settings.integer("recipe.batch"),
          .frames_per_clip = settings.integer("recipe.frames_per_clip")};
}

/// Returns the options of MoCoGAN.
models::MocoganOptions mocogan_options(const Settings& settings,
                                       const std::filesystem::path& checkpoint) {
  const auto integer = [&](const char* key) { return settings.integer(key); };
  return {.width_G = integer("mocogan.width_G"),
          .width_D = integer("mocogan.width_D"),
          .depth_G = integer("recipe.depth_G"),
          .grid_G = settings.flag("recipe.grid_G"),
          .d_C = integer("mocogan.d_C"),
          .d_M = integer("mocogan.d_M"),
          .d_E = integer("mocogan.d_E"),
          .rotation_frames = settings.number("mocogan.turning"),
          .batches = batch_options(settings),
          .training = recipe_options(settings, "mocogan", checkpoint)};
}

/// Lists MoCoGAN and its ablations. Those with labels have their own number of iterations.
std::vector<training::GeneratorMethod> list_mocogans(const Settings& settings,
                                                     const std::filesystem::path& checkpoint) {
  auto options = mocogan_options(settings, checkpoint);
  auto all = models::adversarial_generators(options);
  // Generators with labels train for their own number of iterations.
  options.training.iterations = settings.integer("recipe.iterations_of_actions");
  options.training.evaluate_after =
      halve_iterations(options.training.iterations, settings.integer("recipe.evaluations"));
  auto labelled = models::adversarial_generators(options);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].conditional) all[i] = std::move(labelled[i]);
  return all;
}

/// Lists the methods of table lengths.
std::vector<training::GeneratorMethod> list_length_methods(
    const Settings& settings, const std::filesystem::path& checkpoint) {
  auto options = mocogan_options(settings, checkpoint);
  options.training.iterations = settings.integer("lengths.iterations");
  options.batches.T = settings.integer("lengths.shortest");
  return {{.info = {.id = lengths_row,
                    .title = "MoCoGAN, clips of different lengths",
                    .role = training::Role::Document,
                    .source = "paragraph 54",
                    .cost = "as MoCoGAN"},
           .any_length = true,
           .make = [options] { return std::make_unique<models::Mocogan>(options); }}};
}

/// Returns the options of a GAN that makes whole clips, VGAN or TGAN.
baselines::ClipGanOptions clip_gan_options(const std::string& family, const Settings& settings,
                                           const std::filesystem::path& checkpoint) {
  const auto own = [&](const char* key) { return settings.integer(family + "." + key); };
  return {.width_G = own("width_G"),
          .width_D = own("width_D"),
          .d_z = own("d_z"),
          .depth_G = settings.integer("recipe.depth_G"),
          .grid_G = settings.flag("recipe.grid_G"),
          .T = settings.integer("clips.frames"),
          .batch = settings.integer("recipe.batch"),
          .training = recipe_options(settings, family, checkpoint)};
}

std::vector<training::GeneratorMethod> list_vgans(const Settings& settings,
                                                  const std::filesystem::path& checkpoint) {
  auto options = clip_gan_options("vgan", settings, checkpoint);
  options.weight_of_mask = settings.number("vgan.weight_of_mask");
  return baselines::vgans(options);
}

std::vector<training::GeneratorMethod> list_tgans(const Settings& settings,
                                                  const std::filesystem::path& checkpoint) {
  auto options = clip_gan_options("tgan", settings, checkpoint);
  options.temporal_width = settings.integer("tgan.temporal_width");
  return baselines::tgans(options);
}

/// Methods whose options come from the same sections.
struct Family {
  std::string name;                   ///< prefix of the names of its methods
  std::vector<std::string> sections;  ///< sections that its methods read
  std::vector<training::GeneratorMethod> (*methods)(const Settings&,
                                                    const std::filesystem::path& checkpoint);
};

const std::vector<Family>& list_families() {
  static const std::vector<Family> all{
      {"mocogan", {"recipe", "mocogan"}, list_mocogans},
      {lengths_row, {"recipe", "mocogan", "lengths"}, list_length_methods},
      {"vgan", {"recipe", "vgan"}, list_vgans},
      {"tgan", {"recipe", "tgan"}, list_tgans}};
  return all;
}

const Family& find_family(const std::string& method) {
  return find_named(list_families(), "generator",
                    method == lengths_row ? method : method.substr(0, method.find('_')));
}

}  // namespace

std::vector<training::GeneratorMethod> list_generators(const Settings& settings) {
  std::vector<training::GeneratorMethod> all;
  for (const auto& family : list_families())
    for (auto& method : family.methods(settings, "")) all.push_back(std::move(method));
  return all;
}

training::GeneratorMethod make_generator(const std::string& name, const Settings& settings,
                                         const std::filesystem::path& checkpoint) {
  return find_named(find_family(name).methods(settings, checkpoint), "generator", name);
}

std::vector<std::string> recipe_sections(const std::string& method) {
  return find_family(method).sections;
}

std::vector<ListedMethod> list_methods() {
  std::vector<ListedMethod> all;
  const auto add = [&](const std::vector<training::GeneratorMethod>& methods) {
    for (const auto& method : methods)
      all.push_back({training::Contract::Generator, method.info,
                     std::string(method.conditional ? "of a requested class" : "of any class") +
                         (method.any_length ? ", clips of any length" : "")});
  };
  // Titles and roles do not depend on the profile.
  add(list_generators(Settings(embedded::file("mocogan/small.toml"), "mocogan/small.toml")));
  add(baselines::generators());
  all.push_back({training::Contract::Generator,
                 {.id = real_row,
                  .title = "real clips",
                  .role = training::Role::Bound,
                  .source = "the data",
                  .cost = "none"},
                 "clips that no method was trained on"});
  const auto add_row = [&](const std::string& id, const std::string& title, training::Role role,
                           const std::string& cost) {
    all.push_back(
        {training::Contract::Generator,
         {.id = id, .title = title, .role = role, .source = "our comparison", .cost = cost},
         "clips from images"});
  };
  add_row(repeat_row, "the repeated image", training::Role::Control, "none");
  add_row(nearest_row, "the nearest training clip", training::Role::Baseline,
          "a distance to each training clip");
  add_row(unrelated_row, "another clip of the generator", training::Role::Control, "a clip");
  return all;
}

}  // namespace reprise::reproduce::mocogan_study
