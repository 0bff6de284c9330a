#include "models/translation/methods.h"

namespace reprise::models {
namespace {

using Rates = std::map<std::string, double>;

/// One entry of the registry, with its own learning rate if `rates` has one.
training::TranslatorMethod unit_row(training::MethodInfo info, UnitOptions options,
                                    const Rates& rates) {
  if (const auto own = rates.find(info.id); own != rates.end())
    options.training.G.learning_rate = options.training.D.learning_rate = own->second;
  return {.info = std::move(info),
          .one_way = options.network.one_way,
          .seeded = true,
          .paired = options.paired,
          .make = [options] { return std::make_unique<Unit>(options); }};
}

}  // namespace

std::vector<training::TranslatorMethod> learned_translators(const UnitOptions& options,
                                                            const Rates& rates) {
  using training::Role;
  const auto with = [&](bool cycle, bool sharing) {
    auto changed = options;
    changed.cycle = cycle;
    if (!sharing) {
      changed.network.shared_E = 0;
      changed.network.shared_G = 0;
    }
    return changed;
  };
  const auto whole = with(true, true);
  auto reconstructions = whole, one_way = with(false, true), alone = whole,
       sharing = with(false, true), paired = with(false, true);
  reconstructions.discriminate_reconstructions = true;
  one_way.network.one_way = true;
  one_way.discriminate_reconstructions = true;
  alone.weights.lambda0 = 0;
  sharing.weights.lambda0 = 0;
  paired.paired = true;
  const std::string four = "E, G of both domains once, their cycles, D_1, D_2 per iteration",
                    two = "E, G of both domains once, D_1, D_2 per iteration";
  const auto row = [&](training::MethodInfo info, const UnitOptions& system) {
    return unit_row(std::move(info), system, rates);
  };
  return {
      row({"unit", "UNIT", Role::Document, "eq 1; fig. 2C", four}, whole),
      row({"unit_no_cycle", "UNIT, weight sharing alone", Role::Ablation, "eq 1 without L_CC", two},
          with(false, true)),
      row({"unit_no_sharing", "UNIT, cycle consistency alone", Role::Ablation,
           "eq 1, no layer of E and G shared", four},
          with(true, false)),
      row({"unit_neither", "UNIT, neither", Role::Ablation,
           "eq 1 without L_CC, no layer of E and G shared", two},
          with(false, false)),
      row({"unit_sharing_only", "UNIT, weight sharing without D", Role::Ablation,
           "paragraph 45: no L_CC, no L_GAN", two},
          sharing),
      row({"unit_reconstructions", "UNIT, D sees reconstructions", Role::Ablation, "claims 6, 9",
           four},
          reconstructions),
      row({"unit_one_way", "UNIT, one way", Role::Ablation, "fig. 1E",
           "E_1, E_2, G_2 once, D_2 per iteration"},
          one_way),
      row({"unit_no_discriminators", "UNIT without discriminators", Role::Ablation,
           "fig. 2A as drawn", four},
          alone),
      row({"paired", "paired training", Role::Bound, "the same networks and pairs: a ceiling", two},
          paired),
  };
}

}  // namespace reprise::models
