// Rows, figures and galleries by method.
#include "reproduce/langevin/method_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/captions.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/domains.h"

namespace reprise::reproduce::langevin_study {

std::string caption(const std::string& key, const Settings& settings,
                    const std::map<std::string, std::string>& values) {
  return reproduce::caption("langevin", key, settings, values);
}

std::vector<reports::Source> list_sources(const std::string& cells, const std::string& dataset,
                                          const Settings& settings) {
  std::vector<reports::Source> out;
  for (const auto& method : settings.texts("methods." + cells))
    out.push_back({method_title(method, cells), cells, dataset, method});
  return out;
}

reports::Table add_method_rows(const std::string& cells, const std::string& dataset,
                               const Settings& settings, reports::Table table,
                               const Columns& columns) {
  table.corner = "method";
  const auto rows = list_sources(cells, dataset, settings);
  table.add_rows(rows, columns);
  // Controls are not competitors for the best value.
  for (const auto& row : rows)
    if (generates_nothing(parse_configuration(row.method, cells).method))
      table.nulls.insert(row.title);
  return table;
}

bool generates_nothing(const PriorMethod& method) {
  return method.algorithm == Algorithm::Nothing || method.algorithm == Algorithm::RealItems;
}

bool has_domain(const Settings& settings, const std::string& domain) {
  const auto domains = settings.texts("worlds");
  return std::find(domains.begin(), domains.end(), domain) != domains.end();
}

std::string describe_item_size(const std::string& domain, const Settings& settings) {
  const auto& info = find_domain(domain);
  const auto setting = [&](const std::string& key) { return settings.integer(domain + "." + key); };
  const auto height = setting(info.height), width = setting(info.width);
  switch (info.kind) {
    case models::ItemKind::Videos:
      return fmt::format("{} frames of {} x {} pixels", setting("frames"), height, width);
    case models::ItemKind::Sounds:
      return fmt::format("{} bands x {} frames", height, width);
    default:
      return fmt::format("{} x {} pixels", height, width);
  }
}

reports::Figure make_rounds_figure(const Settings& settings, const std::string& cells,
                                   const std::string& dataset, const std::string& curve,
                                   const std::string& title, const std::string& label,
                                   const std::string& key) {
  reports::Figure figure{.id = cells + "_" + dataset + "_" + curve,
                         .title = title,
                         .caption = caption(key, settings),
                         .x_label = "round",
                         .y_label = label};
  auto shown = list_sources(cells, dataset, settings);
  // Other methods have no curve.
  std::erase_if(shown, [&](const auto& source) {
    return !runs_in_rounds(parse_configuration(source.method, cells).method);
  });
  figure.add_series(shown, "round", curve);
  return figure;
}

reports::Gallery make_gallery(const std::string& table, const std::string& dataset,
                              const std::string& file, const Settings& settings,
                              const std::string& title, const std::string& caption) {
  reports::Gallery shown{
      .id = "gallery_" + table + "_" + dataset, .title = title, .caption = caption};
  shown.add_pictures(list_sources(table, dataset, settings), file);
  return shown;
}

reports::Gallery make_rounds_gallery(const std::string& table, const Settings& settings,
                                     const std::string& title, const RoundRows& rows) {
  // Rows of a sheet: those before the first round, a round per quarter, and the end.
  auto shown =
      make_gallery(table, "digits", "rounds.png", settings, title, caption("rounds", settings));
  const auto rounds = settings.integer(table + ".rounds"),
             stride = std::max<std::int64_t>(1, rounds / 4);
  for (auto& picture : shown.pictures) {
    picture.rows = rows.before;
    const bool by_rounds = runs_in_rounds(parse_configuration(picture.method, table).method);
    if (by_rounds)
      for (auto round = rows.from_first ? 0 : stride - 1; round < rounds; round += stride)
        picture.rows.push_back(fmt::format("round {}", round + 1));
    // A method without rounds has nothing but its end.
    if (rows.end || !by_rounds) picture.rows.emplace_back("end");
  }
  return shown;
}

}  // namespace reprise::reproduce::langevin_study
