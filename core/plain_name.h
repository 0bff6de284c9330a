// Rule for names of methods, metrics, tables and data sets, which become folders, columns, terminal
// output and command-line words.
#pragma once
#include <algorithm>
#include <string_view>

namespace reprise {

/// Whether a name consists of ASCII letters, digits, '_', '-' and the characters of `also`, and
/// starts with a letter or digit.
inline bool is_plain_name(std::string_view name, std::string_view also = "") {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto fits = [&](char c) {
    return is_letter_or_digit(c) || c == '_' || c == '-' || also.find(c) != std::string_view::npos;
  };
  return !name.empty() && is_letter_or_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace reprise
