// The page of study langevin: its networks here, its methods in the other *_report.cpp.
#include <fmt/format.h>

#include "experiments/dataset_list.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/inversion_report.h"
#include "reproduce/langevin/loop_report.h"
#include "reproduce/langevin/method_report.h"
#include "reproduce/langevin/use_report.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Entry;
using reports::Table;

/// Has one row per metric, and one column per data set: Fréchet distances of different classifiers
/// cannot be compared.
Table make_quality_table(const Captions& captions) {
  auto [table, metrics] = captions.table("quality");
  table.columns = list_trained_domains(captions.settings());
  for (const auto& row : metrics) {
    table.rows.push_back(row.title);
    // Only the accuracy is a metric of the classifier.
    const auto network = row.metric == "accuracy" ? Network::Evaluator : Network::Main;
    auto& entries = table.entries.emplace_back();
    for (const auto& domain : table.columns)
      entries.push_back(Entry{.table = row.table.empty() ? quality_table : row.table,
                              .dataset = domain,
                              .method = network_name(network),
                              .metric = row.metric});
  }
  return table;
}

/// Lists the hyperparameters that the searches chose: one row for each method of a searched table.
Table make_choices_table(const Captions& captions) {
  const auto& settings = captions.settings();
  auto [table, columns] = captions.table("choices");
  table.add_columns(columns);
  const auto add_rows = [&](const std::string& cells, const std::string& dataset) {
    for (const auto& method : settings.texts("methods." + cells)) {
      const auto config = parse_configuration(method, cells);
      if (!make_search(cell(cells, dataset, method, 0), config, settings).chooses()) continue;
      // Tables of digits have one data set; others are named for theirs.
      const auto& group = dataset == "digits" ? cells : dataset;
      table.add_row({.title = fmt::format("{}, {}", group, method_title(method, cells)),
                     .table = cells,
                     .dataset = dataset,
                     .method = method},
                    columns);
    }
  };
  add_rows(exact_table, "mixture");
  for (const auto& domain : settings.texts("domains"))
    for (const auto& cells : method_tables())
      if (find_domain(domain).shows(cells.name)) add_rows(cells.name, domain);
  return table;
}

/// Shows samples of each prior.
reports::Gallery make_samples_gallery(const Captions& captions) {
  const auto& settings = captions.settings();
  auto gallery = captions.gallery("gallery_samples");
  for (const auto& domain : list_trained_domains(settings))
    gallery.pictures.push_back(
        {.table = quality_table,
         .dataset = domain,
         .method = network_name(Network::Main),
         .file = "samples.png",
         .caption = fmt::format("{}, {}", domain, describe_item_size(domain, settings)),
         .columns = domain == "digits" ? name_classes(10) : std::vector<std::string>()});
  return gallery;
}

/// Draws the validation loss of each prior, and of the smaller D' if the profile trains it.
reports::Figure make_losses_figure(const Captions& captions) {
  const auto& settings = captions.settings();
  auto figure = captions.figure("losses");
  const auto add_line = [&](const std::string& title, const std::string& domain, Network network) {
    figure.add_series({{.title = title,
                        .table = prior_table,
                        .dataset = domain,
                        .method = network_name(network)}},
                      "", "validation_loss");
  };
  for (const auto& domain : list_trained_domains(settings)) add_line(domain, domain, Network::Main);
  // The small network is the last of the list.
  if (has_domain(settings, "digits") &&
      list_denoisers(find_domain("digits"), settings).back() == Network::Small)
    add_line(captions.text("smaller_denoiser"), "digits", Network::Small);
  return figure;
}

/// States what a seed resamples, and so what the intervals cover.
std::string describe_seeds(const Captions& captions) {
  const auto& settings = captions.settings();
  if (settings.all().value("resampled", "everything") == "weights")
    return captions.text("note_seeds_of_weights");
  const auto priors = settings.integer("prior.seeds");
  if (priors == 0) return captions.text("note_seeds");
  const auto times = priors == 1 ? "once" : fmt::format("{} times", priors);
  return captions.text("note_seeds_of_items", {{"times", times}});
}

/// Names the source and licence of each data set.
void add_data_notes(const Settings& settings, Report& out) {
  for (const std::string domain : {"digits", "landscapes", "videos", "sounds"}) {
    const auto source = settings.text(domain + ".source");
    out.data_notes[domain] = source == "drawn" ? generated_data : join_licences({source});
  }
  for (const auto* generated : {"solids", "mixture", "gaussian"})
    out.data_notes[generated] = generated_data;
}

}  // namespace

Report report(const Settings& settings) {
  const Captions captions("langevin", settings);
  Report out;
  add_data_notes(settings, out);
  // Pages show galleries in this order, so the samples come first.
  out.galleries.push_back(make_samples_gallery(captions));
  out.tables.push_back(make_quality_table(captions));
  out.tables.push_back(make_choices_table(captions));
  if (has_domain(settings, "digits")) {
    report_inversion(captions, out);
    report_latent(captions, out);
    report_churn(captions, out);
    report_digits(captions, out);
  }
  out.tables.push_back(make_uses_table(captions));
  report_exact(captions, out);
  for (const auto& domain : settings.texts("domains"))
    if (find_domain(domain).shows("extension")) report_extension(domain, captions, out);
  if (has_domain(settings, "solids")) report_objects(captions, out);
  out.figures.push_back(make_losses_figure(captions));
  // A profile may leave tables out.
  out.drop_empty();
  for (const auto* note : {"note_results", "note_settings", "note_search", "note_splits"})
    out.notes.push_back(captions.text(note));
  out.notes.push_back(describe_seeds(captions));
  return out;
}

}  // namespace reprise::reproduce::langevin_study
