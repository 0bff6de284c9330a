#include "reports/glossary.h"

#include <algorithm>
#include <cctype>

#include "core/text.h"

namespace reprise::reports {
namespace {

/// With typed apostrophes and hyphens for primes and minus signs.
std::string plain(std::string text) {
  for (const auto& [printed, typed] : {std::pair<std::string, std::string>{"\u2032", "'"}, {"\u2033", "''"}, {"\u2212", "-"}})
    for (auto at = text.find(printed); at != std::string::npos; at = text.find(printed, at + typed.size()))
      text.replace(at, printed.size(), typed);
  return text;
}

/// A letter, a digit, a prime, or a part of a letter that is no ASCII.
bool belongs(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '\'' || (static_cast<unsigned char>(c) & 0x80);
}

bool stands_in(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    auto after = at + word.size();
    if (word.size() > 3 && after < text.size() && text[after] == 's') ++after;
    if ((at == 0 || !belongs(text[at - 1])) && (after >= text.size() || !belongs(text[after]))) return true;
  }
  return false;
}

std::vector<std::string> names_in(const std::string& entry) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= entry.size();) {
    const auto comma = std::min(entry.find(", ", begin), entry.size());
    names.push_back(entry.substr(begin, comma - begin));
    begin = comma + 2;
  }
  return names;
}

}  // namespace

bool uses(const std::string& text, const std::string& name) {
  const auto names = names_in(plain(name));
  const auto where = plain(text);
  return std::any_of(names.begin(), names.end(), [&](const std::string& one) { return stands_in(where, one); });
}

std::vector<Glossary> first_uses(const Glossary& glossary, const std::vector<std::string>& texts) {
  std::vector<Glossary> out(texts.size() + 1);
  for (const auto& entry : glossary) {
    const auto first = std::find_if(texts.begin(), texts.end(), [&](const std::string& text) { return uses(text, entry.first); });
    out[static_cast<std::size_t>(first - texts.begin())].push_back(entry);
  }
  return out;
}

Html glossary_html(const Glossary& entries, const std::string& line) {
  if (entries.empty()) return {};
  std::vector<std::string> names;
  Html words;
  for (const auto& [name, meaning] : entries) {
    names.push_back(name);
    words += element("dt", name) + element("dd", meaning);
  }
  return element("details", {{"class", "words"}},
                 element("summary", line.empty() ? "words: " + join(names, ", ") : line) + element("dl", {{"class", "glossary"}}, words));
}

}  // namespace reprise::reports
