#include "reports/glossary.h"

namespace reprise::reports {

Html glossary_html(const Glossary& entries, const std::string& line) {
  if (entries.empty()) return {};
  Html words;
  for (const auto& [name, meaning] : entries) words += element("dt", name) + element("dd", meaning);
  return element("details", {{"class", "words"}},
                 element("summary", line) + element("dl", {{"class", "glossary"}}, words));
}

}  // namespace reprise::reports
