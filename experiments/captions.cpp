#include "experiments/captions.h"

#include <regex>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/replace.h"
#include "experiments/embedded.h"
#include "reports/toml_file.h"

namespace reprise::reproduce {
namespace {

struct CaptionFiller {
  const reports::TomlFile& file;
  const Settings& settings;
  const std::map<std::string, std::string>& values;
  std::set<std::string> used = {};

  /// `texts`: whether a name may be another text of the file. It may not within such a text, so that none can hold itself.
  std::string fill(const std::string& key, bool texts) {
    static const std::regex placeholder(R"(\{([A-Za-z0-9_.]+)\})");
    return replace_matches(file.text(file.root(), key), placeholder,
                           [&](const std::smatch& name) { return value_of(name[1], key, texts); });
  }

  std::string value_of(const std::string& name, const std::string& key, bool texts) {
    if (const auto value = values.find(name); value != values.end()) {
      used.insert(name);
      return value->second;
    }
    if (texts && file.root().contains(name)) return fill(name, false);
    const auto setting = settings.all().find(name);
    if (setting == settings.all().end())
      throw UsageError(file.where(*file.root().get(key)) + ": {" + name + "} is neither a value of this caption nor a setting",
                       "name a value that the study gives, another text of the file, or a setting");
    return setting->is_string() ? setting->get<std::string>() : json_text(*setting);
  }
};

}  // namespace

std::string caption(const std::string& study, const std::string& key, const Settings& settings,
                    const std::map<std::string, std::string>& values) {
  const auto name = study + "/captions.toml";
  const reports::TomlFile file(embedded::file(name), name);
  CaptionFiller filler{.file = file, .settings = settings, .values = values};
  auto text = filler.fill(key, true);
  for (const auto& [value, unused] : values)
    if (!filler.used.contains(value))
      throw UsageError(file.where(*file.root().get(key)) + ": " + key + " does not name {" + value + "}", "write the value into the text");
  return text;
}

}  // namespace reprise::reproduce
