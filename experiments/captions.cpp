#include "experiments/captions.h"

#include <optional>
#include <regex>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/replace.h"
#include "experiments/embedded.h"
#include "experiments/names.h"

namespace reprise::reproduce {

/// Fills the texts of one description; remembers which values they name.
class Captions::Filler {
 public:
  Filler(const Captions& captions, const CaptionValues& values)
      : file_(captions.file_),
        settings_(captions.settings_),
        known_(captions.known_),
        values_(values) {}

  std::string text(const toml::table& table, const std::string& key) {
    return fill(table, key, true);
  }
  std::string text_or(const toml::table& table, const std::string& key,
                      const std::string& otherwise) {
    return table.contains(key) ? text(table, key) : otherwise;
  }
  /// One entry of a section's columns.
  reports::Column column(const toml::array& entry) {
    reports::Column column;
    std::vector<std::string> texts;
    for (const auto& part : entry) {
      if (const auto digits = part.value_exact<std::int64_t>())
        column.digits = static_cast<int>(*digits);
      else if (const auto words = part.value_exact<std::string>())
        texts.push_back(fill_text(*words, part, true));
    }
    // A column is title and metric, with digits and table optional.
    if (texts.size() < 2 || texts.size() > 3)
      throw UsageError(file_.where(entry) + ": a column has no title and metric",
                       "write [\"title\", \"metric\", DIGITS, \"table\"]");
    column.title = texts[0];
    column.metric = texts[1];
    // Without a table the column reads the table of the row.
    if (texts.size() == 3) column.table = texts[2];
    return column;
  }
  /// The first value that no text named.
  std::optional<std::string> find_unused() const {
    for (const auto& [name, value] : values_)
      if (!used_.contains(name)) return name;
    return std::nullopt;
  }

 private:
  std::string fill(const toml::table& table, const std::string& key, bool texts) {
    return fill_text(file_.text(table, key), *table.get(key), texts);
  }

  /// `texts`: whether a name may be another text of the file. It may not within such a text, so
  /// that none can hold itself.
  std::string fill_text(const std::string& text, const toml::node& at, bool texts) {
    static const std::regex placeholder(R"(\{([A-Za-z0-9_.]+)\})");
    return replace_matches(text, placeholder,
                           [&](const std::smatch& name) { return find_value(name[1], at, texts); });
  }

  std::string find_value(const std::string& name, const toml::node& at, bool texts) {
    if (const auto value = values_.find(name); value != values_.end()) {
      // Values of the study come first, then texts known to all captions, other texts of the file,
      // and settings.
      used_.insert(name);
      return value->second;
    }
    if (const auto value = known_.find(name); value != known_.end()) return value->second;
    if (const auto* other = file_.root().get(name); texts && other && other->is_string())
      return fill(file_.root(), name, false);
    const auto setting = settings_.all().find(name);
    if (setting == settings_.all().end())
      throw UsageError(
          file_.where(at) + ": {" + name + "} is neither a value of this caption nor a setting",
          "name a value that the study gives, another text of the file, or a setting");
    return setting->is_string() ? setting->get<std::string>() : json_text(*setting);
  }

  const reports::TomlFile& file_;
  const Settings& settings_;
  const CaptionValues& known_;
  const CaptionValues& values_;
  std::set<std::string> used_ = {};
};

Captions::Captions(const std::string& study, const Settings& settings, CaptionValues known)
    : file_(embedded::file(study + "/captions.toml"), study + "/captions.toml"),
      settings_(settings),
      known_(std::move(known)) {}

std::string Captions::text(const std::string& key, const CaptionValues& values) const {
  Filler filler(*this, values);
  auto text = filler.text(file_.root(), key);
  if (const auto unused = filler.find_unused())
    throw UsageError(
        file_.where(*file_.root().get(key)) + ": " + key + " does not name {" + *unused + "}",
        "write the value into the text");
  return text;
}

const toml::table& Captions::section(const std::string& key,
                                     const std::vector<std::string>& own_keys) const {
  const auto* section = file_.root().get_as<toml::table>(key);
  if (!section)
    throw UsageError(file_.where(file_.root()) + ": there is no section [" + key + "]",
                     "add [" + key + "] with a title");
  std::vector<std::string> keys{"id", "title", "caption"};
  keys.insert(keys.end(), own_keys.begin(), own_keys.end());
  file_.expect_keys(*section, keys);
  return *section;
}

TableCaption Captions::table(const std::string& key, const CaptionValues& values) const {
  const auto& own = section(key, {"corner", "digits", "columns"});
  Filler filler(*this, values);
  TableCaption caption{.table = {.id = filler.text_or(own, "id", key),
                                 .title = filler.text(own, "title"),
                                 .caption = filler.text_or(own, "caption", ""),
                                 .corner = filler.text(own, "corner")},
                       .columns = {}};
  if (own.contains("digits")) caption.table.digits = static_cast<int>(file_.number(own, "digits"));
  if (const auto* columns = own.get_as<toml::array>("columns"))
    for (const auto& column : *columns)
      if (const auto* parts = column.as_array()) caption.columns.push_back(filler.column(*parts));
  return caption;
}

reports::Figure Captions::figure(const std::string& key, const CaptionValues& values) const {
  using reports::Mark;
  static const std::vector<std::pair<std::string, Mark>> marks{{"line", Mark::Line},
                                                               {"points", Mark::Points},
                                                               {"bars", Mark::Bars},
                                                               {"matrix", Mark::Matrix}};
  const auto& own = section(key, {"x_label", "y_label", "mark", "first_seed", "diagonal", "x_min",
                                  "x_max", "y_min", "y_max", "x_first", "x_names"});
  Filler filler(*this, values);
  reports::Figure figure{.id = filler.text_or(own, "id", key),
                         .title = filler.text(own, "title"),
                         .caption = filler.text_or(own, "caption", ""),
                         .x_label = filler.text(own, "x_label"),
                         .y_label = filler.text(own, "y_label"),
                         .mark = named_value(marks, "mark", file_.text_or(own, "mark", "line")),
                         .x_names = file_.texts(own, "x_names")};
  if (own["first_seed"].value_or(false)) figure.seeds = reports::SeedMerge::First;
  figure.diagonal = own["diagonal"].value_or(false);
  for (const auto& [name, limit] : {std::pair{"x_min", &figure.x_min},
                                    {"x_max", &figure.x_max},
                                    {"y_min", &figure.y_min},
                                    {"y_max", &figure.y_max}})
    if (own.contains(name)) *limit = file_.number(own, name);
  if (own.contains("x_first")) figure.x_first = file_.number(own, "x_first");
  return figure;
}

reports::Gallery Captions::gallery(const std::string& key, const CaptionValues& values) const {
  const auto& own = section(key, {"wide"});
  Filler filler(*this, values);
  return {.id = filler.text_or(own, "id", key),
          .title = filler.text(own, "title"),
          .caption = filler.text_or(own, "caption", ""),
          .wide = own["wide"].value_or(false)};
}

std::string caption(const std::string& study, const std::string& key, const Settings& settings,
                    const CaptionValues& values) {
  return Captions(study, settings).text(key, values);
}

}  // namespace reprise::reproduce
