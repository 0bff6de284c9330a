// `reprise generate --model`: clips by a trained MoCoGAN, from codes or from an image.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "tools/tools.h"

namespace reprise::reproduce {

/// Seeds of a code. "7": all clips share the code of this seed. "1..9": the clips interpolate from
/// the code of the first seed to the code of the second.
struct CodeSeeds {
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to = {};
};

struct ClipOptions {
  std::filesystem::path model;
  std::filesystem::path from;
  std::filesystem::path out;
  std::int64_t count = 8;
  std::optional<std::int64_t> frames;        ///< frames per clip (default: as in training)
  std::optional<CodeSeeds> content, motion;  ///< shared codes (default: one code per clip)
  std::string action;
  std::string device = "auto";
  bool resize = false;
  std::uint64_t seed = 0;
};

/// Adds the options that require --model, as a group of the help.
void add_clip_options(CLI::App& command, ClipOptions& options, const std::string& group);

/// Writes the clips and answers with the seeds of each.
void generate_clips(const Call& call, ClipOptions options);

}  // namespace reprise::reproduce
