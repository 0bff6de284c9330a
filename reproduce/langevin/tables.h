// The tables of study langevin that compare methods.
//
// A searched table chooses hyperparameters of its methods on validation items. Each trial,
// METHOD+KEY=VALUE, is a cell of table search_TABLE, for the first seeds.
#pragma once
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::reproduce::langevin_study {

/// What the denoisers process in a round. It determines the cost of a cell.
enum class Work { Items, ItemsAtEveryLevel, Windows, Views };

struct MethodTable {
  std::string name;                    ///< name in cells, and of its section of the profile
  bool searched = false;               ///< hyperparameters of its methods are chosen by search
  bool looped = true;                  ///< runs Algorithm 1: rounds and levels are hyperparameters
  bool churned = true;                 ///< the churn is a hyperparameter
  bool guided = false;                 ///< D gets a class or a text: "guidance" is a hyperparameter
  bool takes_script = false;           ///< D' may be an external TorchScript
  std::vector<std::string> keys = {};  ///< further hyperparameters of methods that run in rounds
  std::vector<std::string> reads = {};  ///< further sections of settings that its cells read
  Work work = Work::Items;
};
/// Lists the tables, in the order in which cells are planned.
const std::vector<MethodTable>& method_tables();
/// Finds a table by name. UsageError: no such table; lists the known ones.
const MethodTable& find_method_table(const std::string& name);

/// Returns the table of a table's trials: "search_completion" for "completion".
std::string search_table(const std::string& table);
/// Returns the table that a search serves: "completion" for "search_completion" and "completion".
std::string base_table(const std::string& table);

}  // namespace reprise::reproduce::langevin_study
