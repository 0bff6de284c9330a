#include "datasets/readers/spoken_digits.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "datasets/formats/media_files.h"
#include "datasets/formats/wav.h"
#include "datasets/issues.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// Length of a block, samples: 20 ms.
constexpr std::int64_t block = spoken_rate / 50;
/// Energy of speech over that of the loudest block: -35 dB.
constexpr double speech_fraction = 3.1623e-4;
/// Peak after scaling.
constexpr double peak = 0.9;
/// Peak below which a recording is silent: three steps of 16 bits.
constexpr double lowest_peak = 1e-4;
constexpr const char* fsdd_fix =
    "point to a folder with DIGIT_SPEAKER_INDEX.wav (or recordings/DIGIT_SPEAKER_INDEX.wav), as "
    "7_theo_12.wav";

struct RecordingName {
  std::int64_t digit = 0;
  std::string speaker;
};

/// Parses a name such as "7_theo_12".
std::optional<RecordingName> parse_recording_name(const std::string& stem) {
  // A speaker's name may contain "_", so the index follows the last one.
  const auto last = stem.rfind('_');
  if (stem.size() < 5 || stem[0] < '0' || stem[0] > '9' || stem[1] != '_' || last < 3 ||
      last + 1 == stem.size())
    return std::nullopt;
  if (stem.find_first_not_of("0123456789", last + 1) != std::string::npos) return std::nullopt;
  return RecordingName{stem[0] - '0', stem.substr(2, last - 2)};
}

std::vector<fs::path> list_recordings(const fs::path& folder) {
  const auto inner = fs::is_directory(folder / "recordings") ? folder / "recordings" : folder;
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(inner, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".wav" && !is_system_file(entry->path()))
      files.push_back(entry->path());
  if (error)
    throw UsageError(
        fmt::format("{}: the folder cannot be read: {}", inner.string(), error.message()),
        fsdd_fix);
  if (files.empty())
    throw UsageError(inner.string() + ": no .wav file is in this folder", fsdd_fix);
  std::ranges::sort(files);
  return files;
}

/// Returns the first of the `length` samples to keep. It is negative if silence precedes it.
std::int64_t find_first_kept(const at::Tensor& samples, std::int64_t length) {
  const auto n = samples.numel();
  const auto blocks = (n + block - 1) / block;
  const auto energy = samples.to(at::kDouble).square();
  // The last block is filled up with silence.
  const auto of_block =
      at::constant_pad_nd(energy, {0, blocks * block - n}).reshape({blocks, block}).sum(1);
  const auto speech = at::nonzero(of_block >= speech_fraction * of_block.max()).reshape({-1});
  // Speech reaches from the first to the last block that is loud enough; pauses between are kept.
  const auto begin = speech[0].item<std::int64_t>() * block;
  const auto end = std::min(n, (speech[-1].item<std::int64_t>() + 1) * block);
  // Shorter speech is centred.
  if (end - begin <= length) return (begin + end - length) / 2;
  // Longer speech: the window with the most energy, by differences of cumulative sums.
  const auto sum = at::constant_pad_nd(energy.slice(0, begin, end).cumsum(0), {1, 0});
  return begin + (sum.slice(0, length) - sum.slice(0, 0, end - begin - length + 1))
                     .argmax()
                     .item<std::int64_t>();
}

/// Returns `length` samples from `first` on, with silence outside.
at::Tensor cut_samples(const at::Tensor& samples, std::int64_t first, std::int64_t length) {
  return at::constant_pad_nd(samples, {-first, first + length - samples.numel()});
}

/// Reads one recording, [length]. UsageError: as read_spoken_digits().
at::Tensor read_recording(const fs::path& file, std::int64_t length) {
  const auto sound = read_wav(file);
  if (sound.rate != spoken_rate)
    throw UsageError(fmt::format("{}: {} samples per second; expected {}", file.string(),
                                 sound.rate, spoken_rate),
                     "convert it, for example: sox IN -r 8000 OUT.wav");
  // A constant offset would count as energy.
  const auto samples = sound.samples - sound.samples.mean();
  const auto kept = cut_samples(samples, find_first_kept(samples, length), length);
  const double highest = kept.abs().max().item<double>();
  if (highest < lowest_peak)
    throw UsageError(file.string() + ": there is nothing but silence",
                     "fetch the file again, or remove it");
  // Recordings differ in level, which says nothing about the digit.
  return kept * (peak / highest);
}

SpokenDigits scan_recordings(const fs::path& folder, std::int64_t length,
                             std::vector<Issue>& issues) {
  if (length < 1)
    throw UsageError(fmt::format("sounds of {} samples were requested", length),
                     "request 1 or more");
  SpokenDigits set;
  std::vector<at::Tensor> samples;
  std::vector<std::int64_t> labels;
  for (const auto& file : list_recordings(folder)) {
    const auto stem = file.stem().string();
    const auto name = parse_recording_name(stem);
    if (!name) {
      issues.push_back({.where = file.string(),
                        .what = "the name is not DIGIT_SPEAKER_INDEX.wav",
                        .fix = "name it as 7_theo_12.wav, or remove it"});
      continue;
    }
    try {
      samples.push_back(read_recording(file, length));
    } catch (const Error& error) {
      issues.push_back({.where = file.string(), .what = error.problem(), .fix = error.fix()});
      continue;
    }
    labels.push_back(name->digit);
    set.speaker.push_back(name->speaker);
    set.item.push_back(stem);
  }
  // Every file became an issue, so there is nothing to stack.
  if (samples.empty()) return set;
  set.samples = at::stack(samples);
  set.labels = at::tensor(at::ArrayRef<std::int64_t>(labels), at::kLong);
  return set;
}

}  // namespace

SpokenDigits read_spoken_digits(const fs::path& folder, std::int64_t length) {
  std::vector<Issue> issues;
  auto set = scan_recordings(folder, length, issues);
  require_no_issues(issues, "fsdd");
  return set;
}

std::vector<Issue> verify_spoken_digits(const fs::path& folder) {
  return collect_issues(
      [&](std::vector<Issue>& issues) { scan_recordings(folder, spoken_length, issues); }, folder,
      fsdd_fix);
}

}  // namespace reprise::datasets
