// The methods of study unit from the settings of a profile.
#include "reproduce/unit/methods.h"

#include "baselines/adaptation/methods.h"
#include "baselines/translators.h"
#include "core/error.h"
#include "core/text.h"
#include "experiments/adversarial_training.h"
#include "experiments/embedded.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "models/translation/methods.h"
#include "records/trial.h"
#include "reproduce/unit/cells.h"

namespace reprise::reproduce::unit_study {
namespace {

/// Parses how weights start: "gaussian" or "he".
models::UnitStart parse_start(const std::string& word) {
  using enum models::UnitStart;
  return named_value<models::UnitStart>({{"gaussian", Gaussian}, {"he", He}}, "start", word);
}

/// Parses how loss terms are reduced over pixels: "means" or "sums".
models::UnitReading parse_reading(const std::string& word) {
  using enum models::UnitReading;
  return named_value<models::UnitReading>({{"means", Means}, {"sums", Sums}}, "reading", word);
}

/// Returns Adam's learning rate: of the section, or for table map of section [rates].
double learning_rate(const Settings& settings, const std::string& section,
                     const std::string& method) {
  return settings.number(section == map_table ? "rates." + method : section + ".learning_rate");
}

/// Returns the training options of a section.
training::AdversarialOptions recipe_options(const Settings& settings, const std::string& section,
                                            const std::filesystem::path& checkpoint) {
  const auto number = [&](const char* key) { return settings.number(section + "." + key); };
  const training::OptimizerOptions adam{.learning_rate = learning_rate(settings, section, "unit"),
                                        .weight_decay = number("weight_decay")};
  return {.iterations = settings.integer(section + ".iterations"),
          .G = adam,
          .D = adam,
          .decay_from = number("decay_from"),
          .ema_decay = number("ema_decay"),
          .precision = named_precision(settings.text(section + ".precision")),
          .checkpoint = checkpoint};
}

/// Returns the options of UNIT. lambda1 to lambda4 are two pairs, as in the paper: KL and
/// likelihood.
models::UnitOptions unit_options(const Settings& settings, const std::string& section,
                                 const std::filesystem::path& checkpoint) {
  const auto number = [&](const char* key) { return settings.number(section + "." + key); };
  const auto integer = [&](const char* key) { return settings.integer(section + "." + key); };
  const auto shared = integer("shared");
  return {.network = {.width = integer("width"),
                      .halvings = integer("halvings"),
                      .blocks_E = integer("blocks"),
                      .shared_E = shared,
                      .blocks_G = integer("blocks"),
                      .shared_G = shared,
                      .norm_in_halves = settings.flag(section + ".norm_in_halves"),
                      .width_D = integer("width_D"),
                      .layers_D = integer("layers_D"),
                      .shared_D = integer("shared_D"),
                      .kernel_D = integer("kernel_D"),
                      .upsampling = models::find_upsampling(settings.text(section + ".upsampling")),
                      .scales_D = integer("scales_D")},
          .weights = {.lambda0 = number("lambda0"),
                      .lambda1 = number("lambda_kl"),
                      .lambda2 = number("lambda_likelihood"),
                      .lambda3 = number("lambda_kl"),
                      .lambda4 = number("lambda_likelihood"),
                      .reading = parse_reading(settings.text(section + ".reading")),
                      .registration = number("lambda_registration")},
          .batch = integer("batch"),
          .start = parse_start(settings.text(section + ".start")),
          .equal_start = settings.flag(section + ".equal_start"),
          .training = recipe_options(settings, section, checkpoint)};
}

}  // namespace

std::vector<training::AdapterMethod> list_adapters(const Settings& settings,
                                                   const std::filesystem::path& checkpoint) {
  const auto number = [&](const char* key) {
    return settings.number(std::string("digits.") + key);
  };
  const auto integer = [&](const char* key) {
    return settings.integer(std::string("digits.") + key);
  };
  // A rate of 0 is that of UNIT.
  const auto rate = [&](const char* key) {
    const auto own = number(key);
    return own > 0 ? own : number("learning_rate");
  };
  const models::DigitAdversaryOptions common{
      .width_G = integer("width_G"),
      .width_D = integer("width_D"),
      .equal_start = settings.flag("digits.equal_start"),
      .lambda0 = number("lambda0"),
      .lambda_c = number("lambda_c"),
      .lambda_f = number("lambda_f"),
      .batch = integer("batch"),
      .evaluate_every = integer("evaluate_every"),
      .training = recipe_options(settings, "digits", checkpoint)};
  auto all =
      models::learned_adapters({.common = common,
                                .lambda1 = number("lambda1"),
                                .lambda2 = number("lambda2"),
                                .learned_deviation = settings.flag("digits.learned_deviation"),
                                .sum_streams = settings.flag("digits.sum_streams")});
  auto coupled = common;
  coupled.own_front_D = settings.flag("digits.cogan_own_front");
  coupled.lambda_f = number("cogan_lambda_f");
  coupled.training.G.learning_rate = coupled.training.D.learning_rate = rate("rate_cogan");
  const auto others = baselines::adapters({.common = common,
                                           .cogan = coupled,
                                           .rate_source_only = rate("rate_source_only"),
                                           .rate_dann = rate("rate_dann"),
                                           .subspace = integer("subspace"),
                                           .warm_up = number("warm_up")});
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<training::TranslatorMethod> list_translators(const Settings& settings,
                                                         const std::string& section,
                                                         const std::filesystem::path& checkpoint,
                                                         const Evaluate& evaluate) {
  auto options = unit_options(settings, section, checkpoint);
  options.evaluate = evaluate;
  // Evaluations are only possible where the truth of training pictures is known.
  const auto every = settings.integer(section + ".evaluate_every");
  for (auto at = every; evaluate && at <= options.training.iterations; at += every)
    options.training.evaluate_after.insert(at);
  // Each system of table map has its own learning rate.
  std::map<std::string, double> rates;
  for (const auto& method : models::learned_translators(options))
    rates[method.info.id] = learning_rate(settings, section, method.info.id);
  auto all = models::learned_translators(options, rates);
  const auto& others = baselines::translators();
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

const std::vector<std::string>& sweep_keys() {
  static const std::vector<std::string> keys{"shared",  "shared_D",  "layers_D",
                                             "lambda0", "lambda_kl", "lambda_likelihood"};
  return keys;
}

std::vector<std::string> sweep_rows(const Settings& settings) {
  std::vector<std::string> rows{sweep_base};
  for (const auto& key : sweep_keys())
    for (const auto value : settings.numbers("sweep." + key))
      // The value of [map] is the row sweep_base.
      if (value != settings.number("map." + key))
        rows.push_back(records::trial_name({sweep_base, {records::hyperparameter(key, value)}}));
  return rows;
}

std::vector<ListedMethod> list_methods() {
  const Settings settings(embedded::file("unit/small.toml"), "unit/small.toml");
  std::vector<ListedMethod> all;
  for (const auto& method : list_adapters(settings))
    all.push_back({training::Contract::Adapter, method.info,
                   method.uses_target ? "sees pictures of the target" : "sees the source only"});
  for (const auto& method : list_translators(settings, "map"))
    all.push_back({training::Contract::Translator, method.info,
                   std::string(method.paired ? "trained on pairs" : "unpaired") +
                       (method.one_way ? ", one way" : "")});
  return all;
}

}  // namespace reprise::reproduce::unit_study
