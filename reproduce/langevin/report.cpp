#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/text.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/inversion_report.h"
#include "reproduce/langevin/method_report.h"
#include "reproduce/langevin/variants.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

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
      .columns = trained_worlds(settings),
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
    for (const auto& world : trained_worlds(settings)) row.push_back(Entry{cells, world, method, metric});
  }
  return table;
}

/// What the searches chose, a row a method of a table that is searched.
Table choices(const Settings& settings) {
  Table table{
      .id = "choices",
      .title = "What was chosen on validation items",
      .caption =
          "By trials, as many for every method of a table whose name fixes nothing of it; the lists are section search of the profile. h: of "
          "the churn's noise, the document's or the balanced one. Rounds and levels that a table fixes for all stand in the profile.",
      .corner = "table, method",
      .digits = 2};
  const Columns columns{{"first σ", "with_first"},        {"h, the document's", "with_langevin"},
                        {"h, balanced", "with_balanced"}, {"rounds", "with_rounds"},
                        {"σ of SDEdit", "with_sigma"},    {"U of RePaint", "with_U"},
                        {"guidance", "with_guidance"},    {"rate", "with_rate"}};
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

std::vector<std::string> digit_names() { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }

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
           "and the truth is known from everywhere. Target: the judge sees the text's solid; unseen: of the text that the prior never saw. "
           "In true views: how sure the judge is of them."},
      {{"PSNR of held-out views", "psnr_held_out", 2},
       {"of the reference", "psnr_reference", 2},
       {"target reached", "target_reached"},
       {"unseen text", "target_reached_unseen"},
       {"probability of the text", "target_probability"},
       {"in true views", "target_probability_true"}}));
  auto views =
      gallery("object", "solids", "views.png", settings, "Objects", "A row an object, a column a camera; and all of them turning.");
  for (const auto& method : settings.texts("methods.object"))
    views.pictures.push_back({"object", "solids", method, "turn.gif", title_of(method, "object") + ", turning"});
  if (!settings.texts("methods.object").empty())
    views.pictures.push_back({"object", "solids", settings.texts("methods.object").front(), "truth.png", "true views"});
  out.galleries.push_back(views);
}

/// Data known in closed form.
void report_mixture(const Settings& settings, Report& out) {
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
}

/// What the priors draw, and how they were trained.
void report_networks(const Settings& settings, Report& out) {
  reports::Gallery samples{
      .id = "gallery_samples", .title = "Samples of the priors", .caption = "A column a class, by the guidance of the table."};
  for (const auto& world : trained_worlds(settings))
    samples.pictures.push_back({.table = "quality",
                                .dataset = world,
                                .method = "edm",
                                .file = "samples.png",
                                .caption = world,
                                .columns = world == "digits" ? digit_names() : std::vector<std::string>()});
  out.galleries.insert(out.galleries.begin(), samples);
  Figure losses{.id = "losses", .title = "Training of the priors", .x_label = "epoch", .y_label = "validation loss"};
  for (const auto& world : trained_worlds(settings)) losses.series.push_back({world, "prior", world, "edm", "", "validation_loss"});
  if (has(settings, "digits") && denoisers_of(world_info("digits"), settings).back() == Network::Small)
    losses.series.push_back({"digits, smaller D'", "prior", "digits", "small", "", "validation_loss"});
  out.figures.push_back(losses);
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
  report_mixture(settings, out);
  for (const auto& world : settings.texts("worlds"))
    if (world_info(world).shows("extension")) report_extension(world, settings, out);
  if (has(settings, "solids")) report_objects(settings, out);
  report_networks(settings, out);
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
