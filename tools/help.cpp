#include "tools/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "core/text.h"
#include "tools/command.h"

namespace reprise::reproduce {
namespace {

constexpr std::string_view rare_mark = ", rarely used";
constexpr std::size_t name_columns = 26;  // width of the column with names and values

/// Returns the command as it is typed: "reprise data export".
std::string typed_name(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : typed_name(*parent) + " " + command.get_name();
}

/// Formats an entry: a name, and its description on the same line, or on the next if the name is
/// long.
std::string list_entry(const std::string& name, const std::string& description) {
  const bool beside = name.size() + 2 < name_columns;
  const auto gap = beside ? std::string(name_columns - name.size() - 2, ' ')
                          : "\n" + std::string(name_columns, ' ');
  return "  " + name + gap + wrap(description, help_width - name_columns, name_columns) + "\n";
}

/// Formats the names of an option and the type of its value: "--out OUTPUT".
std::string name_and_value(const CLI::Option& option) {
  auto type = option.get_type_name();
  type = type.substr(0, type.find(':'));  // CLI11 appends the range that is checked
  if (type == "TEXT") type = "VALUE";
  std::string name = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  // CLI11 joins the short and the long name by a comma.
  std::ranges::replace(name, ',', ' ');
  if (!option.get_positional() && option.get_expected_max() > 0) name += " " + type;
  return name;
}

/// Formats the description of an option, followed by its notes: "[required; default 8]".
std::string describe(const CLI::Option& option, bool in_full) {
  auto text = in_full ? option.get_description() : first_sentence(option.get_description());
  std::vector<std::string> notes;
  if (option.get_positional() && !listed_values(option).empty())
    notes.push_back(option.get_type_name());
  if (option.get_required()) notes.emplace_back("required");
  if (!option.get_default_str().empty()) notes.push_back("default " + option.get_default_str());
  // CLI11 counts values, not occurrences; these options take one value per occurrence.
  if (!option.get_positional() && option.get_expected_max() > option.get_expected_min())
    notes.emplace_back("may be repeated");
  return notes.empty() ? text : fmt::format("{} [{}]", text, join(notes, "; "));
}

std::string list_arguments(const CLI::App& command, bool in_full) {
  std::string text;
  for (const auto* option : command.get_options())
    if (option->get_positional())
      text += list_entry(name_and_value(*option), describe(*option, in_full));
  return text.empty() ? "" : "\nArguments:\n" + text;
}

/// Lists the options of one group under its title. Returns "" for an empty group.
std::string list_options(const CLI::App& command, const std::string& group, bool in_full) {
  std::string text;
  for (const auto* option : command.get_options())
    if (option->get_group() == group && !option->get_positional() &&
        option != command.get_help_ptr() && option != command.get_help_all_ptr())
      text += list_entry(name_and_value(*option), describe(*option, in_full));
  return text.empty() ? "" : "\n" + group + ":\n" + text;
}

std::string list_subcommands(const CLI::App& command) {
  std::string text;
  for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; }))
    text += list_entry(sub->get_name(), first_sentence(sub->get_description()));
  return text.empty() ? "" : "\nCommands:\n" + text;
}

/// Formats the usage line. Arguments that may be left out are in brackets.
std::string usage(const CLI::App& command) {
  std::string text = "Usage: " + typed_name(command);
  for (const auto* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const auto name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  if (!command.get_subcommands([](const CLI::App*) { return true; }).empty()) text += " COMMAND";
  return text + " [OPTION...]\n";
}

/// Lists the flags that cli.cpp takes for every command. CLI11 does not know them.
std::string list_shared(const CLI::App& command, bool in_full) {
  // Only commands with an output can overwrite a file.
  const bool writes = std::ranges::any_of(command.get_options(), [](const CLI::Option* option) {
    return option->get_type_name() == output_type;
  });
  auto text = list_entry("--json", "print the answer as one JSON object");
  if (writes)
    text += list_entry("--overwrite", "replace existing files that this command did not write");
  if (!in_full) text += list_entry("--help-all", "show all options in full");
  return "\nAlways:\n" + text;
}

/// Splits a command line into words, keeping an option and its value together. Text in single
/// quotes is one word.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  bool quoted = false;
  for (const char c : line) {
    if (c == ' ' && !quoted) {
      in_word = false;
      continue;
    }
    // The word after an option is its value, unless it is an option itself.
    const bool is_value = !words.empty() && words.back().starts_with("--") &&
                          words.back().find(' ') == std::string::npos && c != '-';
    if (!in_word && is_value)
      words.back() += ' ';
    else if (!in_word)
      words.emplace_back();
    in_word = true;
    // A quote opens or closes a word and stays part of it.
    quoted ^= c == '\'';
    words.back() += c;
  }
  return words;
}

/// Lists the first two examples, or all of them. Breaks long ones with a backslash.
std::string list_examples(const CLI::App& command, bool in_full) {
  std::istringstream lines(command.get_footer());
  std::string text;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line) && (in_full || count < 2);) {
    std::string shown = " ";
    std::size_t column = 1;
    for (const auto& word : shell_words(line)) {
      // A broken line ends in a backslash, as a shell needs it.
      constexpr std::size_t break_columns = 2;  // " \"
      if (column + 1 + word.size() + break_columns > help_width) {
        shown += " \\\n     ";
        column = 5;
      }
      shown += " " + word;
      column += 1 + word.size();
    }
    text += shown + "\n";
    ++count;
  }
  return text.empty() ? "" : "\nFor example:\n" + text;
}

}  // namespace

std::string rarely_used(const std::string& group) { return group + std::string(rare_mark); }

bool is_rarely_used(const std::string& group) { return group.ends_with(rare_mark); }

std::string first_sentence(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    // "..." ends no sentence, and neither does a full stop in parentheses.
    const bool ends = (text[i] == '.' && (i == 0 || text[i - 1] != '.')) || text[i] == ';';
    if (ends && depth == 0 && (text[i + 1] == ' ' || text[i + 1] == '\n')) return text.substr(0, i);
  }
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string wrap(const std::string& text, std::size_t width, std::size_t indent) {
  const auto next_line = "\n" + std::string(indent, ' ');
  std::string wrapped;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!wrapped.empty()) wrapped += next_line;
    std::istringstream words(line);
    std::size_t column = 0;
    for (std::string word; words >> word;) {
      // The first word of a line stays there, however long it is.
      if (column > 0 && column + 1 + word.size() > width) {
        wrapped += next_line;
        column = 0;
      }
      if (column > 0) wrapped += ' ';
      wrapped += word;
      column += word.size() + (column > 0 ? 1 : 0);
    }
  }
  return wrapped;
}

std::vector<std::string> listed_values(const CLI::Option& option) {
  std::vector<std::string> values;
  std::istringstream type(option.get_type_name());
  for (std::string value; std::getline(type, value, '|');) values.push_back(value);
  // A type name without "|" is no list of values.
  return values.size() > 1 ? values : std::vector<std::string>{};
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string /*name*/,
                                     CLI::AppFormatMode mode) const {
  const bool in_full = mode == CLI::AppFormatMode::All;
  const auto description =
      in_full ? command->get_description() : first_sentence(command->get_description()) + ".";
  auto text = wrap(description, help_width, 0) + "\n" + usage(*command) +
              list_subcommands(*command) + list_arguments(*command, in_full);
  // Groups are listed in the order in which their options were added.
  std::vector<std::string> groups;
  for (const auto* option : command->get_options())
    if (std::ranges::find(groups, option->get_group()) == groups.end())
      groups.push_back(option->get_group());
  for (const auto& group : groups)
    if (in_full || !is_rarely_used(group)) text += list_options(*command, group, in_full);
  return text + list_shared(*command, in_full) + list_examples(*command, in_full);
}

}  // namespace reprise::reproduce
