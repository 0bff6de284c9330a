// The text of --help and --help-all, at most 80 columns wide.
//
//     --help       the command in one sentence; the first sentence of each common option; two examples: one screen of 40 lines
//     --help-all   everything
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace reprise::reproduce {

inline constexpr std::size_t help_width = 80;

/// The group of options that --help leaves out, as a part of `group`: its common options stand
/// under that name alone.
std::string rarely_used(const std::string& group = "Options");

/// Whether `group` is a group of rarely used options.
bool is_rarely_used(const std::string& group);

/// Up to and without the first ". " or "; " outside parentheses, and without a final ".".
std::string first_sentence(const std::string& text);

/// The words of `text` in lines of at most `width` columns, each but the first behind `indent`
/// spaces. Line breaks in `text` stay.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

/// The values that an option takes, where its type lists them: "auto|cpu|cuda". Empty: it takes
/// others.
std::vector<std::string> listed_values(const CLI::Option& option);

/// Lays out the help of a command from its description, options and footer (which holds its
/// examples, one a line).
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace reprise::reproduce
