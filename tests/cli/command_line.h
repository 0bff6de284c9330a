// The command line over the studies of toy_study.h.
#pragma once
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>

#include "core/files.h"
#include "core/text.h"
#include "experiments/run/results.h"
#include "tests/cli/answer.h"
#include "tests/experiments/toy_study.h"

namespace reprise::reproduce {

inline std::string in_shell(const std::filesystem::path& word) {
  return shell_quote(word.native());
}

struct CommandLine : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path results = folder.path() / "results";

  Answer call(const std::vector<std::string>& words) const {
    return reproduce::call(words, test_studies());
  }

  /// The exit status of the command line as a program of its own, started by a shell: what only the
  /// system sees of it.
  static int call_in_shell(const std::vector<std::string>& words, const std::string& redirections) {
    std::string command = in_shell(std::filesystem::read_symlink("/proc/self/exe")) + " cli";
    for (const auto& word : words) command += " " + in_shell(word);
    const int status = std::system((command + " " + redirections).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  Answer run_toys(const std::string& methods) const {
    return call({"run", "toy", "--device", "cpu", "--jobs", "2", "--out", results, "--set",
                 "methods=" + methods, "--seeds", "3", "--json"});
  }
  /// As if the checkout had had no changes when the cells ran: records of one that had are not
  /// packed.
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
