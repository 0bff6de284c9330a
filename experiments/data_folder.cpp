#include "experiments/data_folder.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"
#include "experiments/run/results.h"

namespace reprise::reproduce {

bool DataFolder::need(const std::string& name, const std::string& what, const std::string& instead) const {
  return need_also(has(name), what.empty() ? name : name + " (" + what + ")", instead);
}

bool DataFolder::need_also(bool there, const std::string& what, const std::string& instead) const {
  const auto note = [](std::vector<std::string>& list, const std::string& text) {
    if (!text.empty() && std::ranges::find(list, text) == list.end()) list.push_back(text);
  };
  if (there || assumed_) return true;
  note(known_->missing, what);
  note(known_->instead, instead);
  return false;
}

void DataFolder::expect_needs() const {
  if (plans_only_ || known_->missing.empty()) return;
  const auto lacks = missing();
  known_->missing.clear();
  const auto instead = std::exchange(known_->instead, {});
  throw UsageError(lacks, "provide it (--data DIR is the folder that holds data sets)" +
                              (instead.empty() ? "" : ", or do without: " + join(instead, "; ")) +
                              "; --dry-run shows the plan all the same");
}

std::string DataFolder::missing() const {
  if (known_->missing.empty()) return "";
  return "this run needs what is missing below --data " + shown() + ": " + join(known_->missing, "; ");
}

std::filesystem::path DataFolder::file_of_project(const std::string& name) const {
  const auto file = project_folder() / name;
  if (!std::filesystem::exists(file))
    throw UsageError(
        "the profile begins with the weights in " + file.string() + ", which are not there",
        "run in the project's folder, where they come with the source, or let the network be trained: set this weights = \"\"");
  known_->taken.insert(name);
  return file;
}

std::string DataFolder::hash(const std::string& name) const {
  const auto known = known_->hashes.find(name);
  if (known != known_->hashes.end()) return known->second;
  const auto path = has(name) ? root_ / name : project_folder() / name;
  return known_->hashes[name] = std::filesystem::exists(path) ? sha256_path(path) : "";
}

std::map<std::string, std::string> DataFolder::taken() const {
  std::map<std::string, std::string> contents;
  for (const auto& name : known_->taken) contents[name] = hash(name);
  known_->taken.clear();
  return contents;
}

}  // namespace reprise::reproduce
