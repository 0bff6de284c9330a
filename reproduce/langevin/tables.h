// The tables of study langevin that compare methods, and what each asks of one.
//
// A table whose methods have settings that are chosen on validation items is searched: a candidate,
// METHOD+KEY=VALUE, is a cell of table search_TABLE, a trial, on the validation items of the first
// seeds.
#pragma once
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::reproduce::langevin_study {

/// What goes through the denoisers in a round: what a cell costs follows it.
enum class Work { Items, ItemsAtEveryLevel, Windows, Views };

struct MethodTable {
  std::string name;           ///< of its cells, and of its section of the profile
  bool searched = false;      ///< the settings of its methods are chosen
  bool looped = true;         ///< it runs Algorithm 1: a method may change its rounds and levels
  bool churned = true;        ///< a method may change its churn
  bool guided = false;        ///< D is asked for a class or a text: a method may have "guidance"
  bool takes_script = false;  ///< D' may be an external TorchScript
  std::vector<std::string> keys = {};   ///< what else a method that goes by rounds may change
  std::vector<std::string> reads = {};  ///< sections of other tables that its cells read, too
  Work work = Work::Items;
};
/// In the order in which cells are planned.
const std::vector<MethodTable>& method_tables();
/// UsageError: no such table; lists the known ones.
const MethodTable& method_table(const std::string& name);

/// "search_completion" for "completion".
std::string search_of(const std::string& table);
/// "completion" for "search_completion" and for "completion".
std::string searched_table(const std::string& table);

}  // namespace reprise::reproduce::langevin_study
