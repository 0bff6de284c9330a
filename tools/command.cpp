#include "tools/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.h"
#include "core/json.h"
#include "core/printable.h"

namespace reprise::reproduce {

void print(const std::string& words) {
  // A full disk shows only when the buffer is flushed.
  if (std::fwrite(words.data(), 1, words.size(), stdout) != words.size() ||
      std::fflush(stdout) != 0)
    throw Error(std::string("cannot write the answer to standard output: ") + std::strerror(errno),
                "free some space on that disk, or redirect the output");
}

void Call::answer(const nlohmann::json& object, const std::string& text) const {
  print(json ? terminal_json(json_text(object, 1)) + "\n" : terminal_text(text));
}

void check_seed(CLI::Option* option) {
  option->check([](const std::string& text) {
    // CLI11 would read -1 as a large unsigned number.
    return text.starts_with('-') ? "a seed is 0 or more, not " + text : std::string();
  });
}

void add_device(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "device to compute on")
      ->type_name(device_type)
      ->capture_default_str();
}

CLI::Option* add_output(CLI::App& verb, const std::string& name, std::filesystem::path& path,
                        const std::string& what) {
  return verb.add_option(name, path, what)->type_name(output_type);
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                      const std::string& examples) {
  auto* verb = app.add_subcommand(name, what);
  verb->footer(examples);  // HelpFormatter lays them out
  return verb;
}

}  // namespace reprise::reproduce
