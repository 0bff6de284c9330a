#include "reports/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/files.h"

namespace reprise::reports {
namespace {

/// Returns the ending for the content of a file. Browsers choose the type of a local file by it.
std::string image_ending(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "png";
  if (bytes.starts_with("\xff\xd8\xff")) return "jpg";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "webp";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WAVE")) return "wav";
  throw Error(file + " is neither a PNG, JPEG or WebP picture nor a WAVE sound",
              "run its cell again: remove its folder and repeat the run");
}

/// Finds the finished cell of a method with the median of a metric, the lower one of two. Cells
/// without the metric rank last.
const records::Record* find_median_cell(std::vector<const records::Record*> records,
                                        const std::string& metric) {
  if (records.empty()) return nullptr;
  std::ranges::stable_sort(
      records, {}, [&](const auto* record) { return record->metric(metric).value_or(INFINITY); });
  return records[(records.size() - 1) / 2];
}

}  // namespace

bool is_picture_name(const Gallery& gallery, std::size_t number, const std::string& name) {
  return name == gallery.id || name == gallery.id + "-" + std::to_string(number);
}

std::vector<ShownPicture> find_pictures(const Gallery& gallery, const Measured& measured) {
  std::vector<ShownPicture> out;
  for (const auto& picture : gallery.pictures) {
    auto& shown =
        out.emplace_back(ShownPicture{.picture = picture, .cell = "", .file = "", .bytes = ""});
    auto records = measured.finished_records(picture.table, picture.dataset, picture.method);
    // Without a metric for the median, the first seed with the file is shown.
    const auto* median =
        gallery.median_of.empty() ? nullptr : find_median_cell(records, gallery.median_of);
    // If the median cell lacks the file, the first other seed that has it is shown.
    std::ranges::stable_partition(records, [&](const auto* record) { return record == median; });
    for (const auto* record : records) {
      const auto file = measured.store().file(record->cell, picture.file);
      if (!file) continue;
      shown.bytes = read_file(*file);
      shown.file = "pictures/" + gallery.id + "-" + std::to_string(out.size()) + "." +
                   image_ending(shown.bytes, file->string());
      shown.cell = record->cell.id();
      if (record == median)
        shown.picture.caption +=
            fmt::format(", seed {}, the median of {}", record->cell.seed, records.size());
      else if (median != nullptr)
        shown.picture.caption += fmt::format(", seed {}", record->cell.seed);
      break;
    }
  }
  return out;
}

}  // namespace reprise::reports
