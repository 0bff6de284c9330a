#include "core/toml.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "core/error.h"

namespace reprise {
namespace {

bool ends_line(char c) {
  return c >= '\n' && c <= '\r';
}  // what the parser takes for the end of a line, or refuses there

/// Walks over a text as the parser does, and counts how deep its values lie. The parser keeps a
/// table per part of a dotted key and bounds none of it; to free such a table, as to walk it, is a
/// recursion.
class DepthScan {
 public:
  explicit DepthScan(std::string_view text) : text_(text) {}

  /// The line where there are too many levels; nothing where there are not.
  std::optional<std::size_t> too_deep() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#')
        skip_comment();
      else if (c == '"' || c == '\'')
        skip_string(c);
      else
        see(c);
      if (open_ + dots_ > max_toml_levels) return line_;
    }
    return std::nullopt;
  }

 private:
  void see(char c) {
    ++at_;
    if (c == '\n') ++line_;
    if (c == '.') {
      ++dots_;
    } else if (c == '[' || c == '{') {
      brackets_.push_back(dots_ +
                          1);  // the key before it, with its dots, and the bracket's own level
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
      if (text_[at_] == '\\' && quote == '"') ++at_;
    }
  }

  /// One in three quotes, over any number of lines; up to two more quotes at its end belong to it.
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
  std::vector<std::size_t> brackets_;  ///< levels of each that is open
};

}  // namespace

toml::table read_toml(std::string_view text, const std::string& name, const std::string& fix) {
  if (const auto line = DepthScan(text).too_deep())
    throw UsageError(fmt::format("{}, line {}: more than {} tables and lists within each other",
                                 name, *line, max_toml_levels),
                     fix);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}, line {}: {}", name, error.source().begin.line, error.description()), fix);
  }
}

}  // namespace reprise
