// Records as a study would have left them, with values that the test chooses.
#pragma once
#include <string>
#include <vector>

#include "core/files.h"
#include "records/store.h"

namespace reprise::reports {

inline records::Record fake_record(const std::string& method, std::int64_t seed, double auc) {
  records::Record record;
  record.cell = {
      .study = "toy", .table = "table1", .dataset = "faces", .method = method, .seed = seed};
  record.profile = "smoke";
  record.metrics = {{.name = "auc",
                     .value = auc,
                     .unit = "",
                     .direction = records::Direction::HigherIsBetter,
                     .protocol = "box diagonal, limit 0.08"}};
  record.seconds = {{"data", 0.5}, {"forward", 2}, {"backward", 3}, {"step", 1}, {"total", 7}};
  record.parameters = {{"recurrent", 375390208}};
  record.environment = records::Environment{.commit = "0123456789abcdef0123456789abcdef01234567",
                                            .dirty = false,
                                            .compiler = "clang 16.0.6",
                                            .torch = "2.11.0",
                                            .cpu = "test CPU",
                                            .gpu = "",
                                            .machine = "2 x test CPU, 24 GiB",
                                            .threads = 1};
  record.status = records::Status::Done;
  return record;
}

/// A results folder that ends with the test.
class FakeResults {
 public:
  records::Store store() const { return records::Store(folder_.path()); }
  const std::filesystem::path& path() const { return folder_.path(); }
  void add(const records::Record& record, const records::Curves& curves = {}) const {
    store().write(record);
    if (!curves.empty()) store().write_curves(record.cell, curves);
  }
  /// One finished cell a value, seeds 0, 1, 2, ...
  void add(const std::string& method, const std::vector<double>& auc) const {
    for (std::size_t seed = 0; seed < auc.size(); ++seed)
      add(fake_record(method, static_cast<std::int64_t>(seed), auc[seed]));
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace reprise::reports
