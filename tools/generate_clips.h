// `reprise generate --model`: clips of a trained MoCoGAN, from codes or from an image.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "tools/tools.h"

namespace reprise::reproduce {

/// "7": all clips have the code of this seed. "1..9": the clips' codes go from the first seed's to
/// the second's.
struct CodeSeeds {
  std::uint64_t from = 0;
  std::optional<std::uint64_t> to = {};
};

struct ClipOptions {
  std::filesystem::path model, from, out;
  std::int64_t count = 8;
  std::optional<std::int64_t> frames;        ///< none: as many as training had
  std::optional<CodeSeeds> content, motion;  ///< none: each clip has its own
  std::string action, device = "auto";
  bool resize = false;
  std::uint64_t seed = 0;
};

/// Those that --model alone takes, in a group of their own in the help.
void add_clip_options(CLI::App& verb, ClipOptions& options, const std::string& group);

/// Writes the clips and answers what each is made of.
void generate_clips(const Call& call, ClipOptions options);

}  // namespace reprise::reproduce
