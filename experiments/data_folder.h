// The folder given as --data, which holds a folder (or file) for each data set.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace reprise::reproduce {

/// Something that a cell needs and that is not here.
struct Missing {
  std::string what;     ///< where it belongs and what it is
  std::string instead;  ///< what a user may do without it; ""
};

/// Knows which sets were taken from it: what a cell read is part of what the cell is. Copies share
/// that knowledge.
class DataFolder {
 public:
  /// `root`: "" where no data was given.
  DataFolder(std::filesystem::path root = {}) : root_(std::move(root)) {}
  DataFolder(const char* root) : root_(root) {}

  /// A folder that claims to hold every set: for the plan of results whose cells need not run here.
  /// Nothing can be read from it.
  static DataFolder assumed() {
    DataFolder folder;
    folder.assumed_ = true;
    return folder;
  }

  /// Made by assumed().
  bool is_assumed() const { return assumed_; }
  bool empty() const { return root_.empty(); }
  /// Whether this set, or file, is there. Asking is no reading.
  bool has(const std::string& name) const {
    return assumed_ || (!empty() && std::filesystem::exists(root_ / name));
  }
  /// Where a set would lie, for a message.
  std::filesystem::path place(const std::string& name) const { return root_ / name; }
  /// For messages: the folder, or "(not given)".
  std::string shown() const { return empty() ? "(not given)" : root_.string(); }
  /// Notes that a cell needs this set or file, and returns has(). `what` describes it ("300-W:
  /// NAME.jpg with NAME.pts"); `instead` is what a user may do without it ("--set
  /// digits.source=drawn").
  bool need(const std::string& name, const std::string& what = "",
            const std::string& instead = "") const;
  /// Notes that a cell needs something else, such as a CUDA device, which is there or not.
  bool need_also(bool there, const std::string& what, const std::string& instead = "") const;
  /// What was needed since the last call and is missing: PlannedCell::missing.
  std::vector<Missing> take_missing() const;
  /// Where it lies, to be read.
  std::filesystem::path operator/(const std::string& name) const {
    known_->taken.insert(name);
    return root_ / name;
  }
  /// A file that comes with this project, as a setting names it below the project's folder: it is
  /// what a cell reads, too. UsageError: not there.
  std::filesystem::path file_of_project(const std::string& name) const;

  /// What was taken since the last call, with the SHA-256 of each content ("" of what is not
  /// there). Each is hashed once.
  std::map<std::string, std::string> taken() const;
  /// SHA-256 of the content of a set, or of such a file; "" when it is not there.
  std::string hash(const std::string& name) const;

 private:
  std::filesystem::path root_;
  bool assumed_ = false;
  struct Known {
    std::set<std::string> taken;
    std::map<std::string, std::string> hashes;
    std::vector<Missing> missing;
  };
  std::shared_ptr<Known> known_ = std::make_shared<Known>();
};

}  // namespace reprise::reproduce
