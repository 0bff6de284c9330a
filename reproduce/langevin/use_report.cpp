#include "reproduce/langevin/use_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/method_report.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Table;

/// A row of the table of uses.
struct Use {
  std::string title;  ///< key of the title in captions.toml
  std::string table;
  std::string dataset;
  std::string metric;
  std::vector<std::string> methods;  ///< one per column; "": an empty cell
};

const std::vector<Use> uses{{.title = "use_extension",
                             .table = "extension",
                             .dataset = "landscapes",
                             .metric = "seam",
                             .methods = {"backprop", "renoised", "multidiffusion", "independent"}},
                            {.title = "use_completion",
                             .table = "completion",
                             .dataset = "digits",
                             .metric = "psnr_unknown",
                             .methods = {"backprop", "renoised", "repaint", "start"}},
                            {.title = "use_painting",
                             .table = "painting",
                             .dataset = "digits",
                             .metric = "frechet",
                             .methods = {"mlp", "mlp_renoised", "mlp_sds", ""}},
                            {.title = "use_steering",
                             .table = "steering",
                             .dataset = "digits",
                             .metric = "target_reached",
                             .methods = {"backprop", "renoised", "sdedit", "backprop+guidance=0"}},
                            {.title = "use_object",
                             .table = "object",
                             .dataset = "solids",
                             .metric = "psnr_held_out",
                             .methods = {"backprop", "renoised", "sds", "reference"}},
                            {.title = "use_object_of_text",
                             .table = "object",
                             .dataset = "solids",
                             .metric = "target_probability",
                             .methods = {"text_backprop", "text_renoised", "text_sds", ""}}};

}  // namespace

Table make_uses_table(const Captions& captions) {
  const auto& settings = captions.settings();
  auto [table, columns] = captions.table("uses");
  table.add_columns(columns);
  for (const auto& use : uses) {
    const auto known = settings.texts("methods." + use.table);
    const auto runs = [&known](const std::string& method) {
      return std::ranges::find(known, method) != known.end();
    };
    // Profiles may leave out domains or methods.
    if (!has_domain(settings, use.dataset) || !runs(use.methods.front())) continue;
    table.rows.push_back(captions.text(use.title));
    auto& row = table.entries.emplace_back();
    for (const auto& method : use.methods)
      row.push_back(runs(method) ? std::optional(Entry{.table = use.table,
                                                       .dataset = use.dataset,
                                                       .method = method,
                                                       .metric = use.metric})
                                 : std::nullopt);
  }
  return table;
}

void report_digits(const Captions& captions, Report& out) {
  for (const auto* table : {"steering", "completion", "painting"})
    out.tables.push_back(
        add_method_rows(table, "digits", captions.table(table), captions.settings()));
  out.galleries.push_back(make_rounds_gallery(
      "steering", {.before = {"given"}, .from_first = false, .end = false}, captions));
  out.galleries.push_back(make_rounds_gallery(
      "completion", {.before = {"digit", "known"}, .from_first = false}, captions));
  auto painted = make_rounds_gallery("painting", {}, captions);
  // Painted digit k has label k mod 10, so each column of a sheet shows one label.
  for (auto& picture : painted.pictures) picture.columns = name_classes(10);
  out.galleries.push_back(painted);
}

void report_extension(const std::string& domain, const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  const auto sizes = fmt::format("{} windows of {}", settings.integer("extension.times"),
                                 describe_item_size(domain, settings));
  const CaptionValues values{
      {"domain", domain}, {"canvases", captions.text("canvases_" + domain)}, {"sizes", sizes}};
  out.tables.push_back(
      add_method_rows("extension", domain, captions.table("extension", values), settings));
  // Videos and sounds are shown as pictures, and then as they move or sound.
  std::string key = "extended";
  std::string played;
  const auto kind = find_domain(domain).kind;
  if (kind == models::ItemKind::Sounds) {
    key = "extended_sounds";
    played = "extended.wav";
  } else if (kind == models::ItemKind::Videos) {
    key = "extended_videos";
    played = "extended.webp";
  }
  const auto sources = list_sources("extension", domain, settings);
  auto& gallery = out.galleries.emplace_back(captions.gallery(key, values));
  gallery.add_pictures(sources, "extended.png");
  if (!played.empty()) gallery.add_pictures(sources, played);
}

void report_objects(const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  out.tables.push_back(add_method_rows("object", "solids", captions.table("object"), settings));
  auto& gallery = out.galleries.emplace_back(captions.gallery("gallery_object_solids"));
  auto objects = list_sources("object", "solids", settings);
  gallery.add_pictures(objects, "views.png");
  if (objects.empty()) return;
  // True views are the same for every method, so the first one's are shown.
  auto truth = objects.front();
  truth.title = captions.text("true_views");
  for (auto& object : objects)
    object.title = captions.text("turning_object", {{"object", object.title}});
  gallery.add_pictures(objects, "turn.webp");
  gallery.add_pictures({truth}, "truth.png");
}

}  // namespace reprise::reproduce::langevin_study
