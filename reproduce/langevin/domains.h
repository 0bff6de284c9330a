// Data of study langevin: five domains, each with disjoint splits for its networks and tables.
//
// - digits: MNIST (--data), or generated digits. 10 classes.
// - landscapes: crops of day and night photographs, or generated. 2 classes.
// - videos: shape-motion videos, or generated; T frames in the channels. 2 classes.
// - sounds: spoken digits, or generated words; an item is a spectrogram. 10 classes.
// - solids: generated, coloured solids from any side; views of 3-D objects. A text each.
#pragma once
#include <string>
#include <vector>

#include "experiments/data_folder.h"
#include "experiments/settings.h"
#include "models/diffusion/diffusion_training.h"
#include "models/diffusion/prior.h"

namespace reprise::reproduce::langevin_study {

/// Properties of a domain that the plan needs without its items.
struct Domain {
  std::string name;                 ///< name in cells, and of its section of the profile
  std::vector<std::string> tables;  ///< tables that show it (reproduce/langevin/tables.h)
  models::ItemKind kind = models::ItemKind::Images;
  /// Settings of the domain's section that hold an item's height and width.
  std::string height = "size";
  std::string width = "size";
  /// The domain has D'', which measures likelihood, and D' if a method uses it.
  bool has_likelihood_network = false;
  bool shows(const std::string& table) const;
};
/// Lists all domains, in the order of pages.
const std::vector<Domain>& domains();
/// Finds a domain by name. UsageError: no such domain; lists the known ones.
const Domain& find_domain(const std::string& name);

/// Lists the domains whose priors a profile trains: setting `domains`, then `priors_only`.
/// UsageError: a domain is in both.
std::vector<std::string> list_trained_domains(const Settings& settings);

/// Items of a domain, for one seed.
struct DomainData {
  models::PriorMetadata metadata;  ///< data, kind, item, classes, words, measures
  // Splits: items in [-1, 1], [N, C, H, W], float32. No item is in two of them.
  models::LabelledItems prior;       ///< training items of D and D'
  models::LabelledItems evaluator;   ///< training items of the evaluator and of D''
  models::LabelledItems validation;  ///< items on which hyperparameters are chosen
  models::LabelledItems test;        ///< items that decide the claims
};
/// Loads or generates the splits of a domain. UsageError: an unknown domain; data that are
/// requested but absent; a split with too few items.
DomainData load_domain(const std::string& name, const Settings& settings, const DataFolder& data,
                       std::int64_t seed);

/// Adds the domain's recorded data set to the needs of a run (DataFolder::need), if the settings
/// name one.
void need_data(const std::string& domain, const Settings& settings, const DataFolder& data);

/// Lists the solids that the settings allow, as indices of datasets::solid_combinations().
std::vector<std::int64_t> list_allowed_solids(const Settings& settings);

/// Converts pictures, uint8 [N, H, W] or [N, H, W, C], to items [N, C, H, W] in [-1, 1].
at::Tensor to_items(const at::Tensor& pictures);
/// Converts items to pictures, uint8 [N, H, W, 3].
at::Tensor to_pictures(const at::Tensor& items);

/// Returns the distinct texts of the evaluator's split, in order: [K, words].
at::Tensor distinct_texts(const DomainData& domain);
/// Returns the class of each item: its label, or the index of its text among the distinct ones.
at::Tensor class_indices(const DomainData& domain, const at::Tensor& labels);
std::int64_t class_count(const DomainData& domain);
/// Names classes by their numbers: "0", "1", ..., count - 1.
std::vector<std::string> name_classes(std::int64_t count);
/// Returns the name or the text of each class.
std::vector<std::string> class_names(const DomainData& domain);

}  // namespace reprise::reproduce::langevin_study
