// A user's pictures and videos: the files that a command works on, and what happens to those that
// are damaged. Every command that takes them goes through here, so that one rule holds for all:
//
//     a folder     gives its media (datasets/formats/media_files.h); what is skipped is said in one sentence
//     a bad file   costs itself alone: the rest is made, the bad ones are listed at the end, and the exit status is 1. Where no file
//                  is good the first one's error ends the command
//     a name       two inputs never share an output
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
  std::filesystem::path
      name;  ///< what outputs are named for: the path below the folder that was named, else the file's name
};

/// The named files, and the media in the named folders and in all folders below them. UsageError: a
/// file or folder that does not exist; a folder without such media.
std::vector<MediaInput> list_inputs(const std::vector<std::filesystem::path>& inputs,
                                    datasets::Media media);

/// Says on standard error what a command that reads this folder's media skips there.
void say_skipped(const std::filesystem::path& folder, datasets::Media media, datasets::Depth depth);

/// Refuses two inputs with one output. `outputs` are those of `inputs`, in their order. UsageError:
/// names both inputs.
void require_distinct_outputs(const std::vector<MediaInput>& inputs,
                              const std::vector<std::filesystem::path>& outputs);

/// Says on standard error what a video written from this one loses: sound, and times of frames
/// where they vary.
void say_losses(const std::filesystem::path& video, const datasets::FramesRead& read);

/// Closes the file, and says where it has other sides than its frames.
void close_video(datasets::VideoWriter& writer);

/// The inputs of a call that turned out to be damaged.
class DamagedInputs {
 public:
  void add(const UsageError& problem) { problems_.push_back(problem); }
  void add(const std::vector<UsageError>& problems) {
    problems_.insert(problems_.end(), problems.begin(), problems.end());
  }
  /// Calls `read`, which reads an input. False: it could not be read, and is kept as a problem.
  bool try_to_read(const std::function<void()>& read);
  /// Ends a call that has made something of `made` inputs: lists the damaged ones on standard error
  /// and sets the exit status to 1. UsageError: the first problem, where nothing was made.
  void finish(Call& call, std::size_t made) const;
  /// For the answer: [{"problem", "fix"}].
  nlohmann::json as_json() const;

 private:
  std::vector<UsageError> problems_;
};

}  // namespace reprise::reproduce
