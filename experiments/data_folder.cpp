#include "experiments/data_folder.h"

#include <utility>

#include "core/error.h"
#include "core/sha256.h"
#include "experiments/run/results.h"

namespace reprise::reproduce {

bool DataFolder::need(const std::string& name, const std::string& what,
                      const std::string& instead) const {
  return need_also(has(name), what.empty() ? name : name + " (" + what + ")", instead);
}

bool DataFolder::need_also(bool there, const std::string& what, const std::string& instead) const {
  if (there || assumed_) return true;
  known_->missing.push_back({what, instead});
  return false;
}

std::vector<Missing> DataFolder::take_missing() const { return std::exchange(known_->missing, {}); }

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
  // A name is a data set below --data, or a file of the project.
  const auto path = has(name) ? root_ / name : project_folder() / name;
  return known_->hashes[name] = std::filesystem::exists(path) ? sha256_path(path) : "";
}

std::map<std::string, std::string> DataFolder::take_hashes() const {
  std::map<std::string, std::string> contents;
  for (const auto& name : known_->taken) contents[name] = hash(name);
  known_->taken.clear();
  return contents;
}

}  // namespace reprise::reproduce
