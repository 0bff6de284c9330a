// The command line over the studies of toy_study.h, in a process of its own: what the shell and the system see of it.
#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "core/files.h"
#include "core/text.h"
#include "experiments/run/results.h"
#include "tests/cli/answer.h"
#include "tests/cli/started.h"

namespace reprise::reproduce {

inline std::string in_shell(const std::filesystem::path& word) { return shell_quoted(word.native()); }

/// The command line over the toy study, in a process of its own.
struct CommandLine : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path results = folder.path() / "results";

  Answer call(const std::vector<std::string>& words) const {
    const auto out = folder.path() / "out", err = folder.path() / "err";
    const int status = call_in_a_process(words, out, err);
    return {status, read_file(out), read_file(err)};
  }

  /// By a shell, with another way for standard error, in its words.
  Answer call(const std::vector<std::string>& words, const std::string& errors) const {
    std::string command = in_shell(std::filesystem::read_symlink("/proc/self/exe")) + " cli";
    for (const auto& word : words) command += " " + in_shell(word);
    const int status = std::system((command + " > " + in_shell(folder.path() / "out") + " " + errors).c_str());
    const auto err = folder.path() / "err";
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder.path() / "out"),
            std::filesystem::exists(err) ? read_file(err) : ""};
  }

  Answer run_toys(const std::string& methods) const {
    return call(
        {"run", "toy", "--device", "cpu", "--jobs", "2", "--out", results, "--set", "methods=" + methods, "--seeds", "3", "--json"});
  }
  /// As if the checkout had had no changes when the cells ran: records of one that had are not packed.
  static void mark_as_committed(const std::filesystem::path& folder) {
    const auto store = cells_in(folder);
    for (auto record : store.all()) {
      if (store.is_packed(record.cell)) continue;
      record.environment.edit().dirty = false;
      store.write(record);
    }
  }
  std::filesystem::path reference() const { return folder.path() / "reference.json"; }
  std::string file(const std::string& name, const std::string& text) const {
    write_file(folder.path() / name, text);
    return folder.path() / name;
  }
};

}  // namespace reprise::reproduce
