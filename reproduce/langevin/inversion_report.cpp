#include "reproduce/langevin/inversion_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/text.h"
#include "metrics/image_quality.h"
#include "models/diffusion/churn.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/method_report.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

/// Makes a table of a metric with a column for each place and level. On digits it has every method,
/// on other data those whose D' is D.
Table make_level_table(const std::string& metric, const std::string& dataset,
                       const std::vector<double>& sigmas, Table table, const Settings& settings) {
  table.corner = "method";
  Columns columns;
  for (const auto& [where, title] : {std::pair{"on", "clean"}, std::pair{"off", "damaged"}})
    for (const auto sigma : sigmas)
      columns.push_back({fmt::format("{}, σ = {}", title, number_text(sigma)),
                         fmt::format("{}_{}_{}", metric, where, number_text(sigma))});
  auto rows = list_sources("inversion", dataset, settings);
  if (dataset != "digits")
    std::erase_if(rows, [](const auto& row) {
      return parse_configuration(row.method, "inversion").method.aux != Network::Main;
    });
  table.add_rows(rows, columns);
  return table;
}

/// Makes a table of digits at every level.
Table make_inversion_table(const std::string& metric, const std::string& name,
                           const std::string& title, int digits, const Settings& settings) {
  const auto id = "inversion_" + name;
  return make_level_table(
      metric, "digits", settings.numbers("inversion.sigmas"),
      {.id = id, .title = title, .caption = caption(id, settings), .digits = digits}, settings);
}

Figure make_inversion_figure(const std::string& curve, const std::string& title,
                             const std::string& label, const std::string& key,
                             const Settings& settings) {
  Figure figure{.id = "inversion_" + curve,
                .title = title,
                .caption = caption(key, settings),
                .x_label = "σ",
                .y_label = label};
  figure.add_series(list_sources("inversion", "digits", settings), "sigma", curve);
  return figure;
}

}  // namespace

void report_inversion(const Settings& settings, Report& out) {
  out.tables.push_back(
      make_inversion_table("psnr", "content", "Content that an inversion keeps", 1, settings));
  out.tables.push_back(
      make_inversion_table("fidelity", "fidelity", "Content of a latent for D'", 1, settings));
  out.tables.push_back(
      make_inversion_table("back", "back", "Latents solved back by the ODE", 1, settings));
  if (settings.integer("digits.size") >= metrics::ssim_window)
    out.tables.push_back(
        make_inversion_table("ssim", "ssim", "Structure that an inversion keeps", 3, settings));
  auto labels =
      make_inversion_table("label_seen", "label", "Labels that an inversion keeps", 3, settings);
  // The first row shows the labels of the pictures themselves.
  decltype(labels.entries)::value_type pictures;
  for (const std::string where : {"on", "off"})
    for (std::size_t i = 0; i < settings.numbers("inversion.sigmas").size(); ++i)
      pictures.emplace_back(Entry{"inversion", "digits",
                                  settings.texts("methods.inversion").front(),
                                  "label_picture_" + where});
  labels.rows.insert(labels.rows.begin(), "the picture");
  labels.entries.insert(labels.entries.begin(), pictures);
  out.tables.push_back(labels);
  out.tables.push_back(make_inversion_table("update_frequency", "update",
                                            "Spatial frequency of the update", 3, settings));
  // Claims compare levels 1 and 2 only.
  auto claimed_levels = settings.numbers("inversion.sigmas");
  std::erase_if(claimed_levels, [](double sigma) { return sigma != 1 && sigma != 2; });
  const auto add_levels = [&](const std::string& id, const std::string& what,
                              const std::string& dataset, const std::string& items) {
    const auto text =
        caption("inversion_level", settings, {{"items", std::to_string(settings.integer(items))}});
    out.tables.push_back(
        make_level_table("level", dataset, claimed_levels,
                         {.id = id,
                          .title = "Level of the noise after an inversion: " + what,
                          .caption = text,
                          .digits = 2},
                         settings));
  };
  add_levels("inversion_level", "digits", "digits", "inversion.items");
  if (has_domain(settings, "landscapes"))
    add_levels("inversion_level_landscapes", "photographs", "landscapes", "inversion.items");
  add_levels("inversion_level_mixture", "mixture", "mixture", "exact.mixture_items");
  const auto levels = std::to_string(settings.numbers("inversion.sigmas").size());
  out.tables.push_back(
      add_method_rows("inversion", "digits", settings,
                      {.id = "inversion_time",
                       .title = "Time of the inversions",
                       .caption = caption("inversion_time", settings, {{"levels", levels}}),
                       .digits = 2},
                      {{"seconds", "seconds.inversion"}}));
  out.figures.push_back(make_inversion_figure("psnr_on",
                                              "Content that an inversion keeps, clean digits",
                                              "PSNR, dB", "content_by_level", settings));
  out.figures.push_back(make_inversion_figure("psnr_off",
                                              "Content that an inversion keeps, damaged digits",
                                              "PSNR, dB", "content_by_level", settings));
  out.figures.push_back(make_inversion_figure("update_frequency_off",
                                              "Spatial frequency of the update, damaged digits",
                                              "cycles per pixel", "update_by_level", settings));
  reports::Gallery inverted{.id = "gallery_inversion",
                            .title = "Latents of the inversions at σ = 3",
                            .caption = caption("inverted", settings)};
  for (const auto& source : list_sources("inversion", "digits", settings))
    for (const std::string where : {"on", "off"})
      inverted.pictures.push_back(
          {.table = source.table,
           .dataset = source.dataset,
           .method = source.method,
           .file = where + ".png",
           .caption = source.title + (where == "on" ? "" : ", damaged digits"),
           .rows = {"picture", "D'' of latent", "solved back"}});
  out.galleries.push_back(inverted);
}

void report_latent(const Settings& settings, Report& out) {
  for (const std::string data : {"digits", "mixture"}) {
    if (data == "digits" && !has_domain(settings, data)) continue;
    Columns columns;
    for (const std::string where : {"on", "off"})
      for (const auto sigma : settings.numbers("latent.sigmas")) {
        const auto at = fmt::format("{}_{}", where, number_text(sigma));
        const auto title = [&](const std::string& what) {
          return fmt::format("{}, {}, σ = {}", what, where == "on" ? "clean" : "damaged",
                             number_text(sigma));
        };
        columns.push_back({title("before"), "level_before_" + at});
        columns.push_back({title("after"), "level_after_" + at});
      }
    out.tables.push_back(
        add_method_rows("latent", data, settings,
                        {.id = "latent_" + data,
                         .title = "Level of the noise before and after one churn: " + data,
                         .caption = caption("latent_" + data, settings),
                         .digits = 2},
                        columns));
    Columns constant;
    for (const auto sigma : settings.numbers("latent.sigmas")) {
      const auto at = number_text(sigma);
      const auto title = [&at](const std::string& what) {
        return fmt::format("{}, σ = {}", what, at);
      };
      if (data == "digits") {
        constant.push_back({title("ln Fréchet before"), "log_frechet_start_off_" + at});
        constant.push_back({title("ln Fréchet after"), "log_frechet_end_off_" + at});
        constant.push_back({title("ln Fréchet of blank pictures"), "log_frechet_blank_" + at});
        constant.push_back({title("labels before"), "label_start_off_" + at});
        constant.push_back({title("labels after"), "label_end_off_" + at});
      } else {
        constant.push_back({title("-ln p before"), "nll_start_off_" + at});
        constant.push_back({title("-ln p after"), "nll_end_off_" + at});
        constant.push_back({title("-ln p of p(x; σ)"), "nll_data_" + at});
      }
    }
    out.tables.push_back(
        add_method_rows("latent", data, settings,
                        {.id = "latent_constant_" + data,
                         .title = fmt::format("{} churns at one level, from damaged items: {}",
                                              settings.integer("latent.rounds"), data),
                         .caption = caption("latent_constant_" + data, settings),
                         .digits = 2},
                        constant));
  }
}

Figure make_churn_bias_figure(const std::string& sigma, const Settings& settings) {
  auto id = "churn_bias_" + sigma;
  std::replace(id.begin(), id.end(), '.', '_');
  Figure figure{.id = id,
                .title = fmt::format("Stationary variance under churns of size h, σ = {}", sigma),
                .caption = caption("churn_bias", settings),
                .x_label = "h = β Δt",
                .y_label = "variance over the right variance",
                .y_min = 0,
                .y_max = 4};
  for (const auto& form : models::churn_forms()) {
    const auto& title = form.formula;
    for (const auto& [label, y, dash] :
         {std::tuple{title, "variance_" + sigma, "measured"},
          std::tuple{title + ", closed form", "closed_" + sigma, "closed form"}})
      figure.series.push_back({.label = label,
                               .table = "exact",
                               .dataset = "gaussian",
                               .method = form.id,
                               .x = "h_" + sigma,
                               .y = y,
                               .colour = title,
                               .dash = dash});
  }
  return figure;
}

}  // namespace reprise::reproduce::langevin_study
