// Rows, figures and galleries by method.
#include "reproduce/langevin/method_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/domains.h"

namespace reprise::reproduce::langevin_study {

std::vector<reports::Source> list_sources(const std::string& table_name, const std::string& dataset,
                                          const Settings& settings) {
  std::vector<reports::Source> sources;
  for (const auto& method : settings.texts("methods." + table_name))
    sources.push_back({.title = method_title(method, table_name),
                       .table = table_name,
                       .dataset = dataset,
                       .method = method});
  return sources;
}

reports::Table add_method_rows(const std::string& table_name, const std::string& dataset,
                               TableCaption caption, const Settings& settings) {
  auto table = std::move(caption.table);
  const auto rows = list_sources(table_name, dataset, settings);
  table.add_rows(rows, caption.columns);
  // The best value of a column is marked, but never that of a control.
  for (const auto& row : rows)
    if (generates_nothing(parse_configuration(row.method, table_name).method))
      table.nulls.insert(row.title);
  return table;
}

bool generates_nothing(const PriorMethod& method) {
  return method.algorithm == Algorithm::Nothing || method.algorithm == Algorithm::RealItems;
}

bool has_domain(const Settings& settings, const std::string& domain) {
  const auto domains = settings.texts("domains");
  return std::ranges::find(domains, domain) != domains.end();
}

std::string describe_item_size(const std::string& domain, const Settings& settings) {
  const auto& info = find_domain(domain);
  const auto setting = [&](const std::string& key) { return settings.integer(domain + "." + key); };
  const auto height = setting(info.height);
  const auto width = setting(info.width);
  switch (info.kind) {
    case models::ItemKind::Videos:
      return fmt::format("{} frames of {} x {} pixels", setting("frames"), height, width);
    case models::ItemKind::Sounds:
      return fmt::format("{} bands x {} frames", height, width);
    default:
      return fmt::format("{} x {} pixels", height, width);
  }
}

reports::Figure make_rounds_figure(const std::string& table_name, const std::string& dataset,
                                   const std::string& curve, const Captions& captions) {
  auto figure = captions.figure(table_name + "_" + dataset + "_" + curve);
  auto shown = list_sources(table_name, dataset, captions.settings());
  // Methods without rounds have no curve.
  std::erase_if(shown, [&](const auto& source) {
    return !runs_in_rounds(parse_configuration(source.method, table_name).method);
  });
  figure.add_series(shown, "round", curve);
  return figure;
}

std::vector<reports::Picture> list_round_sheets(const std::string& table, const RoundRows& rows,
                                                const Settings& settings) {
  const auto rounds = settings.integer(table + ".rounds");
  // A cell adds a row to its sheet after each quarter of the rounds (sheet_stride()).
  const auto stride = std::max<std::int64_t>(1, rounds / 4);
  std::vector<reports::Picture> sheets;
  for (const auto& source : list_sources(table, "digits", settings)) {
    auto& sheet = sheets.emplace_back(reports::Picture{.table = source.table,
                                                       .dataset = source.dataset,
                                                       .method = source.method,
                                                       .file = "rounds.png",
                                                       .caption = source.title,
                                                       .rows = rows.before});
    const bool by_rounds = runs_in_rounds(parse_configuration(source.method, table).method);
    if (by_rounds)
      for (auto round = rows.from_first ? 0 : stride - 1; round < rounds; round += stride)
        sheet.rows.push_back(fmt::format("round {}", round + 1));
    // The sheet of a method without rounds shows only the final result.
    if (rows.end || !by_rounds) sheet.rows.emplace_back("end");
  }
  return sheets;
}

reports::Gallery make_rounds_gallery(const std::string& table, const RoundRows& rows,
                                     const Captions& captions) {
  auto gallery = captions.gallery("gallery_" + table + "_digits");
  gallery.pictures = list_round_sheets(table, rows, captions.settings());
  return gallery;
}

}  // namespace reprise::reproduce::langevin_study
