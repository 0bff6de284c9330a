// Layout of --help and --help-all, at most 80 columns wide.
//
// - --help fits one screen of 40 lines. It has the command and each common option in one sentence,
//   and two examples.
// - --help-all has all options, sentences and examples.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace reprise::reproduce {

inline constexpr std::size_t help_width = 80;

/// Returns the name of the group for the rarely used options of `group`. --help leaves it out.
std::string rarely_used(const std::string& group = "Options");

/// Whether `group` is a group of rarely used options.
bool is_rarely_used(const std::string& group);

/// Returns the text before the first ". " or "; " outside parentheses, without a final ".".
std::string first_sentence(const std::string& text);

/// Breaks `text` into lines of at most `width` columns. All lines but the first are indented by
/// `indent` spaces. Line breaks in `text` stay.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

/// Returns the values that the option's type lists, as "auto|cpu|cuda"; empty for other types.
std::vector<std::string> listed_values(const CLI::Option& option);

/// Lays out the help of a command from its description, options and footer. The footer has one
/// example per line.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace reprise::reproduce
