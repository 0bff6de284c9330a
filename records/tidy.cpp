#include "records/tidy.h"

#include "core/csv.h"
#include "core/text.h"
#include "records/fields.h"

namespace reprise::records {

std::string tidy_csv(const std::vector<Record>& records) {
  std::string out = csv_line({"study", "table", "dataset", "method", "seed", "metric", "value", "unit", "direction", "protocol"}) + "\n";
  for (const auto& record : records) {
    if (record.status != Status::Done) continue;
    const auto& cell = record.cell;
    for (const auto& metric : record.metrics)
      out += csv_line({cell.study, cell.table, cell.dataset, cell.method, std::to_string(cell.seed), metric.name, number_text(metric.value),
                       metric.unit, std::string(choice_text(metric.direction, directions)), metric.protocol}) +
             "\n";
  }
  return out;
}

}  // namespace reprise::records
