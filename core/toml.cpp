#include "core/toml.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/error.h"

namespace reprise {
namespace {

/// Whether the character stops a line: the parser ends the line here, or refuses the character.
bool ends_line(char c) { return c >= '\n' && c <= '\r'; }

/// Measures the depth of the values in a text, without parsing it. The parser does not limit the
/// parts of a dotted key. It makes a nested table for each part, and frees nested tables
/// recursively.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  /// Returns the number of the first line with too many levels; empty if there is none.
  std::optional<std::size_t> find_deep_line() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        skip_comment();
      else if (c == '"' || c == '\'')
        skip_string(c);
      else
        scan(c);
      if (open_levels_ + key_dots_ > max_toml_levels) return line_;
    }
    return std::nullopt;
  }

 private:
  void scan(char c) {
    ++at_;
    if (c == '\n') ++line_;
    if (c == '.') {
      ++key_dots_;
    } else if (c == '[' || c == '{') {
      // A bracket adds one level, and each dot of the key before it adds another.
      brackets_.push_back(key_dots_ + 1);
      open_levels_ += brackets_.back();
      key_dots_ = 0;
    } else if (c == ']' || c == '}') {
      if (!brackets_.empty()) {
        open_levels_ -= brackets_.back();
        brackets_.pop_back();
      }
      key_dots_ = 0;
    } else if (c == ',' || ends_line(c)) {
      key_dots_ = 0;
    }
  }

  void skip_comment() {
    while (at_ < text_.size() && !ends_line(text_[at_])) ++at_;
  }

  void skip_string(char quote) {
    const std::string triple(3, quote);
    if (text_.substr(at_).starts_with(triple)) return skip_long_string(quote, triple);
    for (++at_; at_ < text_.size() && !ends_line(text_[at_]); ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      // In double quotes, a backslash escapes the next character, which cannot end the string then.
      if (text_[at_] == '\\' && quote == '"') ++at_;
    }
  }

  /// Skips a string in triple quotes. One or two quotes directly before the closing ones are part
  /// of the string.
  void skip_long_string(char quote, const std::string& triple) {
    for (at_ += triple.size(); at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_.substr(at_).starts_with(triple)) {
        at_ += triple.size();
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
  std::size_t key_dots_ = 0, open_levels_ = 0;
  std::vector<std::size_t> brackets_;  ///< levels of each open bracket
};

}  // namespace

toml::table read_toml(std::string_view text, const std::string& name, const std::string& fix) {
  // Must come before the parser, because its recursion could overflow the stack.
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
