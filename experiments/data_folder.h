// The --data folder, which holds a folder or file for each data set.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace reprise::reproduce {

/// Missing data or hardware of a cell.
struct Missing {
  std::string what;     ///< place and description
  std::string instead;  ///< alternative for the user; "" without one
};

/// The data folder of a run. It notes which sets are read, because a cell's record names them.
/// Copies share the notes.
class DataFolder {
 public:
  /// `root`: "" without --data.
  DataFolder(std::filesystem::path root = {}) : root_(std::move(root)) {}
  DataFolder(const char* root) : root_(root) {}

  /// Returns a folder that claims to hold every set, to plan results whose cells need not run.
  /// Nothing can be read from it.
  static DataFolder assume_complete() {
    DataFolder folder;
    folder.assumed_ = true;
    return folder;
  }

  /// Made by assume_complete().
  bool is_assumed() const { return assumed_; }
  bool empty() const { return root_.empty(); }
  /// Whether this set or file exists. It does not count as read.
  bool has(const std::string& name) const {
    return assumed_ || (!empty() && std::filesystem::exists(root_ / name));
  }
  /// Returns the path of a set, for a message.
  std::filesystem::path place(const std::string& name) const { return root_ / name; }
  /// Returns the folder, or "(not given)", for messages.
  std::string text() const { return empty() ? "(not given)" : root_.string(); }
  /// Notes that a cell needs this set or file, and returns has(). `what` describes it ("300-W:
  /// NAME.jpg with NAME.pts"); `instead` is an alternative ("--set digits.source=drawn").
  bool need(const std::string& name, const std::string& what = "",
            const std::string& instead = "") const;
  /// Notes that a cell needs something else, such as a CUDA device; `there`: whether it exists.
  bool need_also(bool there, const std::string& what, const std::string& instead = "") const;
  /// Returns what was needed since the last call and is missing: PlannedCell::missing.
  std::vector<Missing> take_missing() const;
  /// Returns the path of a set to be read.
  std::filesystem::path operator/(const std::string& name) const {
    known_->taken.insert(name);
    return root_ / name;
  }
  /// Returns a file of this project, named relative to its folder; it counts as read. UsageError:
  /// it does not exist.
  std::filesystem::path file_of_project(const std::string& name) const;

  /// Returns the sets read since the last call with the SHA-256 of their content ("" if absent).
  /// Each is hashed once.
  std::map<std::string, std::string> take_hashes() const;
  /// Returns the SHA-256 of a set or project file; "" if it does not exist.
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
