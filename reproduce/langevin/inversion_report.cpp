#include "reproduce/langevin/inversion_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/text.h"
#include "metrics/image_quality.h"
#include "models/diffusion/churn.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/method_report.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

/// A start of an inversion: the suffix of its metrics, and its name on the page.
struct Place {
  std::string suffix;
  std::string title;
};
const std::vector<Place> places{{.suffix = "on", .title = "clean"},
                                {.suffix = "off", .title = "damaged"}};

/// Returns table `key`, with its columns repeated for each noise level.
TableCaption repeat_per_level(const std::string& key, const std::vector<double>& sigmas,
                              const Captions& captions, CaptionValues values = {}) {
  values["sigma"] = "";
  TableCaption repeated{.table = captions.table(key, values).table, .columns = {}};
  for (const auto sigma : sigmas) {
    values["sigma"] = number_text(sigma);
    for (auto& column : captions.table(key, values).columns)
      repeated.columns.push_back(std::move(column));
  }
  return repeated;
}

/// Returns table `key`, with its columns repeated for each place, and there for each noise level.
TableCaption repeat_per_place(const std::string& key, const std::vector<double>& sigmas,
                              const Captions& captions) {
  TableCaption repeated;
  for (const auto& place : places) {
    auto part = repeat_per_level(key, sigmas, captions,
                                 {{"place", place.suffix}, {"place_title", place.title}});
    repeated.table = part.table;
    repeated.columns.insert(repeated.columns.end(), part.columns.begin(), part.columns.end());
  }
  return repeated;
}

/// Makes a table of inversions. On digits it has every method, on other data those whose D' is D.
Table make_level_table(const std::string& key, const std::string& dataset,
                       const std::vector<double>& sigmas, const Captions& captions) {
  auto [table, columns] = repeat_per_place(key, sigmas, captions);
  auto rows = list_sources("inversion", dataset, captions.settings());
  if (dataset != "digits")
    std::erase_if(rows, [](const auto& row) {
      return parse_configuration(row.method, "inversion").method.aux != Network::Main;
    });
  table.add_rows(rows, columns);
  return table;
}

/// Adds a first row with the labels that the classifier recognises in the pictures themselves.
void add_labels_of_pictures(Table& labels, const Settings& settings) {
  std::vector<std::optional<Entry>> pictures;
  for (const auto& place : places)
    for (std::size_t level = 0; level < settings.numbers("inversion.sigmas").size(); ++level)
      // Pictures are the same for every method, so the first method's record has them.
      pictures.emplace_back(Entry{.table = "inversion",
                                  .dataset = "digits",
                                  .method = settings.texts("methods.inversion").front(),
                                  .metric = "label_picture_" + place.suffix});
  labels.rows.insert(labels.rows.begin(), "the picture");
  labels.entries.insert(labels.entries.begin(), pictures);
}

/// Adds the noise levels after an inversion, for each data set of table inversion.
void report_levels(const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  // Claims compare levels 1 and 2 only.
  auto claimed_levels = settings.numbers("inversion.sigmas");
  std::erase_if(claimed_levels, [](double sigma) { return sigma != 1 && sigma != 2; });
  out.tables.push_back(make_level_table("inversion_level", "digits", claimed_levels, captions));
  for (const std::string dataset : {"landscapes", "mixture"})
    if (is_exact(dataset) || has_domain(settings, dataset))
      out.tables.push_back(
          make_level_table("inversion_level_" + dataset, dataset, claimed_levels, captions));
}

reports::Gallery make_latent_gallery(const Captions& captions) {
  auto gallery = captions.gallery("gallery_inversion");
  for (const auto& source : list_sources("inversion", "digits", captions.settings()))
    for (const auto& place : places)
      gallery.pictures.push_back(
          {.table = source.table,
           .dataset = source.dataset,
           .method = source.method,
           .file = place.suffix + ".png",
           .caption = source.title + (place.suffix == "on" ? "" : ", damaged digits"),
           .rows = {"picture", "D'' of latent", "solved back"}});
  return gallery;
}

}  // namespace

void report_inversion(const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  const auto sigmas = settings.numbers("inversion.sigmas");
  const auto make_table = [&](const std::string& name) {
    return make_level_table("inversion_" + name, "digits", sigmas, captions);
  };
  for (const auto* name : {"content", "fidelity", "back"}) out.tables.push_back(make_table(name));
  // Smaller digits have no SSIM.
  if (settings.integer("digits.size") >= metrics::ssim_window)
    out.tables.push_back(make_table("ssim"));
  out.tables.push_back(make_table("label"));
  add_labels_of_pictures(out.tables.back(), settings);
  out.tables.push_back(make_table("update"));
  report_levels(captions, out);
  const auto levels = std::to_string(sigmas.size());
  out.tables.push_back(add_method_rows(
      "inversion", "digits", captions.table("inversion_time", {{"levels", levels}}), settings));
  for (const std::string curve : {"psnr_on", "psnr_off", "update_frequency_off"}) {
    auto& figure = out.figures.emplace_back(captions.figure("inversion_" + curve));
    figure.add_series(list_sources("inversion", "digits", settings), "sigma", curve);
  }
  out.galleries.push_back(make_latent_gallery(captions));
}

void report_latent(const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  const auto sigmas = settings.numbers("latent.sigmas");
  for (const std::string dataset : {"digits", "mixture"}) {
    if (!is_exact(dataset) && !has_domain(settings, dataset)) continue;
    out.tables.push_back(add_method_rows(
        "latent", dataset, repeat_per_place("latent_" + dataset, sigmas, captions), settings));
    out.tables.push_back(add_method_rows(
        "latent", dataset, repeat_per_level("latent_constant_" + dataset, sigmas, captions),
        settings));
  }
}

Figure make_churn_bias_figure(double sigma, const Captions& captions) {
  const auto level = fmt::format("{:g}", sigma);
  auto id = level;
  std::ranges::replace(id, '.', '_');
  auto figure = captions.figure("churn_bias", {{"sigma", level}, {"sigma_id", id}});
  for (const auto& form : models::churn_forms())
    for (const auto& [label, y, dash] :
         {std::tuple{form.formula, "variance_" + level, "measured"},
          std::tuple{form.formula + ", closed form", "closed_" + level, "closed form"}})
      figure.series.push_back({.label = label,
                               .table = exact_table,
                               .dataset = "gaussian",
                               .method = form.id,
                               .x = "h_" + level,
                               .y = y,
                               .colour = form.formula,
                               .dash = dash});
  return figure;
}

}  // namespace reprise::reproduce::langevin_study
