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

/// On digits with every method, elsewhere with those whose D' is D.
Table inversion(const Settings& settings, const std::string& metric, const std::string& id, const std::string& title,
                const std::string& caption, int digits, const std::string& dataset, const std::vector<double>& sigmas) {
  Table table{.id = id, .title = title, .caption = caption, .digits = digits};
  Columns columns;
  for (const std::string where : {"on", "off"})
    for (const auto sigma : sigmas)
      columns.push_back({fmt::format("{}, σ = {}", where == "on" ? "clean" : "off", number_text(sigma)),
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
  return by_method(
      "inversion", "digits", settings,
      {.id = "inversion_time",
       .title = "Inversion: time",
       .caption = fmt::format("Wall time of inverting {} items twice over (clean and off the manifold) at {} levels, one thread.",
                              settings.integer("inversion.items"), settings.numbers("inversion.sigmas").size()),
       .digits = 2},
      {{"seconds", "seconds.inversion"}});
}

Figure inversion_figure(const Settings& settings, const std::string& curve, const std::string& title, const std::string& label) {
  Figure figure{.id = "inversion_" + curve, .title = title, .x_label = "σ", .y_label = label};
  for (const auto& method : settings.texts("methods.inversion"))
    figure.series.push_back({title_of(method, "inversion"), "inversion", "digits", method, "sigma", curve});
  return figure;
}

}  // namespace

void report_inversion(const Settings& settings, Report& out) {
  out.tables.push_back(
      inversion(settings, "psnr", "inversion_content", "Inversion: content kept",
                "PSNR in dB between the picture and D''(x_σ; σ), what its latent says to a denoiser that no inversion used and that learnt "
                "other digits. Clean: test digits. Off: a quarter of each occluded, inverted, blurred, overlaid.",
                1));
  out.tables.push_back(inversion(settings, "fidelity", "inversion_fidelity", "Inversion: what it minimises",
                                 "PSNR in dB of D'(x_σ; σ) against the picture: what backprop inversion optimises itself.", 1));
  out.tables.push_back(inversion(
      settings, "back", "inversion_back", "Inversion: solved back",
      "PSNR in dB between the picture and the latent solved back to σ_min by the probability-flow ODE of D. The ODE's own inverse "
      "comes back wherever it has led, so that this says nothing of the latent; naive and backprop latents become another picture.",
      1));
  if (settings.integer("digits.size") >= metrics::ssim_window)
    out.tables.push_back(inversion(settings, "ssim", "inversion_ssim", "Inversion: structure kept", "SSIM of the same pictures.", 3));
  auto labels = inversion(settings, "label_seen", "inversion_label", "Inversion: label kept",
                          "Fraction in which the judge sees the digit in D''(x_σ; σ), what its latent says to a denoiser that no inversion "
                          "used. First row: in the picture itself.",
                          3);
  decltype(labels.entries)::value_type pictures;
  for (const std::string where : {"on", "off"})
    for (std::size_t i = 0; i < settings.numbers("inversion.sigmas").size(); ++i)
      pictures.emplace_back(Entry{"inversion", "digits", settings.texts("methods.inversion").front(), "label_picture_" + where});
  labels.rows.insert(labels.rows.begin(), "the picture");
  labels.entries.insert(labels.entries.begin(), pictures);
  out.tables.push_back(labels);
  out.tables.push_back(inversion(settings, "update_frequency", "inversion_update", "Inversion: how fine the update is",
                                 "Mean frequency, in cycles a pixel, of D'(x'_σ) - D'(x_σ): what one churn would change of the picture.",
                                 3));
  const std::string level =
      "σ that D finds in the latent over the σ asked for. Naive, clean: latents of p(x; σ) itself, which flat backgrounds let read low; what "
      "is judged is how far others lie above.";
  auto judged = settings.numbers("inversion.sigmas");  // claims ask for the level at 1 and 2
  std::erase_if(judged, [](double sigma) { return sigma != 1 && sigma != 2; });
  const auto levels = [&](const std::string& id, const std::string& title, const std::string& dataset) {
    out.tables.push_back(inversion(settings, "level", id, title, level, 2, dataset, judged));
  };
  levels("inversion_level", "Inversion: level of the noise", "digits");
  if (has(settings, "landscapes")) levels("inversion_level_landscapes", "Inversion of photographs: level of the noise", "landscapes");
  levels("inversion_level_mixture", "Inversion on the mixture: level of the noise", "mixture");
  out.tables.push_back(inversion_time(settings));
  out.figures.push_back(inversion_figure(settings, "psnr_on", "Content kept, clean digits", "PSNR, dB"));
  out.figures.push_back(inversion_figure(settings, "psnr_off", "Content kept, off the manifold", "PSNR, dB"));
  out.figures.push_back(inversion_figure(settings, "update_frequency_off", "How fine the update is, off the manifold", "cycles a pixel"));
  reports::Gallery inverted{
      .id = "gallery_inversion",
      .title = "Inversion at σ = 3",
      .caption = "A column a test digit. Below it what its latent says to D'', and the latent solved back by the ODE."};
  for (const auto& method : settings.texts("methods.inversion"))
    for (const std::string where : {"on", "off"})
      inverted.pictures.push_back({.table = "inversion",
                                   .dataset = "digits",
                                   .method = method,
                                   .file = where + ".png",
                                   .caption = title_of(method, "inversion") + (where == "on" ? "" : ", off the manifold"),
                                   .rows = {"picture", "D'' of latent", "solved back"}});
  out.galleries.push_back(inverted);
}

void report_latent(const Settings& settings, Report& out) {
  for (const std::string data : {"digits", "mixture"}) {
    if (data == "digits" && !has(settings, data)) continue;
    Columns columns;
    for (const std::string where : {"on", "off"})
      for (const auto sigma : settings.numbers("latent.sigmas")) {
        const auto at = fmt::format("{}_{}", where, number_text(sigma));
        const auto title = [&](const std::string& what) {
          return fmt::format("{}, {}, σ = {}", what, where == "on" ? "clean" : "off", number_text(sigma));
        };
        columns.push_back({title("before"), "level_before_" + at});
        columns.push_back({title("after one"), "level_after_" + at});
      }
    out.tables.push_back(by_method(
        "latent", data, settings,
        {.id = "latent_" + data,
         .title = "The level of the noise, before a churn and after it: " + data,
         .caption = data == "digits" ? "Over the level asked for. Read off latents of digits with known levels of noise. Naive, "
                                       "clean: latents of p(x; σ) itself."
                                     : "Over the level asked for, by the exact denoiser. Naive, clean: latents of p(x; σ) itself.",
         .digits = 2},
        columns));
    Columns constant;
    for (const auto sigma : settings.numbers("latent.sigmas")) {
      const auto at = number_text(sigma);
      const auto title = [&at](const std::string& what) { return fmt::format("{}, σ = {}", what, at); };
      if (data == "digits") {
        constant.push_back({title("ln Fréchet before"), "log_frechet_start_off_" + at});
        constant.push_back({title("after all"), "log_frechet_end_off_" + at});
        constant.push_back({title("of blanks"), "log_frechet_blank_" + at});
        constant.push_back({title("label before"), "label_start_off_" + at});
        constant.push_back({title("label after"), "label_end_off_" + at});
      } else {
        constant.push_back({title("-ln p before"), "nll_start_off_" + at});
        constant.push_back({title("after all"), "nll_end_off_" + at});
        constant.push_back({title("of p(x; σ)"), "nll_data_" + at});
      }
    }
    out.tables.push_back(by_method(
        "latent", data, settings,
        {.id = "latent_constant_" + data,
         .title = fmt::format("{} churns at one level, from off the manifold: {}", settings.integer("latent.rounds"), data),
         .caption = data == "digits"
                        ? "Distances between the judge's features of denoised latents and of denoised real ones. Of blanks: noise "
                          "on blank pictures, which are likely and show nothing."
                        : "-ln p(x; σ) a dimension by the closed form; below that of p(x; σ) itself it would be too likely.",
         .digits = 2},
        constant));
  }
}

Figure churn_bias(const std::string& sigma) {
  auto id = "churn_bias_" + sigma;
  std::replace(id.begin(), id.end(), '.', '_');
  Figure figure{
      .id = id,
      .title = fmt::format("What a finite step does to the distribution: σ = {}", sigma),
      .caption =
          "Gaussian data with standard deviation 0.5 in closed form, β = 2: stationary variance of the churn divided by the correct value, "
          "s² + σ². Solid: measured; dashed: closed form. The two forms as printed in the scan are wrong for every step size (at σ = 0.5 "
          "they coincide); the document's sqrt(2 β Δt) σ is correct for small steps; the balanced form can replace all the noise in one "
          "step (h = 1).",
      .x_label = "h = β Δt",
      .y_label = "variance / right variance",
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
