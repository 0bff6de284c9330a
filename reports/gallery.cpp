#include "reports/gallery.h"

#include <filesystem>

#include "core/error.h"
#include "core/files.h"
#include "reports/html.h"

namespace reprise::reports {
namespace {

std::string media_type(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF8")) return "image/gif";
  if (bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP")) return "image/webp";
  throw Error(file + " is not a PNG, JPEG, GIF or WebP picture", "run its cell again: remove its folder and repeat the run");
}

}  // namespace

std::vector<ShownPicture> find_pictures(const Gallery& gallery, const Measured& measured) {
  std::vector<ShownPicture> out;
  for (const auto& picture : gallery.pictures) {
    auto& shown = out.emplace_back(ShownPicture{picture, "", ""});
    for (const auto* record : measured.done(picture.table, picture.dataset, picture.method)) {
      const auto file = measured.store().folder(record->cell) / picture.file;
      if (!std::filesystem::is_regular_file(file)) continue;
      const std::string bytes = read_file(file);
      shown.uri = "data:" + media_type(bytes, file.string()) + ";base64," + base64(bytes);
      shown.cell = record->cell.id();
      break;
    }
  }
  return out;
}

}  // namespace reprise::reports
