#include "reproduce/langevin/tables.h"

#include "experiments/names.h"

namespace reprise::reproduce::langevin_study {
namespace {

// Prefix of the tables of trials.
const std::string trial = "search_";

}  // namespace

const std::vector<MethodTable>& method_tables() {
  static const std::vector<MethodTable> all{
      {.name = "exact", .searched = true},
      {.name = "inversion",
       .looped = false,
       .churned = false,
       .takes_script = true,
       .keys = {"sigma_min"},
       .work = Work::ItemsAtEveryLevel},
      {.name = "latent", .looped = false, .work = Work::ItemsAtEveryLevel},
      {.name = "churn", .searched = true, .takes_script = true, .reads = {"quality"}},
      {.name = "steering",
       .searched = true,
       .guided = true,
       .takes_script = true,
       .reads = {"quality"}},
      {.name = "completion", .searched = true, .takes_script = true},
      {.name = "painting", .searched = true, .guided = true},
      {.name = "extension",
       .searched = true,
       .guided = true,
       .keys = {"overlap"},
       .reads = {"quality"},
       .work = Work::Windows},
      {.name = "object", .searched = true, .guided = true, .work = Work::Views}};
  return all;
}

const MethodTable& find_method_table(const std::string& name) {
  return find_named(method_tables(), "table of methods", name);
}

std::string search_table(const std::string& table) { return trial + table; }

std::string base_table(const std::string& table) {
  return table.starts_with(trial) ? table.substr(trial.size()) : table;
}

}  // namespace reprise::reproduce::langevin_study
