// Records made by hand for the tests of this room.
#pragma once
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::records {

struct Made {
  std::string method;
  std::int64_t seed = 0;
  double value = 0;
  std::string table = "table1", dataset = "faces", metric = "auc",
              protocol = "box diagonal, limit 0.08";
  Direction direction = Direction::HigherIsBetter;
};

inline Record make(const Made& made) {
  Record record;
  record.cell = {.study = "prernn",
                 .table = made.table,
                 .dataset = made.dataset,
                 .method = made.method,
                 .seed = made.seed};
  record.profile = "smoke";
  record.options = nlohmann::json{{"cnn.epochs", 12}, {"rate", 1e-3}};
  record.metrics = {{.name = made.metric,
                     .value = made.value,
                     .unit = "",
                     .direction = made.direction,
                     .protocol = made.protocol}};
  record.seconds = {{"data", 0.5}, {"total", 12.25}};
  record.parameters = {{"recurrent", 67108864}};
  record.peak_memory_bytes = 1 << 30;
  record.environment = Environment{.commit = "abc",
                                   .dirty = true,
                                   .compiler = "clang 16.0.6",
                                   .torch = "2.11.0",
                                   .cpu = "A CPU",
                                   .gpu = "",
                                   .machine = "2 x A CPU, 24 GiB",
                                   .threads = 2};
  record.status = Status::Done;
  return record;
}

/// One record a value; seeds 0, 1, 2, ...
inline std::vector<Record> make_seeds(Made made, const std::vector<double>& values) {
  std::vector<Record> records;
  for (const double value : values) {
    made.value = value;
    records.push_back(make(made));
    ++made.seed;
  }
  return records;
}

}  // namespace reprise::records
