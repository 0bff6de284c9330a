// The data of study langevin: five domains, each with the parts that its networks and tables take
// from it. No item is in two parts.
//
//     digits      MNIST (--data), or drawn digits            10 classes
//     landscapes  day and night photographs, or drawn ones   2 classes; crops
//     videos      shape-motion videos, or generated ones     2 classes; an item is T frames, side by side in the channels
//     sounds      spoken digits, or generated words          10 classes; an item is a spectrogram
//     solids      generated: coloured solids from any side   a text each; a 2-D domain whose items are views of 3-D objects
#pragma once
#include <string>
#include <vector>

#include "experiments/data_folder.h"
#include "experiments/settings.h"
#include "models/diffusion/diffusion_training.h"
#include "models/diffusion/prior.h"

namespace reprise::reproduce::langevin_study {

/// What the plan has to know of a domain without drawing its items.
struct Domain {
  std::string name;                 ///< of its cells, and of its section of the profile
  std::vector<std::string> tables;  ///< that show it (reproduce/langevin/tables.h)
  models::ItemKind kind = models::ItemKind::Images;
  std::string height = "size",
              width = "size";  ///< the settings of its section that are an item's sides
  bool judged =
      false;  ///< has the network D'' that measures likelihood, and D' where a method uses it
  bool shows(const std::string& table) const;
};
/// All, in the order of pages.
const std::vector<Domain>& domains();
/// UsageError: no such domain; lists the known ones.
const Domain& domain_named(const std::string& name);

/// The domains whose priors a profile trains and measures: those of its tables (the setting
/// `worlds`), then those of `priors_only`. UsageError: one stands in both.
std::vector<std::string> trained_domains(const Settings& settings);

/// The items of a domain that one replicate has.
struct DomainData {
  models::PriorFacts facts;  ///< data, kind, item, classes, words, measures
  /// Items in [-1, 1]: [N, C, H, W], float32. prior: for D and D'; evaluator: for the evaluator of
  /// realism and for the network that measures likelihood; validation: where settings are chosen;
  /// test: once.
  models::LabelledItems prior, evaluator, validation, test;
};
/// UsageError: no such domain; data that `settings` ask for and `data` lacks; a part with fewer
/// items than its section asks for.
DomainData load_domain(const std::string& name, const Settings& settings, const DataFolder& data,
                       std::int64_t seed);

/// Notes that a run needs the domain's recorded set, where the settings name one
/// (DataFolder::need).
void need_data(const std::string& domain, const Settings& settings, const DataFolder& data);

/// Numbers of the combinations of solids that the settings name.
std::vector<std::int64_t> solid_texts(const Settings& settings);

/// uint8 [N, H, W] or [N, H, W, C] -> [N, C, H, W] in [-1, 1], and back to uint8 [N, H, W, 3].
at::Tensor items_of(const at::Tensor& pictures);
at::Tensor pictures_of(const at::Tensor& items);

/// The texts of the evaluator's part, each once, in order: [K, words].
at::Tensor distinct_texts(const DomainData& domain);
/// A class of each item: its label, or its text's number among the distinct ones.
at::Tensor classes_of(const DomainData& domain, const at::Tensor& labels);
std::int64_t class_count(const DomainData& domain);
/// Of each class: its name, or its text.
std::vector<std::string> class_names(const DomainData& domain);

}  // namespace reprise::reproduce::langevin_study
