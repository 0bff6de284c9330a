#include "reproduce/mocogan/methods.h"

#include <algorithm>

#include "baselines/adversarial/methods.h"
#include "baselines/generators.h"
#include "experiments/adversarial_training.h"
#include "experiments/embedded.h"
#include "experiments/names.h"
#include "experiments/replicates.h"
#include "models/adversarial/methods.h"
#include "reproduce/mocogan/cells.h"

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
          .G = {.name = settings.text("recipe.optimizer"), .learning_rate = own("learning_rate_G")},
          .D = {.name = settings.text("recipe.optimizer"), .learning_rate = own("learning_rate_D")},
          .decay_from = number("decay_from"),
          .discriminator_every = integer("discriminator_every"),
          .r1 = own("r1"),
          .r1_every = integer("r1_every"),
          .noise = {.sigma = number("noise"), .target = number("noise_target"), .speed = number("noise_speed")},
          .ema_decay = number("ema_decay"),
          .precision = named_precision(settings.text("recipe.precision")),
          .looks = halved_looks(integer("iterations"), integer("looks")),
          .checkpoint = checkpoint};
}

models::VideoBatchOptions batches(const Settings& settings) {
  return {.T = settings.integer("clips.frames"),
          .batch = settings.integer("recipe.batch"),
          .frames_per_clip = settings.integer("recipe.frames_per_clip")};
}

models::MocoganOptions mocogan(const Settings& settings, const std::filesystem::path& checkpoint) {
  const auto integer = [&](const char* key) { return settings.integer(key); };
  return {.width_G = integer("mocogan.width_G"),
          .width_D = integer("mocogan.width_D"),
          .depth_G = integer("recipe.depth_G"),
          .grid_G = settings.flag("recipe.grid_G"),
          .d_C = integer("mocogan.d_C"),
          .d_M = integer("mocogan.d_M"),
          .d_E = integer("mocogan.d_E"),
          .turning = settings.number("mocogan.turning"),
          .batches = batches(settings),
          .training = recipe(settings, "mocogan", checkpoint)};
}

std::vector<training::GeneratorMethod> mocogans(const Settings& settings, const std::filesystem::path& checkpoint) {
  auto options = mocogan(settings, checkpoint);
  auto all = models::adversarial_generators(options);
  options.training.iterations = settings.integer("recipe.iterations_of_actions");
  options.training.looks = halved_looks(options.training.iterations, settings.integer("recipe.looks"));
  auto labelled = models::adversarial_generators(options);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].conditional) all[i] = std::move(labelled[i]);
  return all;
}

std::vector<training::GeneratorMethod> of_any_length(const Settings& settings, const std::filesystem::path& checkpoint) {
  auto options = mocogan(settings, checkpoint);
  options.training.iterations = settings.integer("lengths.iterations");
  options.batches.T = settings.integer("lengths.shortest");
  return {{.info = {lengths_row, "MoCoGAN, clips of different lengths", training::Role::Document, "paragraph 54", "as MoCoGAN"},
           .any_length = true,
           .make = [options] { return std::make_unique<models::Mocogan>(options); }}};
}

baselines::ClipGanOptions rival(const std::string& family, const Settings& settings, const std::filesystem::path& checkpoint) {
  const auto own = [&](const char* key) { return settings.integer(family + "." + key); };
  return {.width_G = own("width_G"),
          .width_D = own("width_D"),
          .d_z = own("d_z"),
          .depth_G = settings.integer("recipe.depth_G"),
          .grid_G = settings.flag("recipe.grid_G"),
          .T = settings.integer("clips.frames"),
          .batch = settings.integer("recipe.batch"),
          .training = recipe(settings, family, checkpoint)};
}

std::vector<training::GeneratorMethod> vgans(const Settings& settings, const std::filesystem::path& checkpoint) {
  auto options = rival("vgan", settings, checkpoint);
  options.weight_of_mask = settings.number("vgan.weight_of_mask");
  return baselines::vgans(options);
}

std::vector<training::GeneratorMethod> tgans(const Settings& settings, const std::filesystem::path& checkpoint) {
  auto options = rival("tgan", settings, checkpoint);
  options.temporal_width = settings.integer("tgan.temporal_width");
  return baselines::tgans(options);
}

struct Family {
  std::string name;                   // how the names of its methods begin
  std::vector<std::string> sections;  // that its methods read
  std::vector<training::GeneratorMethod> (*methods)(const Settings&, const std::filesystem::path& checkpoint);
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{{"mocogan", {"recipe", "mocogan"}, mocogans},
                                       {lengths_row, {"recipe", "mocogan", "lengths"}, of_any_length},
                                       {"vgan", {"recipe", "vgan"}, vgans},
                                       {"tgan", {"recipe", "tgan"}, tgans}};
  return all;
}

const Family& family_of(const std::string& method) {
  return find_named(families(), "generator", method == lengths_row ? method : method.substr(0, method.find('_')));
}

}  // namespace

std::vector<training::GeneratorMethod> generators(const Settings& settings) {
  std::vector<training::GeneratorMethod> all;
  for (const auto& family : families())
    for (auto& method : family.methods(settings, "")) all.push_back(std::move(method));
  return all;
}

training::GeneratorMethod generator(const std::string& name, const Settings& settings, const std::filesystem::path& checkpoint) {
  return find_named(family_of(name).methods(settings, checkpoint), "generator", name);
}

std::vector<std::string> sections_of(const std::string& method) { return family_of(method).sections; }

std::vector<ListedMethod> listed_methods() {
  std::vector<ListedMethod> all;
  const auto add = [&](const std::vector<training::GeneratorMethod>& methods) {
    for (const auto& method : methods)
      all.push_back({training::Contract::Generator, method.info,
                     std::string(method.conditional ? "of a class that is asked for" : "of any class") +
                         (method.any_length ? ", clips of any length" : "")});
  };
  add(generators(Settings(embedded::file("mocogan/desk.toml"), "mocogan/desk.toml")));
  add(baselines::generators());
  all.push_back({training::Contract::Generator,
                 {.id = real_row, .title = "real clips", .role = training::Role::Bound, .source = "the data", .cost = "none"},
                 "clips that nothing was trained on"});
  const auto add_row = [&](const std::string& id, const std::string& title, training::Role role, const std::string& cost) {
    all.push_back({training::Contract::Generator,
                   {.id = id, .title = title, .role = role, .source = "our comparison", .cost = cost},
                   "clips from images"});
  };
  add_row(repeat_row, "the repeated image", training::Role::Control, "none");
  add_row(nearest_row, "the nearest training clip", training::Role::Baseline, "a distance to each training clip");
  add_row(unrelated_row, "another clip of the generator", training::Role::Control, "a clip");
  return all;
}

}  // namespace reprise::reproduce::mocogan_study
