// Protection of the user's files from the outputs of a command.
//
// While an OutputRules object lives, core/files.h and the video writer check every output against
// three rules:
//   1. A file that the command reads is not overwritten. Files are compared by device and inode,
//      which resolves links.
//   2. An existing file is replaced only if an earlier call of the same command wrote it and nobody
//      has changed it since, or with --overwrite.
//   3. A command does not write two outputs to one path.
//
// For rule 2, outputs have an extended attribute "user.reprise.output" with the command and the
// SHA-256 of the content. It is set before the file appears, so that an interrupted command can be
// repeated. On a file system without extended attributes, every existing file counts as the user's.
//
// Files that the program keeps up to date itself (records of a run, checkpoints, the reference of
// --update) are exempt: note_own(). Without an OutputRules object (worker processes, tests of
// libraries) nothing is checked and nothing is marked.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

namespace reprise {

/// Name of the attribute of an output.
inline constexpr const char* output_attribute = "user.reprise.output";

/// Puts the rules in force for one command, from construction to destruction.
class OutputRules {
 public:
  /// command: its name, such as "translate". Outputs of another command are not replaced.
  explicit OutputRules(std::string command);
  ~OutputRules();
  OutputRules(const OutputRules&) = delete;
  OutputRules& operator=(const OutputRules&) = delete;
  /// Lifts rule 2, as --overwrite does.
  void allow_overwriting();

  struct State;

 private:
  std::unique_ptr<State> state_;
  State* before_;  ///< the rules that were in force; in force again afterwards
};

/// Whether the user gave --overwrite. False without rules.
bool overwriting_allowed();

/// Remembers a file that the command reads. Ignores what is not a regular file.
void note_input(const std::filesystem::path& path);
/// Exempts a file, or all files below a folder, from the rules.
void note_own(const std::filesystem::path& path);
/// Lifts rule 3 for a file that shows the progress of a command and is written again and again.
void note_rewritten(const std::filesystem::path& path);

/// Checks an output against the rules before the work begins. UsageError: the rule that forbids it,
/// and what to do.
void expect_output(const std::filesystem::path& path);

/// The file that an output to `path` replaces: where `path` is a symbolic link of the user's, the
/// file that it leads to.
std::filesystem::path find_target(const std::filesystem::path& path);

/// Moves a finished temporary file to its place. If `path` is a symbolic link, the link stays and
/// its target is replaced. A file that is replaced hands on its mode and, where the system allows
/// it, its owner. UsageError: as expect_output(). Error: names the file and the system's reason.
void put_in_place(const std::filesystem::path& temporary, const std::filesystem::path& path);

}  // namespace reprise
