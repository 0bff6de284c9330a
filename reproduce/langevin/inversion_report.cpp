#include "reproduce/langevin/inversion_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "metrics/image_quality.h"
#include "models/diffusion/churn.h"
#include "reproduce/langevin/method_report.h"
#include "reproduce/langevin/variants.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

/// A column for each place and level. On digits it has every method, on other data those whose D' is D.
Table inversion(const Settings& settings, const std::string& metric, const std::string& id, const std::string& title,
                const std::string& caption, int digits, const std::string& dataset, const std::vector<double>& sigmas) {
  Table table{.id = id, .title = title, .caption = caption, .digits = digits};
  Columns columns;
  for (const std::string where : {"on", "off"})
    for (const auto sigma : sigmas)
      columns.push_back({fmt::format("{}, σ = {}", where == "on" ? "clean" : "damaged", number_text(sigma)),
                         fmt::format("{}_{}_{}", metric, where, number_text(sigma))});
  table.corner = "method";
  table.add_columns(columns);
  for (const auto& method : settings.texts("methods.inversion"))
    if (dataset == "digits" || variant_of(method, "inversion").method.aux == Network::Main)
      table.add_row(title_of(method, "inversion"), "inversion", dataset, method, columns);
  return table;
}

Table inversion(const Settings& settings, const std::string& metric, const std::string& id, const std::string& title,
                const std::string& caption, int digits) {
  return inversion(settings, metric, id, title, caption, digits, "digits", settings.numbers("inversion.sigmas"));
}

Table inversion_time(const Settings& settings) {
  return by_method("inversion", "digits", settings,
                   {.id = "inversion_time",
                    .title = "Time of the inversions",
                    .caption = fmt::format("Wall time in seconds of {} clean and as many damaged digits at {} levels, one thread.",
                                           settings.integer("inversion.items"), settings.numbers("inversion.sigmas").size()),
                    .digits = 2},
                   {{"seconds", "seconds.inversion"}});
}

/// "100 test digits (28 x 28 pixels)".
std::string test_digits(const Settings& settings) {
  return fmt::format("{} test digits ({})", settings.integer("inversion.items"), item_size("digits", settings));
}

Figure inversion_figure(const Settings& settings, const std::string& curve, const std::string& title, const std::string& label,
                        const std::string& measure) {
  Figure figure{.id = "inversion_" + curve,
                .title = title,
                .caption = test_digits(settings) + ": " + measure + ".",
                .x_label = "σ",
                .y_label = label};
  for (const auto& method : settings.texts("methods.inversion"))
    figure.series.push_back({title_of(method, "inversion"), "inversion", "digits", method, "sigma", curve});
  return figure;
}

}  // namespace

void report_inversion(const Settings& settings, Report& out) {
  const auto digits = test_digits(settings);
  out.tables.push_back(
      inversion(settings, "psnr", "inversion_content", "Content that an inversion keeps",
                digits + ": PSNR in dB between the picture and what D'' sees in its latent. No inversion uses D'', which learns "
                         "from other digits.",
                1));
  out.tables.push_back(inversion(settings, "fidelity", "inversion_fidelity", "Content of a latent for D'",
                                 digits + ": PSNR in dB between the picture and D'(x_σ; σ). Backprop inversion maximises this value.", 1));
  out.tables.push_back(
      inversion(settings, "back", "inversion_back", "Latents solved back by the ODE",
                digits + ": PSNR in dB between the picture and the latent solved back to σ_min by the probability-flow ODE of D. "
                         "The ODE inversion is undone by construction, so that its value does not describe the latent.",
                1));
  if (settings.integer("digits.size") >= metrics::ssim_window)
    out.tables.push_back(inversion(settings, "ssim", "inversion_ssim", "Structure that an inversion keeps",
                                   digits + ": SSIM between the picture and what D'' sees in its latent.", 3));
  auto labels = inversion(settings, "label_seen", "inversion_label", "Labels that an inversion keeps",
                          digits +
                              ": fraction of the labels that a classifier recognises in what D'' sees in the latent. The first row is the "
                              "picture itself.",
                          3);
  decltype(labels.entries)::value_type pictures;
  for (const std::string where : {"on", "off"})
    for (std::size_t i = 0; i < settings.numbers("inversion.sigmas").size(); ++i)
      pictures.emplace_back(Entry{"inversion", "digits", settings.texts("methods.inversion").front(), "label_picture_" + where});
  labels.rows.insert(labels.rows.begin(), "the picture");
  labels.entries.insert(labels.entries.begin(), pictures);
  out.tables.push_back(labels);
  out.tables.push_back(inversion(settings, "update_frequency", "inversion_update", "Spatial frequency of the update",
                                 digits + ": mean frequency in cycles per pixel of D'(x'_σ) - D'(x_σ), the change by one churn.", 3));
  const auto level = [&](const std::string& dataset) {
    return fmt::format(
        "Level of the noise that D measures in {} latents, over σ. Naive inversion of clean items gives latents of p(x; σ) itself, whose level "
        "can be below 1 on flat backgrounds.",
        settings.integer(dataset == "mixture" ? "exact.mixture_items" : "inversion.items"));
  };
  auto judged = settings.numbers("inversion.sigmas");  // claims compare the level at 1 and 2
  std::erase_if(judged, [](double sigma) { return sigma != 1 && sigma != 2; });
  const auto levels = [&](const std::string& id, const std::string& title, const std::string& dataset) {
    out.tables.push_back(inversion(settings, "level", id, title, level(dataset), 2, dataset, judged));
  };
  levels("inversion_level", "Level of the noise after an inversion: digits", "digits");
  if (has(settings, "landscapes")) levels("inversion_level_landscapes", "Level of the noise after an inversion: photographs", "landscapes");
  levels("inversion_level_mixture", "Level of the noise after an inversion: mixture", "mixture");
  out.tables.push_back(inversion_time(settings));
  const std::string content = "PSNR between the picture and what D'' sees in its latent";
  out.figures.push_back(inversion_figure(settings, "psnr_on", "Content that an inversion keeps, clean digits", "PSNR, dB", content));
  out.figures.push_back(inversion_figure(settings, "psnr_off", "Content that an inversion keeps, damaged digits", "PSNR, dB", content));
  out.figures.push_back(inversion_figure(settings, "update_frequency_off", "Spatial frequency of the update, damaged digits",
                                         "cycles per pixel", "mean frequency of the change by one churn"));
  reports::Gallery inverted{.id = "gallery_inversion",
                            .title = "Latents of the inversions at σ = 3",
                            .caption = "One column per test digit, " + item_size("digits", settings) +
                                       ": the picture, what D'' sees in its latent, and the latent solved back by the ODE."};
  for (const auto& method : settings.texts("methods.inversion"))
    for (const std::string where : {"on", "off"})
      inverted.pictures.push_back({.table = "inversion",
                                   .dataset = "digits",
                                   .method = method,
                                   .file = where + ".png",
                                   .caption = title_of(method, "inversion") + (where == "on" ? "" : ", damaged digits"),
                                   .rows = {"picture", "D'' of latent", "solved back"}});
  out.galleries.push_back(inverted);
}

void report_latent(const Settings& settings, Report& out) {
  for (const std::string data : {"digits", "mixture"}) {
    if (data == "digits" && !has(settings, data)) continue;
    const auto latents = fmt::format("{} latents", settings.integer(data == "mixture" ? "exact.mixture_items" : "latent.items"));
    Columns columns;
    for (const std::string where : {"on", "off"})
      for (const auto sigma : settings.numbers("latent.sigmas")) {
        const auto at = fmt::format("{}_{}", where, number_text(sigma));
        const auto title = [&](const std::string& what) {
          return fmt::format("{}, {}, σ = {}", what, where == "on" ? "clean" : "damaged", number_text(sigma));
        };
        columns.push_back({title("before"), "level_before_" + at});
        columns.push_back({title("after"), "level_after_" + at});
      }
    out.tables.push_back(by_method("latent", data, settings,
                                   {.id = "latent_" + data,
                                    .title = "Level of the noise before and after one churn: " + data,
                                    .caption = latents +
                                               (data == "digits" ? ": level over σ, measured by comparison with latents of known levels."
                                                                 : ": level over σ, by the exact denoiser.") +
                                               " Naive inversion of clean items gives latents of p(x; σ) itself.",
                                    .digits = 2},
                                   columns));
    Columns constant;
    for (const auto sigma : settings.numbers("latent.sigmas")) {
      const auto at = number_text(sigma);
      const auto title = [&at](const std::string& what) { return fmt::format("{}, σ = {}", what, at); };
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
    out.tables.push_back(by_method(
        "latent", data, settings,
        {.id = "latent_constant_" + data,
         .title = fmt::format("{} churns at one level, from damaged items: {}", settings.integer("latent.rounds"), data),
         .caption =
             latents +
             (data == "digits"
                  ? ": distances are between the classifier's features of denoised latents and of denoised latents of p(x; σ). Noise on "
                    "blank pictures is likely and shows nothing."
                  : ": -ln p(x; σ) in nats per dimension, in closed form. A value below that of p(x; σ) itself is too likely."),
         .digits = 2},
        constant));
  }
}

Figure churn_bias(const std::string& sigma) {
  auto id = "churn_bias_" + sigma;
  std::replace(id.begin(), id.end(), '.', '_');
  Figure figure{
      .id = id,
      .title = fmt::format("Variance after endless churns of size h, σ = {}", sigma),
      .caption =
          "Gaussian data with standard deviation s = 0.5: stationary variance over the right one, s² + σ². Solid lines are measured and dashed "
          "lines are the closed form; the document's noise, √(2 β Δt) σ, is right at small h.",
      .x_label = "h = β Δt",
      .y_label = "variance over the right variance",
      .y_min = 0,
      .y_max = 4};
  for (const auto& form : models::churn_forms()) {
    const auto& title = form.formula;
    figure.series.push_back({title, "exact", "gaussian", form.id, "h_" + sigma, "variance_" + sigma, title, "measured"});
    figure.series.push_back({title + ", closed form", "exact", "gaussian", form.id, "h_" + sigma, "closed_" + sigma, title, "closed form"});
  }
  return figure;
}

}  // namespace reprise::reproduce::langevin_study
