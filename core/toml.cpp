#include "core/toml.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/error.h"

namespace reprise {
namespace {

/// Whether the parser ends a line at the character, or refuses it.
bool ends_line(char c) { return c >= '\n' && c <= '\r'; }

/// Scans a text like the parser, and measures the depth of its values. The parser makes a table for
/// each part of a dotted key, without a limit, and frees such tables recursively.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  /// Finds the line with too many levels; empty if there is none.
  std::optional<std::size_t> find_deep_line() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        skip_comment();
      else if (c == '"' || c == '\'')
        skip_string(c);
      else
        scan(c);
      if (open_ + dots_ > max_toml_levels) return line_;
    }
    return std::nullopt;
  }

 private:
  void scan(char c) {
    ++at_;
    if (c == '\n') ++line_;
    if (c == '.') {
      ++dots_;
    } else if (c == '[' || c == '{') {
      // The levels of the dotted key before the bracket, and one for the bracket.
      brackets_.push_back(dots_ + 1);
      open_ += brackets_.back();
      dots_ = 0;
    } else if (c == ']' || c == '}') {
      if (!brackets_.empty()) {
        open_ -= brackets_.back();
        brackets_.pop_back();
      }
      dots_ = 0;
    } else if (c == ',' || ends_line(c)) {
      dots_ = 0;
    }
  }

  void skip_comment() {
    while (at_ < text_.size() && !ends_line(text_[at_])) ++at_;
  }

  void skip_string(char quote) {
    const std::string three(3, quote);
    if (text_.substr(at_).starts_with(three)) return skip_long_string(quote, three);
    for (++at_; at_ < text_.size() && !ends_line(text_[at_]); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      // Only double quotes know escapes; the escaped character cannot end the string.
      if (text_[at_] == '\\' && quote == '"') ++at_;
    }
  }

  /// Skips a string in triple quotes. Up to two more quotes at its end belong to it.
  void skip_long_string(char quote, const std::string& three) {
    for (at_ += three.size(); at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_.substr(at_).starts_with(three)) {
        at_ += three.size();
        for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
        return;
      }
      if (text_[at_] != '\\' || quote != '"' || at_ + 1 >= text_.size()) continue;
      ++at_;
      if (text_[at_] == '\n') ++line_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  std::size_t dots_ = 0, open_ = 0;
  std::vector<std::size_t> brackets_;  ///< levels of each open bracket
};

}  // namespace

toml::table read_toml(std::string_view text, const std::string& name, const std::string& fix) {
  // Before the parser sees the text: its recursion could overflow the stack.
  if (const auto line = DepthScan(text).find_deep_line())
    throw UsageError(fmt::format("{}, line {}: more than {} nested tables and lists", name, *line,
                                 max_toml_levels),
                     fix);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}, line {}: {}", name, error.source().begin.line, error.description()), fix);
  }
}

}  // namespace reprise
