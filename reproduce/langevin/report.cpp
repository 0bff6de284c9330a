#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/text.h"
#include "metrics/image_quality.h"
#include "models/diffusion/churn.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

using Columns = std::vector<reports::Column>;

/// Methods of a table on one data set: a row each.
Table by_method(const std::string& cells, const std::string& dataset, const Settings& settings, Table table, const Columns& columns) {
  table.corner = "method";
  table.add_columns(columns);
  for (const auto& method : settings.texts("methods." + cells)) table.add_row(title_of(method, cells), cells, dataset, method, columns);
  return table;
}

bool has(const Settings& settings, const std::string& world) {
  const auto worlds = settings.texts("worlds");
  return std::find(worlds.begin(), worlds.end(), world) != worlds.end();
}

/// A column a world: a Fréchet distance by one world's judge says nothing beside another's.
Table quality(const Settings& settings) {
  Table table{
      .id = "quality",
      .title = "The priors",
      .caption =
          "Samples of D, the same number per class. Agreement: the fraction that the judge (a classifier trained on separate data) assigns "
          "to the requested class, with guidance (tuned on separate samples) and without. Distances: between the judge's features of the "
          "samples and of the test items; floor: of as many items of the prior's own part. Twin: correlation above 0.9. Loss: a network that knows only the mean has 1.",
      .corner = "",
      .columns = settings.texts("worlds"),
      .digits = 3};
  const std::vector<std::tuple<std::string, std::string, std::string, std::string>> rows{
      {"validation loss", "prior", "edm", "validation_loss"},
      {"agreement", "quality", "edm", "agreement"},
      {"agreement without guidance", "quality", "edm", "agreement_unguided"},
      {"guidance", "quality", "edm", "guidance"},
      {"Fréchet distance", "quality", "edm", "frechet"},
      {"Fréchet distance without guidance", "quality", "edm", "frechet_unguided"},
      {"Fréchet distance, floor", "quality", "edm", "frechet_floor"},
      {"over the floor, without guidance", "quality", "edm", "over_floor_unguided"},
      {"the judge's agreement with real items", "quality", "edm", "agreement_real"},
      {"test items with a twin in the prior's part", "quality", "edm", "twins"},
      {"kernel distance", "quality", "edm", "kernel"},
      {"weights of D", "prior", "edm", "parameters.all"},
      {"accuracy of the judge", "prior", "judge", "accuracy"}};
  for (const auto& [title, cells, method, metric] : rows) {
    table.rows.push_back(title);
    auto& row = table.entries.emplace_back();
    for (const auto& world : settings.texts("worlds")) row.push_back(Entry{cells, world, method, metric});
  }
  return table;
}

/// What the searches chose, a row a method of a table that is searched.
Table choices(const Settings& settings) {
  Table table{.id = "choices",
              .title = "What was chosen on validation items",
              .caption =
                  "By trials, as many for every method of a table; the lists are section search of the profile. h: of the churn's noise, "
                  "the document's or the balanced one. Rounds and levels that a table fixes for all stand in the profile.",
              .corner = "table, method",
              .digits = 2};
  const Columns columns{{"first σ", "with_first"},    {"h, the document's", "with_langevin"}, {"h, balanced", "with_balanced"},
                        {"rounds", "with_rounds"},    {"σ of SDEdit", "with_sigma"},          {"U of RePaint", "with_U"},
                        {"guidance", "with_guidance"}};
  table.add_columns(columns);
  const auto add = [&](const std::string& cells, const std::string& dataset) {
    for (const auto& method : settings.texts("methods." + cells))
      if (candidates(variant_of(method, cells), cells, settings).size() > 1)
        table.add_row(fmt::format("{}, {}", dataset == "digits" ? cells : dataset, title_of(method, cells)), cells, dataset, method,
                      columns);
  };
  add(exact_table, "mixture");
  for (const auto& world : settings.texts("worlds"))
    for (const auto& cells : method_tables())
      if (world_info(world).shows(cells.name)) add(cells.name, world);
  return table;
}

/// On digits with every method, elsewhere with those whose D' is D.
Table inversion(const Settings& settings, const std::string& metric, const std::string& id, const std::string& title,
                const std::string& caption, int digits, const std::string& dataset = "digits") {
  Table table{.id = id, .title = title, .caption = caption, .digits = digits};
  Columns columns;
  for (const std::string where : {"on", "off"})
    for (const auto sigma : settings.numbers("inversion.sigmas"))
      columns.push_back({fmt::format("{}, σ = {}", where == "on" ? "clean" : "off", number_text(sigma)),
                         fmt::format("{}_{}_{}", metric, where, number_text(sigma))});
  table.corner = "method";
  table.add_columns(columns);
  for (const auto& method : settings.texts("methods.inversion"))
    if (dataset == "digits" || variant_of(method, "inversion").method.aux == Network::Main)
      table.add_row(title_of(method, "inversion"), "inversion", dataset, method, columns);
  return table;
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

Figure by_round(const Settings& settings, const std::string& cells, const std::string& dataset, const std::string& curve,
                const std::string& title, const std::string& label) {
  Figure figure{.id = cells + "_" + dataset + "_" + curve, .title = title, .x_label = "round", .y_label = label};
  for (const auto& method : settings.texts("methods." + cells))
    if (goes_by_rounds(variant_of(method, cells).method) && (!curve.starts_with("level") || variant_of(method, cells).method.inversion))
      figure.series.push_back({title_of(method, cells), cells, dataset, method, curve.starts_with("level") ? "" : "round", curve});
  return figure;
}

reports::Gallery gallery(const std::string& table, const std::string& dataset, const std::string& file, const Settings& settings,
                         const std::string& title, const std::string& caption) {
  reports::Gallery shown{.id = "gallery_" + table + "_" + dataset, .title = title, .caption = caption};
  for (const auto& method : settings.texts("methods." + table))
    shown.pictures.push_back({table, dataset, method, file, title_of(method, table)});
  return shown;
}

std::vector<std::string> digit_names() { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }

/// How the rows of a sheet of rounds follow each other (class Strip of churn.cpp).
struct RoundRows {
  std::vector<std::string> before;
  bool from_first = true;  ///< every quarter of the rounds is shown, from the first one or from the end of the first quarter
  bool end = true;
};

/// A sheet for each method, its rows named: methods without rounds have none between what was before and the end.
reports::Gallery rounds_gallery(const std::string& table, const Settings& settings, const std::string& title, const RoundRows& rows) {
  auto shown = gallery(table, "digits", "rounds.png", settings, title, "A column a digit.");
  const auto rounds = settings.integer(table + ".rounds"), apart = std::max<std::int64_t>(1, rounds / 4);
  for (auto& picture : shown.pictures) {
    picture.rows = rows.before;
    if (goes_by_rounds(variant_of(picture.method, table).method))
      for (auto round = rows.from_first ? 0 : apart - 1; round < rounds; round += apart)
        picture.rows.push_back(fmt::format("round {}", round + 1));
    if (rows.end) picture.rows.emplace_back("end");
  }
  return shown;
}

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
  out.tables.push_back(inversion(settings, "level", "inversion_level", "Inversion: level of the noise", level, 2));
  if (has(settings, "landscapes"))
    out.tables.push_back(
        inversion(settings, "level", "inversion_level_landscapes", "Inversion of photographs: level of the noise", level, 2, "landscapes"));
  out.tables.push_back(
      inversion(settings, "level", "inversion_level_mixture", "Inversion on the mixture: level of the noise", level, 2, "mixture"));
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

/// Churns at one level, on digits and on the mixture.
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

void report_churn(const Settings& settings, Report& out) {
  Table churn{
      .id = "churn",
      .title = "Algorithm 1 repeated, from off the manifold",
      .caption =
          "Test digits, a quarter of each occluded, inverted, blurred, overlaid; D without label. Energy: the mean of |D''(x + σε) - x|² "
          "/ σ² over four levels, by a network D'' that is neither D nor D' and learnt other digits: a bound of -ln p weighs all levels, so "
          "that this stands in for it, and of blank pictures it is lower than of real ones. -ln p: a dimension, by the probability-flow ODE "
          "of D''. Fréchet: judge's features against clean test digits. Content: PSNR to the start; to clean: to the undamaged digit."};
  out.tables.push_back(by_method("churn", "digits", settings, churn,
                                 {{"energy before", "energy_start"},
                                  {"energy after", "energy_end"},
                                  {"of clean digits", "energy_clean"},
                                  {"of blanks", "energy_blank"},
                                  {"-ln p before", "nll_start", 2},
                                  {"-ln p after", "nll_end", 2},
                                  {"confidence before", "confidence_start"},
                                  {"confidence after", "confidence_end"},
                                  {"Fréchet before", "frechet_start", 2},
                                  {"Fréchet after", "frechet_end", 2},
                                  {"label before", "label_start"},
                                  {"label after", "label_kept"},
                                  {"content", "content", 1},
                                  {"to clean", "to_clean", 1}}));
  out.figures.push_back(by_round(settings, "churn", "digits", "energy", "Likelihood, round by round", "energy, lower is likelier"));
  out.figures.push_back(by_round(settings, "churn", "digits", "confidence", "The judge's confidence, round by round", "confidence"));
  const std::string kept = "share of labels kept", frechet = "ln Fréchet distance to clean digits";
  for (const auto& axes :
       std::vector<std::array<std::string, 5>>{{"label", kept, frechet, "label_kept", "log_frechet_end"},
                                               {"content", "PSNR to the start, dB", frechet, "content", "log_frechet_end"},
                                               {"energy", kept, "energy, lower is likelier", "label_kept", "energy_end"}}) {
    Figure frontier{.id = "frontier_" + axes[0],
                    .title = "Kept against gained: " + axes[1],
                    .caption =
                        "Lines, of one seed that explored: of every method's trials on validation items, those that no other trial of it "
                        "beats in both. Points, of the seeds that confirm: what the candidate that was chosen does on test items, with the "
                        "95 % interval. Best is down and right.",
                    .x_label = axes[1],
                    .y_label = axes[2]};
    for (const auto& method : settings.texts("methods.churn")) {
      const auto variant = variant_of(method, "churn");
      const auto title = title_of(method, "churn");
      const bool real = variant.method.algorithm == Algorithm::RealItems;
      if (real && axes[3] == "content") continue;  // of other items there is none
      // The trials of a method with a fixed churn are among those of the method.
      if (variant.changes.empty() && candidates(variant, "churn", settings).size() > 1)
        frontier.series.push_back(
            {title, frontier_table, "digits", method, "x_" + axes[0], "y_" + axes[0], variant.method.info.id, "as chosen"});
      frontier.series.push_back({title, "churn", "digits", method, "one_" + axes[3], "one_" + axes[4], variant.method.info.id,
                                 variant.changes.empty() ? "as chosen" : "fixed churn", real});
    }
    out.figures.push_back(frontier);
  }
  out.galleries.push_back(rounds_gallery("churn", settings, "Churned", {.before = {"clean", "start"}}));
}

/// Steering, completion and painting.
void report_uses(const Settings& settings, Report& out) {
  out.tables.push_back(by_method(
      "steering", "digits", settings,
      {.id = "steering",
       .title = "Steered to another digit",
       .caption = "Test digits of label y; D is conditioned on y + 3, D' on nothing. Guidance 0: D without a label, the control."},
      {{"target reached", "target_reached"},
       {"label kept", "label_kept"},
       {"content", "content", 1},
       {"energy", "energy"},
       {"Fréchet", "frechet", 2}}));
  out.tables.push_back(by_method(
      "completion", "digits", settings,
      {.id = "completion",
       .title = "Completed from the left half",
       .caption = "The left half of a test digit is known and written back after every round; D without label. Seam: difference across the "
                  "border over that elsewhere, of real digits in the column beside it."},
      {{"label right", "label_right"},
       {"PSNR of the unknown half", "psnr_unknown", 2},
       {"seam", "seam", 2},
       {"seam of real ones", "seam_real", 2},
       {"energy", "energy"},
       {"Fréchet", "frechet", 2}}));
  out.tables.push_back(
      by_method("painting", "digits", settings,
                {.id = "painting", .title = "Pictures that are networks", .caption = "From grey, a digit of each label."},
                {{"target reached", "target_reached"}, {"energy", "energy"}, {"confidence", "confidence"}, {"Fréchet", "frechet", 2}}));
  out.galleries.push_back(rounds_gallery("steering", settings, "Steered", {.before = {"start"}, .from_first = false, .end = false}));
  out.galleries.push_back(rounds_gallery("completion", settings, "Completed", {.before = {"digit", "known"}, .from_first = false}));
  auto painted = rounds_gallery("painting", settings, "Painted", {});
  painted.caption = "A column a label that was asked for.";
  for (auto& picture : painted.pictures) picture.columns = digit_names();
  out.galleries.push_back(painted);
}

void report_extension(const std::string& world, const Settings& settings, Report& out) {
  out.tables.push_back(by_method(
      "extension", world, settings,
      {.id = "extension_" + world,
       .title = "Longer than the prior's window: " + world,
       .caption = fmt::format(
           "{} windows long. Seam: difference where windows meet, over that elsewhere; 1 shows none. The rest: one window of each "
           "from anywhere, against as many test items; own windows: single crops as they were sampled, and not across a border of two. Other "
           "real items: as many, what can be reached. Contrast: deviation in windows over that in real items.",
           settings.integer("extension.times"))},
      {{"seam", "seam", 2},
       {"Fréchet", "frechet", 2},
       {"Fréchet, own windows", "frechet_own", 2},
       {"kernel", "kernel"},
       {"confidence", "confidence"},
       {"target reached", "target_reached"},
       {"contrast", "contrast", 2}}));
  const auto kind = world_info(world).kind;
  const bool sounds = kind == models::ItemKind::Sounds;
  auto shown =
      gallery("extension", world, "extended.png", settings, "Extended: " + world,
              sounds ? "Time runs from left to right, low bands below. Under each sample real recordings of its word, one after another."
              : kind == models::ItemKind::Videos ? "A row a sample; frames from left to right, and the first one moving."
                                                 : "A row a sample.");
  const std::string moving = kind == models::ItemKind::Videos ? "extended.gif" : sounds ? "extended.wav" : "";
  if (!moving.empty())
    for (const auto& method : settings.texts("methods.extension"))
      shown.pictures.push_back({"extension", world, method, moving, title_of(method, "extension")});
  out.galleries.push_back(shown);
}

void report_objects(const Settings& settings, Report& out) {
  out.tables.push_back(by_method(
      "object", "solids", settings,
      {.id = "object",
       .title = "Objects in space from a prior of pictures",
       .caption =
           "Radiance fields seen from eight cameras that no fit used. Text alone: nothing but the text is given. Else one true view is, "
           "and the truth is known from everywhere. Target: the judge sees the text's solid; unseen: of the text that the prior never saw."},
      {{"PSNR of held-out views", "psnr_held_out", 2},
       {"of the reference", "psnr_reference", 2},
       {"target reached", "target_reached"},
       {"unseen text", "target_reached_unseen"},
       {"confidence", "confidence"}}));
  auto views =
      gallery("object", "solids", "views.png", settings, "Objects", "A row an object, a column a camera; and all of them turning.");
  for (const auto& method : settings.texts("methods.object"))
    views.pictures.push_back({"object", "solids", method, "turn.gif", title_of(method, "object") + ", turning"});
  if (!settings.texts("methods.object").empty())
    views.pictures.push_back({"object", "solids", settings.texts("methods.object").front(), "truth.png", "true views"});
  out.galleries.push_back(views);
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  out.tables.push_back(quality(settings));
  out.tables.push_back(choices(settings));
  if (has(settings, "digits")) {
    report_inversion(settings, out);
    report_latent(settings, out);
    report_churn(settings, out);
    report_uses(settings, out);
  }
  out.tables.push_back(by_method(
      "exact", "mixture", settings,
      {.id = "mixture",
       .title = "Algorithm 1 on a mixture known in closed form",
       .caption = "Sixteen clusters in 64 dimensions, D' = D = the exact denoiser; -ln p a dimension, of the data smoothed by σ = 0.05. "
                  "Spread: distance to the cluster's mean over that of data; below 1 what is made is likelier than data and less varied.",
       .digits = 3},
      {{"before", "nll_start"},
       {"after", "nll_end"},
       {"data itself", "nll_data"},
       {"in their cluster", "kept"},
       {"spread within clusters", "spread"},
       {"to clean", "to_clean"}}));
  for (const auto sigma : settings.numbers("exact.sigmas")) out.figures.push_back(churn_bias(fmt::format("{:g}", sigma)));
  Figure frontier{.id = "frontier_mixture",
                  .title = "Kept against gained on the mixture",
                  .caption =
                      "Points that are still of their cluster, against -ln p: of every method's trials those that no other trial of it "
                      "beats in both.",
                  .x_label = "share of points in their cluster",
                  .y_label = "-ln p a dimension, nat"};
  for (const auto& method : settings.texts("methods.exact"))
    if (candidates(variant_of(method, exact_table), exact_table, settings).size() > 1)
      frontier.series.push_back({title_of(method, exact_table), frontier_table, "mixture", method, "x_kept", "y_kept"});
  out.figures.push_back(frontier);
  out.figures.push_back(
      by_round(settings, "exact", "mixture", "nll", "Exact likelihood on the mixture, round by round", "-ln p a dimension, nat"));
  for (const auto& world : settings.texts("worlds"))
    if (world_info(world).shows("extension")) report_extension(world, settings, out);
  if (has(settings, "solids")) report_objects(settings, out);
  reports::Gallery samples{
      .id = "gallery_samples", .title = "Samples of the priors", .caption = "A column a class, by the guidance of the table."};
  for (const auto& world : settings.texts("worlds"))
    samples.pictures.push_back({.table = "quality",
                                .dataset = world,
                                .method = "edm",
                                .file = "samples.png",
                                .caption = world,
                                .columns = world == "digits" ? digit_names() : std::vector<std::string>()});
  out.galleries.insert(out.galleries.begin(), samples);
  Figure losses{.id = "losses", .title = "Training of the priors", .x_label = "epoch", .y_label = "validation loss"};
  for (const auto& world : settings.texts("worlds")) losses.series.push_back({world, "prior", world, "edm", "", "validation_loss"});
  if (has(settings, "digits") && denoisers_of(world_info("digits"), settings).back() == Network::Small)
    losses.series.push_back({"digits, smaller D'", "prior", "digits", "small", "", "validation_loss"});
  out.figures.push_back(losses);
  // A profile may leave tables out.
  std::erase_if(out.tables, [](const Table& table) { return table.rows.empty() || table.columns.empty(); });
  std::erase_if(out.figures, [](const Figure& figure) { return figure.series.empty(); });
  std::erase_if(out.galleries, [](const reports::Gallery& gallery) { return gallery.pictures.empty(); });
  out.notes = {
      "The document prints no table: every number here is our own, and its claims are judged on them.",
      "The document gives σ_max = 1 for the ODE and σ = 3 as moderately high, and neither β Δt, nor the loop's σ, nor Adam's rate, nor the "
      "ODE's grid. Grid and rate are from closed-form tests (docs/langevin.md); σ falls during the loop, because at constant σ the loop's own "
      "stationary distribution is blurred. What section search of the profile lists is chosen on validation items, by trials whose records "
      "are stored: β Δt, the form of the noise and the first σ in the loop, σ of SDEdit, guidance where a label is asked for.",
      "D, D', the network that judges likelihood and the classifier that judges realism: D and D' learn from one part of the data, both "
      "judges from another.",
      settings.all().value("replicates", "everything") == "weights" ? "All seeds share data and networks: each has its own noise."
      : settings.integer("prior.seeds") > 0
          ? fmt::format(
                "Seeds are replicates: each has its own items and its own noise. Priors are trained {}, for all seeds: verdicts hold for "
                "these networks.",
                settings.integer("prior.seeds") == 1 ? "once" : fmt::format("{} times", settings.integer("prior.seeds")))
          : "Seeds are replicates: each has its own data, its own networks, its own noise.",
  };
  return out;
}

}  // namespace reprise::reproduce::langevin_study
