// Input pictures and videos of a command. All commands that take media follow these rules:
//
// - A folder means all its media files (datasets/formats/media_files.h). One sentence on standard
//   error counts the files that are skipped.
// - A damaged file is skipped and listed at the end. The exit status is then 1. If no file can be
//   read, the command ends with the error of the first one.
// - Two inputs never share an output file.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "datasets/formats/video_files.h"
#include "tools/tools.h"

namespace reprise::reproduce {

struct MediaInput {
  std::filesystem::path file;
  /// Name for outputs: the path relative to the given folder, or the file name.
  std::filesystem::path name;
};

/// Lists the given files, and the media files in the given folders and in all folders below them.
/// Throws a UsageError if a file or folder does not exist, or a folder holds no such media.
std::vector<MediaInput> list_inputs(const std::vector<std::filesystem::path>& inputs,
                                    datasets::Media media);

/// Reports on standard error the files of the folder that are not media and are skipped.
void report_skipped_files(const std::filesystem::path& folder, datasets::Media media,
                          datasets::Depth depth);

/// Throws a UsageError that names both inputs if two inputs have the same output. outputs[i]
/// belongs to inputs[i].
void require_distinct_outputs(const std::vector<MediaInput>& inputs,
                              const std::vector<std::filesystem::path>& outputs);

/// Reports on standard error what a copy of this video loses: sound, and varying frame times.
void report_losses(const std::filesystem::path& video, const datasets::FramesRead& read);

/// Closes the file, and reports on standard error if its width or height differs from the frames'.
void close_video(datasets::VideoWriter& writer);

/// Damaged inputs of a call.
class DamagedInputs {
 public:
  void add(const UsageError& problem) { problems_.push_back(problem); }
  void add(const std::vector<UsageError>& problems) {
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }
  /// Calls `read`, which reads an input. If it throws, stores the error and returns false.
  bool try_to_read(const std::function<void()>& read);
  /// Lists the damaged inputs on standard error and sets the exit status to 1. `made` is the number
  /// of inputs that were processed. If it is 0, throws the first error.
  void finish(Call& call, std::size_t made) const;
  /// Returns [{"problem", "fix"}] for the answer.
  nlohmann::json as_json() const;

 private:
  std::vector<UsageError> problems_;
};

}  // namespace reprise::reproduce
