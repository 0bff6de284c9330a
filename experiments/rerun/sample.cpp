#include "experiments/rerun/sample.h"

#include <fmt/format.h>

#include <set>

#include "core/error.h"
#include "core/toml.h"

namespace reprise::reproduce {
namespace {

constexpr auto sample_format =
    "a cell is [[cell]] with cell = \"TABLE/DATASET/METHOD/seedN\", seconds = 12 and, where it starts from committed "
    "files, checkpoint = [\"TABLE/DATASET/METHOD/seedN\"]";

SampleCell sample_cell(const toml::table& entry, const std::string& where) {
  // A misspelt key must not be ignored silently.
  for (const auto& [key, value] : entry)
    if (key != "cell" && key != "seconds" && key != "checkpoint")
      throw UsageError(fmt::format("{}: unknown key {}", where, key.str()), sample_format);
  const auto cell = entry["cell"].value<std::string>();
  const auto seconds = entry["seconds"].value<double>();
  if (!cell || !seconds || *seconds < 0)
    throw UsageError(where + ": cell or seconds is missing", sample_format);
  SampleCell read{.cell = *cell, .seconds = *seconds};
  if (!entry.contains("checkpoint")) return read;
  const auto* list = entry["checkpoint"].as_array();
  if (list == nullptr) throw UsageError(where + ": checkpoint is no list", sample_format);
  for (const auto& item : *list) {
    const auto name = item.value<std::string>();
    if (!name)
      throw UsageError(where + ": checkpoint holds something that is no name of a cell",
                       sample_format);
    read.checkpoint.push_back(*name);
  }
  return read;
}

}  // namespace

std::vector<SampleCell> read_sample(std::string_view toml, const std::string& name) {
  const auto table = read_toml(toml, name);
  std::vector<SampleCell> cells;
  std::set<std::string> seen;
  for (const auto& [key, value] : table) {
    const auto* list = value.as_array();
    if (key != "cell" || list == nullptr)
      throw UsageError(fmt::format("{}: unknown key {}", name, key.str()), sample_format);
    for (const auto& item : *list) {
      const auto where = fmt::format("{}, cell {}", name, cells.size() + 1);
      const auto* entry = item.as_table();
      if (entry == nullptr) throw UsageError(where + " is no table", sample_format);
      cells.push_back(sample_cell(*entry, where));
      // A cell that is listed twice would run, and count, twice.
      if (!seen.insert(cells.back().cell).second)
        throw UsageError(fmt::format("{}: {} stands there twice", where, cells.back().cell),
                         sample_format);
    }
  }
  return cells;
}

}  // namespace reprise::reproduce
