// Tables, figures and galleries of study langevin.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>

#include "core/text.h"
#include "experiments/dataset_list.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/inversion_report.h"
#include "reproduce/langevin/method_report.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Figure;
using reports::Table;

/// One column per data set: Fréchet distances of different classifiers cannot be compared.
Table make_quality_table(const Settings& settings) {
  Table table{.id = "quality",
              .title = "The priors",
              .caption = caption("quality", settings),
              .corner = "",
              .columns = list_trained_domains(settings),
              .digits = 3};
  const std::vector<std::tuple<std::string, std::string, std::string, std::string>> rows{
      {"validation loss of D", "prior", "edm", "validation_loss"},
      {"samples of the requested class, with guidance", "quality", "edm", "agreement"},
      {"samples of the requested class, without guidance", "quality", "edm", "agreement_unguided"},
      {"guidance", "quality", "edm", "guidance"},
      {"Fréchet distance to test items, with guidance", "quality", "edm", "frechet"},
      {"Fréchet distance to test items, without guidance", "quality", "edm", "frechet_unguided"},
      {"Fréchet distance of training items (floor)", "quality", "edm", "frechet_floor"},
      {"Fréchet distance over the floor, without guidance", "quality", "edm",
       "over_floor_unguided"},
      {"test items classified correctly", "quality", "edm", "agreement_real"},
      {"test items with a correlation above 0.9 to a training item", "quality", "edm", "twins"},
      {"kernel distance to test items, with guidance", "quality", "edm", "kernel"},
      {"weights of D", "prior", "edm", "parameters.all"},
      {"accuracy of the classifier", "prior", "judge", "accuracy"}};
  for (const auto& [title, cells, method, metric] : rows) {
    table.rows.push_back(title);
    auto& row = table.entries.emplace_back();
    for (const auto& domain : list_trained_domains(settings))
      row.push_back(Entry{cells, domain, method, metric});
  }
  return table;
}

/// Lists the hyperparameters that the searches chose: one row for each method of a searched table.
Table make_choices_table(const Settings& settings) {
  Table table{.id = "choices",
              .title = "Settings chosen on validation items",
              .caption = caption("choices", settings),
              .corner = "table, method",
              .digits = 2};
  const Columns columns{{"first σ", "with_first"},        {"h, the document's", "with_langevin"},
                        {"h, balanced", "with_balanced"}, {"rounds", "with_rounds"},
                        {"σ of SDEdit", "with_sigma"},    {"U of RePaint", "with_U"},
                        {"guidance", "with_guidance"},    {"rate", "with_rate"}};
  table.add_columns(columns);
  const auto add = [&](const std::string& cells, const std::string& dataset) {
    for (const auto& method : settings.texts("methods." + cells))
      if (make_search(cell(cells, dataset, method, 0), parse_configuration(method, cells), settings)
              .chooses())
        table.add_row({fmt::format("{}, {}", dataset == "digits" ? cells : dataset,
                                   method_title(method, cells)),
                       cells, dataset, method},
                      columns);
  };
  add(exact_table, "mixture");
  for (const auto& domain : settings.texts("worlds"))
    for (const auto& cells : method_tables())
      if (find_domain(domain).shows(cells.name)) add(cells.name, domain);
  return table;
}

std::vector<std::string> name_digits() {
  return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
}

/// Shows the main columns for the searched methods of table churn. The whole table is too wide for
/// a page.
Table make_loop_table(const Settings& settings) {
  Table table{.id = "loop",
              .title = "The loop on damaged digits",
              .caption = caption("loop", settings),
              .corner = "method"};
  const Columns columns{
      {"Fréchet distance", "frechet_end", 1}, {"-ln p", "nll_end", 2}, {"labels", "label_kept", 2}};
  table.add_columns(columns);
  for (const auto& method : settings.texts("methods.churn")) {
    const auto config = parse_configuration(method, "churn");
    // Only methods with D as D', as the search chose them.
    if (!config.hyperparameters.empty() || config.method.aux != Network::Main) continue;
    const auto title = method_title(method, "churn");
    table.add_row({title, "churn", "digits", method}, columns);
    if (generates_nothing(config.method)) table.nulls.insert(title);
  }
  return table;
}

/// Makes the opening picture of the page: sheets of table churn, all from the same corrupted
/// digits. Each sheet begins with clean and corrupted digits.
reports::Gallery make_opening_gallery(const Settings& settings) {
  reports::Gallery shown{
      .id = "opening",
      .title = "Damaged digits after the loop, and after what it is compared with",
      .caption = caption("opening", settings)};
  const auto sheets = make_rounds_gallery("churn", settings, "", {.before = {"clean", "damaged"}});
  const std::vector<std::pair<std::string, std::string>> methods{
      {"backprop", "the loop with backprop inversion"},
      {"renoised", "the same rounds without an inversion"},
      {"sdedit", "SDEdit"},
      {"real", "other real digits"}};
  for (const auto& [method, caption] : methods)
    for (auto picture : sheets.pictures)
      if (picture.method == method) {
        picture.caption = caption;
        shown.pictures.push_back(picture);
      }
  return shown;
}

void report_churn(const Settings& settings, Report& out) {
  out.tables.push_back(make_loop_table(settings));
  Table churn{.id = "churn",
              .title = "The loop on damaged digits, all measures",
              .caption = caption("churn", settings)};
  out.tables.push_back(add_method_rows("churn", "digits", settings, churn,
                                       {{"energy before", "energy_start"},
                                        {"energy after", "energy_end"},
                                        {"energy of clean digits", "energy_clean"},
                                        {"energy of blank pictures", "energy_blank"},
                                        {"-ln p before", "nll_start", 2},
                                        {"-ln p after", "nll_end", 2},
                                        {"confidence before", "confidence_start"},
                                        {"confidence after", "confidence_end"},
                                        {"Fréchet before", "frechet_start", 2},
                                        {"Fréchet after", "frechet_end", 2},
                                        {"labels before", "label_start"},
                                        {"labels after", "label_kept"},
                                        {"content", "content", 1},
                                        {"content of the clean digit", "to_clean", 1}}));
  out.figures.push_back(make_rounds_figure(settings, "churn", "digits", "energy",
                                           "Energy of damaged digits, round by round",
                                           "energy (lower is likelier)", "churn_rounds"));
  out.figures.push_back(make_rounds_figure(settings, "churn", "digits", "confidence",
                                           "The classifier's confidence, round by round",
                                           "confidence", "churn_rounds"));
  const std::string kept = "fraction of labels kept",
                    frechet = "ln Fréchet distance to clean digits";
  for (const auto& axes : std::vector<std::array<std::string, 5>>{
           {"label", kept, frechet, "label_kept", "log_frechet_end"},
           {"content", "PSNR to the start, dB", frechet, "content", "log_frechet_end"},
           {"energy", kept, "energy, lower is likelier", "label_kept", "energy_end"}}) {
    Figure frontier{
        .id = "frontier_" + axes[0],
        .title = fmt::format("Pareto fronts on damaged digits: {} against {}", axes[1], axes[2]),
        .caption = caption("frontier", settings),
        .x_label = axes[1],
        .y_label = axes[2]};
    for (const auto& method : settings.texts("methods.churn")) {
      const auto config = parse_configuration(method, "churn");
      const auto title = method_title(method, "churn");
      const bool real = config.method.algorithm == Algorithm::RealItems;
      // Other real items have no given picture.
      if (real && axes[3] == "content") continue;
      // Trials with a fixed churn are among those of the method.
      if (config.hyperparameters.empty() &&
          make_search(cell("churn", "digits", method, 0), config, settings).chooses())
        frontier.series.push_back({.label = title,
                                   .table = pareto_front_table,
                                   .dataset = "digits",
                                   .method = method,
                                   .x = "x_" + axes[0],
                                   .y = "y_" + axes[0],
                                   .colour = config.method.info.id,
                                   .dash = "as chosen"});
      frontier.series.push_back(
          {.label = title,
           .table = "churn",
           .dataset = "digits",
           .method = method,
           .x = "one_" + axes[3],
           .y = "one_" + axes[4],
           .colour = config.method.info.id,
           .dash = config.hyperparameters.empty() ? "as chosen" : "fixed churn",
           .star = real});
    }
    out.figures.push_back(frontier);
  }
  out.galleries.push_back(make_opening_gallery(settings));
  out.galleries.push_back(make_rounds_gallery("churn", settings,
                                              "The loop on damaged digits, round by round",
                                              {.before = {"clean", "damaged"}}));
}

/// Shows one measure of each use of the loop, and of its baselines. The tables of the uses have all
/// measures.
Table make_uses_table(const Settings& settings) {
  struct Use {
    std::string title, table, dataset, metric;
    std::vector<std::string> methods;  ///< of the columns; "" has none
  };
  const std::vector<Use> all{{"panoramas: seam, 1 is none",
                              "extension",
                              "landscapes",
                              "seam",
                              {"backprop", "renoised", "multidiffusion", "independent"}},
                             {"completion: PSNR of the missing half, dB",
                              "completion",
                              "digits",
                              "psnr_unknown",
                              {"backprop", "renoised", "repaint", "start"}},
                             {"painting: Fréchet distance",
                              "painting",
                              "digits",
                              "frechet",
                              {"mlp", "mlp_renoised", "mlp_sds", ""}},
                             {"steering: target reached",
                              "steering",
                              "digits",
                              "target_reached",
                              {"backprop", "renoised", "sdedit", "backprop+guidance=0"}},
                             {"3-D objects: PSNR of unseen views, dB",
                              "object",
                              "solids",
                              "psnr_held_out",
                              {"backprop", "renoised", "sds", "reference"}},
                             {"3-D from a text: probability of the text",
                              "object",
                              "solids",
                              "target_probability",
                              {"text_backprop", "text_renoised", "text_sds", ""}}};
  Table table{.id = "uses",
              .title = "What the loop makes",
              .caption = caption("uses", settings),
              .corner = "use and measure",
              .columns = {"loop", "no inversion", "other method", "baseline"},
              .digits = 2};
  for (const auto& use : all) {
    const auto known = settings.texts("methods." + use.table);
    const auto runs = [&known](const std::string& method) {
      return std::find(known.begin(), known.end(), method) != known.end();
    };
    // Profiles may leave out domains or methods.
    if (!has_domain(settings, use.dataset) || !runs(use.methods.front())) continue;
    table.rows.push_back(use.title);
    auto& row = table.entries.emplace_back();
    for (const auto& method : use.methods)
      row.push_back(runs(method) ? std::optional(Entry{use.table, use.dataset, method, use.metric})
                                 : std::nullopt);
  }
  return table;
}

/// Reports steering, completion and painting.
void report_uses(const Settings& settings, Report& out) {
  out.tables.push_back(add_method_rows("steering", "digits", settings,
                                       {.id = "steering",
                                        .title = "Digits steered to another label",
                                        .caption = caption("steering", settings)},
                                       {{"target reached", "target_reached"},
                                        {"label kept", "label_kept"},
                                        {"content", "content", 1},
                                        {"energy", "energy"},
                                        {"Fréchet", "frechet", 2}}));
  out.tables.push_back(add_method_rows("completion", "digits", settings,
                                       {.id = "completion",
                                        .title = "Completion of digits from their left half",
                                        .caption = caption("completion", settings)},
                                       {{"right labels", "label_right"},
                                        {"PSNR of the missing half", "psnr_unknown", 2},
                                        {"seam", "seam", 2},
                                        {"seam of real digits", "seam_real", 2},
                                        {"energy", "energy"},
                                        {"Fréchet", "frechet", 2}}));
  out.tables.push_back(add_method_rows("painting", "digits", settings,
                                       {.id = "painting",
                                        .title = "Digits painted from grey",
                                        .caption = caption("painting", settings)},
                                       {{"target reached", "target_reached"},
                                        {"energy", "energy"},
                                        {"confidence", "confidence"},
                                        {"Fréchet", "frechet", 2}}));
  out.galleries.push_back(
      make_rounds_gallery("steering", settings, "Digits steered to another label, round by round",
                          {.before = {"given"}, .from_first = false, .end = false}));
  out.galleries.push_back(make_rounds_gallery("completion", settings,
                                              "Completion of digits, round by round",
                                              {.before = {"digit", "known"}, .from_first = false}));
  auto painted = make_rounds_gallery("painting", settings, "Painted digits, round by round", {});
  painted.caption = caption("painted", settings);
  for (auto& picture : painted.pictures) picture.columns = name_digits();
  out.galleries.push_back(painted);
}

/// Returns the name of the canvases that table extension generates from a domain's prior.
std::string name_canvases(const std::string& domain) {
  static const std::map<std::string, std::string> names{
      {"landscapes", "panoramas"}, {"videos", "longer videos"}, {"sounds", "longer sounds"}};
  return names.contains(domain) ? names.at(domain) : "canvases of " + domain;
}

void report_extension(const std::string& domain, const Settings& settings, Report& out) {
  const auto canvases = name_canvases(domain);
  const auto sizes = fmt::format("{} windows of {}", settings.integer("extension.times"),
                                 describe_item_size(domain, settings));
  out.tables.push_back(add_method_rows(
      "extension", domain, settings,
      {.id = "extension_" + domain,
       .title = fmt::format("Beyond the prior's window: {}", canvases),
       .caption = caption("extension", settings, {{"canvases", canvases}, {"sizes", sizes}})},
      {{"seam", "seam", 2},
       {"Fréchet", "frechet", 2},
       {"Fréchet, own windows", "frechet_own", 2},
       {"kernel", "kernel"},
       {"confidence", "confidence"},
       {"target reached", "target_reached"},
       {"contrast", "contrast", 2}}));
  const auto kind = find_domain(domain).kind;
  const bool sounds = kind == models::ItemKind::Sounds;
  const bool videos = kind == models::ItemKind::Videos;
  std::string key = "extended";
  std::string moving;
  if (sounds) {
    key = "extended_sounds";
    moving = "extended.wav";
  } else if (videos) {
    key = "extended_videos";
    moving = "extended.webp";
  }
  auto shown = make_gallery("extension", domain, "extended.png", settings,
                            fmt::format("Beyond the prior's window: {}", canvases),
                            caption(key, settings, {{"sizes", sizes}}));

  if (!moving.empty()) shown.add_pictures(list_sources("extension", domain, settings), moving);
  out.galleries.push_back(shown);
}

void report_objects(const Settings& settings, Report& out) {
  out.tables.push_back(add_method_rows("object", "solids", settings,
                                       {.id = "object",
                                        .title = "3-D objects from a prior of pictures",
                                        .caption = caption("object", settings)},
                                       {{"PSNR of held-out views", "psnr_held_out", 2},
                                        {"PSNR of the reference view", "psnr_reference", 2},
                                        {"target reached", "target_reached"},
                                        {"target reached, unseen text", "target_reached_unseen"},
                                        {"probability of the text", "target_probability"},
                                        {"probability in true views", "target_probability_true"}}));
  auto views = make_gallery("object", "solids", "views.png", settings, "3-D objects",
                            caption("views", settings));
  auto objects = list_sources("object", "solids", settings);
  if (!objects.empty()) {
    const auto truth = objects.front();
    for (auto& object : objects) object.title += ", turning";
    views.add_pictures(objects, "turn.webp");
    views.add_pictures({{"true views", truth.table, truth.dataset, truth.method}}, "truth.png");
  }
  out.galleries.push_back(views);
}

/// Reports the mixture and the Gaussian, whose densities are exact.
void report_mixture(const Settings& settings, Report& out) {
  out.tables.push_back(add_method_rows("exact", "mixture", settings,
                                       {.id = "mixture",
                                        .title = "The loop on a mixture in closed form",
                                        .caption = caption("mixture", settings),
                                        .digits = 3},
                                       {{"-ln p before", "nll_start"},
                                        {"-ln p after", "nll_end"},
                                        {"-ln p of the data", "nll_data"},
                                        {"points in their cluster", "kept"},
                                        {"spread within clusters", "spread"},
                                        {"distance to the clean point", "to_clean"}}));
  for (const auto sigma : settings.numbers("exact.sigmas"))
    out.figures.push_back(make_churn_bias_figure(fmt::format("{:g}", sigma), settings));
  Figure frontier{.id = "frontier_mixture",
                  .title = "Pareto fronts on the mixture: points in their cluster against -ln p",
                  .caption = caption("frontier_mixture", settings),
                  .x_label = "fraction of points in their cluster",
                  .y_label = "-ln p, nats per dimension"};
  for (const auto& method : settings.texts("methods.exact"))
    if (make_search(cell(exact_table, "mixture", method, 0),
                    parse_configuration(method, exact_table), settings)
            .chooses())
      frontier.add_series(
          {{method_title(method, exact_table), pareto_front_table, "mixture", method}}, "x_kept",
          "y_kept");
  out.figures.push_back(frontier);
  out.figures.push_back(make_rounds_figure(settings, "exact", "mixture", "nll",
                                           "Exact likelihood on the mixture, round by round",
                                           "-ln p, nats per dimension", "mixture_rounds"));
}

/// Reports samples of the priors, and their training.
void report_networks(const Settings& settings, Report& out) {
  reports::Gallery samples{.id = "gallery_samples",
                           .title = "Samples of the priors",
                           .caption = caption("samples", settings)};
  for (const auto& domain : list_trained_domains(settings))
    samples.pictures.push_back(
        {.table = "quality",
         .dataset = domain,
         .method = "edm",
         .file = "samples.png",
         .caption = fmt::format("{}, {}", domain, describe_item_size(domain, settings)),
         .columns = domain == "digits" ? name_digits() : std::vector<std::string>()});
  out.galleries.insert(out.galleries.begin(), samples);
  Figure losses{.id = "losses",
                .title = "Training of the priors",
                .caption = caption("losses", settings),
                .x_label = "epoch",
                .y_label = "validation loss"};
  for (const auto& domain : list_trained_domains(settings))
    losses.add_series({{domain, "prior", domain, "edm"}}, "", "validation_loss");
  if (has_domain(settings, "digits") &&
      list_denoisers(find_domain("digits"), settings).back() == Network::Small)
    losses.add_series({{"digits, smaller D'", "prior", "digits", "small"}}, "", "validation_loss");
  out.figures.push_back(losses);
}

}  // namespace

Report report(const Settings& settings) {
  Report out;
  for (const std::string domain : {"digits", "landscapes", "videos", "sounds"}) {
    const auto source = settings.text(domain + ".source");
    out.data_notes[domain] = source == "drawn" ? generated_data : join_licences({source});
  }
  for (const auto* generated : {"solids", "mixture", "gaussian"})
    out.data_notes[generated] = generated_data;
  out.tables.push_back(make_quality_table(settings));
  out.tables.push_back(make_choices_table(settings));
  if (has_domain(settings, "digits")) {
    report_inversion(settings, out);
    report_latent(settings, out);
    report_churn(settings, out);
    report_uses(settings, out);
  }
  out.tables.push_back(make_uses_table(settings));
  report_mixture(settings, out);
  for (const auto& domain : settings.texts("worlds"))
    if (find_domain(domain).shows("extension")) report_extension(domain, settings, out);
  if (has_domain(settings, "solids")) report_objects(settings, out);
  report_networks(settings, out);
  // A profile may leave tables out.
  out.drop_empty();
  // What a seed resamples, and so what the intervals cover.
  std::string seeds = "A seed resamples data, networks and noise.";
  if (settings.all().value("replicates", "everything") == "weights")
    seeds = "All seeds have the same data and networks. A seed resamples the noise.";
  else if (settings.integer("prior.seeds") > 0)
    seeds = fmt::format(
        "A seed resamples test items and noise. Priors are trained {}, so verdicts hold only for "
        "these networks.",
        settings.integer("prior.seeds") == 1
            ? "once"
            : fmt::format("{} times", settings.integer("prior.seeds")));
  out.notes = {
      "The document prints no results. All numbers are measured here and decide the claims.",
      "The document states σ_max = 1 for the ODE and calls σ = 3 moderately high. It does not "
      "state β Δt, the noise levels of the loop, Adam's "
      "learning rate, or the grid of the ODE. Rate and grid come from tests in closed form "
      "(docs/langevin.md). The noise level falls during the "
      "loop, because the stationary distribution at a constant σ is blurred.",
      "Section search of the profile lists the settings that are chosen on validation items. The "
      "records hold every trial.",
      "D and D' learn from one split of the data. The classifier, and the denoiser D'' that "
      "evaluates likelihood, learn from another.",
      seeds,
  };
  return out;
}

}  // namespace reprise::reproduce::langevin_study
