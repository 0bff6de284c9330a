// How the items of recorded data sets are assigned to the parts of a domain.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/splits.h"
#include "experiments/data_folder.h"
#include "experiments/settings.h"

namespace reprise::reproduce::langevin_study {

/// A domain with the settings and a seed.
struct DomainSeed {
  std::string domain;
  const Settings& settings;
  const DataFolder& data;
  std::int64_t seed;

  std::int64_t integer(const std::string& key) const;
  /// Returns the data set of the domain. Domains that are always generated have no such setting.
  std::string source() const;
  std::filesystem::path folder() const;
  /// Returns the random seed of a purpose. drawn_by: a cell's seed, or 0 if all seeds share the
  /// result.
  std::uint64_t stream(const std::string& purpose, std::int64_t drawn_by) const;
};

/// Item indices of a finite set that each part may use: "prior", "judge" (the evaluator),
/// "validation" and "test". They are the same for every seed. So no evaluator, prior or search sees
/// a test item of any seed.
using Pools = std::map<std::string, datasets::Indices>;

/// Assigns n shuffled items to the parts by the counts of the section. The test gets 8 times
/// `of_test`, and the prior the rest.
Pools assign_items(std::int64_t n, const DomainSeed& own, std::int64_t of_test);
/// Assigns photographs to the parts by fractions of cameras, so that no camera is in two parts.
Pools assign_cameras(const std::vector<std::string>& camera, const DomainSeed& own);
/// Assigns two fifths of the speakers to the prior and two fifths to the evaluator. The others
/// speak in validation and test, with different recordings.
Pools assign_speakers(const std::vector<std::string>& speaker, const DomainSeed& own);

}  // namespace reprise::reproduce::langevin_study
