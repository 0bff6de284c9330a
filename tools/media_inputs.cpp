#include "tools/media_inputs.h"

#include <fmt/format.h>

#include <map>

#include "core/say.h"
#include "datasets/formats/container.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;

std::vector<MediaInput> list_inputs(const std::vector<fs::path>& inputs, datasets::Media media) {
  std::vector<MediaInput> all;
  for (const auto& input : inputs) {
    if (!fs::exists(input))
      throw UsageError(input.string() + ": no such file or folder",
                       "give existing files or folders");
    // A file that is named is read, whatever its ending.
    if (!fs::is_directory(input)) {
      all.push_back({.file = input, .name = input.filename()});
      continue;
    }
    const auto found = datasets::list_media(input, media, datasets::Depth::AllBelow);
    say(datasets::describe_skipped(input, found, media));
    if (found.files.empty())
      throw UsageError(input.string() + ": this folder holds no files that this command reads",
                       "give a folder with files that end in " + datasets::list_endings(media));
    for (const auto& file : found.files)
      // Outputs keep the folders below `input`.
      all.push_back({.file = file, .name = file.lexically_relative(input)});
  }
  return all;
}

void report_skipped_files(const fs::path& folder, datasets::Media media, datasets::Depth depth) {
  say(datasets::describe_skipped(folder, datasets::list_media(folder, media, depth), media));
}

void require_distinct_outputs(const std::vector<MediaInput>& inputs,
                              const std::vector<fs::path>& outputs) {
  std::map<fs::path, fs::path> input_of;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto [other, added] = input_of.emplace(outputs[i].lexically_normal(), inputs[i].file);
    if (!added)
      throw UsageError(
          fmt::format("{} and {} would both be written to {}", other->second.string(),
                      inputs[i].file.string(), outputs[i].string()),
          "rename one of them, or call the command once for each with different --out folders");
  }
}

void report_losses(const fs::path& video, const datasets::FramesRead& read) {
  if (datasets::has_sound(video))
    say(fmt::format("{}: its sound is dropped: videos are written without sound\n",
                    video.string()));
  if (read.uneven_timing)
    say(fmt::format(
        "{}: its frame times vary; the written video shows all frames for the same time\n",
        video.string()));
}

void close_video(datasets::VideoWriter& writer) {
  writer.close();
  say(writer.size_note());
}

bool DamagedInputs::try_to_read(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    problems_.emplace_back(error.problem(), error.fix());
    return false;
  }
}

void DamagedInputs::finish(Call& call, std::size_t made) const {
  if (problems_.empty()) return;
  // Nothing was done, so this is an error and not a partial result.
  if (made == 0) throw UsageError(problems_.front());
  std::string text = fmt::format("{} of the inputs {} damaged; the rest is done:\n",
                                 problems_.size(), problems_.size() == 1 ? "is" : "are");
  for (const auto& problem : problems_)
    text += fmt::format("  {}\n    fix: {}\n", problem.problem(), problem.fix());
  say(text);
  call.status = check_failed;
}

nlohmann::json DamagedInputs::as_json() const {
  auto list = nlohmann::json::array();
  for (const auto& problem : problems_)
    list.push_back({{"problem", problem.problem()}, {"fix", problem.fix()}});
  return list;
}

}  // namespace reprise::reproduce
