// `reprise completion`: scripts for shells that complete commands, options and values, generated
// from the definition of the command line.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "cli/cli.h"
#include "core/text.h"
#include "experiments/names.h"
#include "tools/help.h"

namespace reprise::reproduce {
namespace {

using Names = std::vector<std::string>;

/// Words that may follow a command.
struct Completable {
  std::string command;  ///< "data export", or "" for the program
  struct Word {
    std::string name;         ///< "--profile" or "run"
    std::string description;  ///< one sentence
    bool takes_value = false;
    Names values = {};  ///< values of the option; empty for files and free text
  };
  std::vector<Word> commands, options;
  Names arguments = {};  ///< values of its positional arguments; empty: files
};

/// Lists the values of an option or argument. Empty for files and free text.
Names list_values(const CLI::Option& option, const std::vector<Study>& studies) {
  const auto listed = listed_values(option);
  if (!listed.empty()) return listed;
  Names values;
  const auto type = option.get_positional() ? option.get_name(true) : option.get_type_name();
  for (const auto& study : studies) {
    if (type == "STUDY") values.push_back(study.name);
    if (type != profile_type) continue;
    for (const auto& [profile, text] : study.profiles)
      if (std::ranges::find(values, profile) == values.end()) values.push_back(profile);
  }
  return values;
}

/// Appends a command and its subcommands to `all`.
void describe_command(const CLI::App& app, const std::string& words,
                      const std::vector<Study>& studies, std::vector<Completable>& all) {
  Completable completable{.command = words};
  for (const auto* option : app.get_options()) {
    const auto values = list_values(*option, studies);
    // Arguments have no name to complete, so only their values count.
    if (option->get_positional()) {
      completable.arguments.insert(completable.arguments.end(), values.begin(), values.end());
      continue;
    }
    completable.options.push_back({.name = "--" + option->get_lnames().front(),
                                   .description = first_sentence(option->get_description()),
                                   .takes_value = option->get_expected_max() > 0,
                                   .values = values});
  }
  // cli.cpp takes --json before CLI11 parses, so CLI11 does not list it.
  completable.options.push_back({.name = "--json", .description = "print one JSON object"});
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (const auto* command : below)
    completable.commands.push_back(
        {.name = command->get_name(), .description = first_sentence(command->get_description())});
  all.push_back(std::move(completable));
  for (const auto* command : below)
    describe_command(*command,
                     words.empty() ? command->get_name() : words + " " + command->get_name(),
                     studies, all);
}

Names list_names(const std::vector<Completable::Word>& words) {
  Names names;
  for (const auto& word : words) names.push_back(word.name);
  return names;
}

/// Formats a branch of a shell's `case` that sets the offered words.
std::string case_branch(const std::string& pattern, const Names& words) {
  return fmt::format("    {}) words={} ;;\n", shell_quote(pattern), shell_quote(join(words, " ")));
}

/// Returns the script for bash. With "-o default" bash offers files where the script offers
/// nothing.
std::string bash_script(const std::vector<Completable>& all) {
  std::string paths, options, arguments, values;
  for (const auto& [command, commands, known_options, known_arguments] : all) {
    if (!command.empty()) paths += (paths.empty() ? "" : "|") + shell_quote(command);
    options += case_branch(command, list_names(known_options));
    auto words = list_names(commands);
    words.insert(words.end(), known_arguments.begin(), known_arguments.end());
    arguments += case_branch(command, words);
    // After an option that takes a value only its values are offered.
    for (const auto& option : known_options)
      if (option.takes_value) values += case_branch(command + " " + option.name, option.values);
  }
  return fmt::format(R"(# Completion of reprise in bash, made by: reprise completion bash
_reprise() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command="" word words="" i
  # Bash splits --option=value at "=".
  if [[ $current == = ]]; then current=""; elif [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word="${{command:+$command }}${{COMP_WORDS[i]}}"
    case $word in {}) command=$word ;; esac
  done
  case "$command $previous" in
{}    *)
      case $current in
        -*) case $command in
{}        esac ;;
        *) case $command in
{}        esac ;;
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _reprise reprise
)",
                     paths, values, options, arguments);
}

/// Returns the script for zsh, which can run completion functions of bash.
std::string zsh_script(const std::vector<Completable>& all) {
  return "autoload -Uz compinit bashcompinit && compinit && bashcompinit\n" + bash_script(all);
}

/// Returns the script for fish: one `complete` line per command, argument list and option.
std::string fish_script(const std::vector<Completable>& all) {
  std::string script = "# Completion of reprise in fish, made by: reprise completion fish\n";
  for (const auto& [command, commands, options, arguments] : all) {
    // Fish's condition: no command yet, or all words of this one have been typed.
    std::string when = "__fish_use_subcommand";
    if (!command.empty()) {
      when.clear();
      std::istringstream words(command);
      for (std::string word; words >> word;)
        when += (when.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") + word;
    }
    const auto begin = "complete -c reprise -n " + shell_quote(when);
    for (const auto& word : commands)
      script += fmt::format("{} -f -a {} -d {}\n", begin, word.name, shell_quote(word.description));
    if (!arguments.empty())
      script += fmt::format("{} -f -a {}\n", begin, shell_quote(join(arguments, " ")));
    for (const auto& option : options) {
      script += fmt::format("{} -l {} -d {}", begin, option.name.substr(2),
                            shell_quote(option.description));
      if (option.takes_value) script += " -r";
      if (!option.values.empty()) script += " -a " + shell_quote(join(option.values, " "));
      script += "\n";
    }
  }
  return script;
}

void complete(const CLI::App& app, const Call& call, const std::string& shell) {
  std::vector<Completable> all;
  describe_command(app, "", call.studies, all);
  const std::vector<std::pair<std::string, std::string (*)(const std::vector<Completable>&)>>
      shells{{"bash", &bash_script}, {"zsh", &zsh_script}, {"fish", &fish_script}};
  const auto script = named_value(shells, "shell", shell)(all);
  call.answer({{"shell", shell}, {"script", script}}, script);
}

}  // namespace

void add_completion(CLI::App& app, Call& call) {
  auto* verb = add_command(app, "completion",
                           "Print a script that completes commands and options in a shell.",
                           "source <(reprise completion bash)\n"
                           "reprise completion fish > ~/.config/fish/completions/reprise.fish");
  const auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "shell that reads the script")
      ->required()
      ->type_name("bash|zsh|fish");
  verb->callback([&app, &call, shell] { complete(app, call, *shell); });
}

}  // namespace reprise::reproduce
