// A trained UNIT in one safetensors file, and translation of pictures of any size: the format of
// `reprise translate --model`.
//
//     G.encode_A.0.model.0.weight, ...     E and G, named as in models/translation/unit_network.h
// The file's metadata hold the network sizes, the names of the two domains, and the origin. A file
// without "upsampling" has transposed convolutions.
#pragma once
#include <filesystem>
#include <string>

#include "models/translation/unit_network.h"

namespace reprise::models {

struct UnitMetadata {
  std::string data;        ///< training data: "scenes"
  std::string source;      ///< training run: "map/scenes/unit/seed0"
  std::string a, b;        ///< names of the domains: "from the air", "map"
  std::int64_t side = 32;  ///< side of the training pictures, pixels
};

struct TrainedUnit {
  UnitMetadata metadata;
  UnitNetwork G{nullptr};
};

/// Writes the file. Error: the file cannot be written.
void save_unit(const TrainedUnit& trained, const std::filesystem::path& path);
/// Loads in evaluation mode on `device`, without gradients. Metadata are compared with the tensors
/// before anything is built. UsageError: no such file; a damaged file; not a UNIT (expected and
/// found are named); metadata that contradict the tensors; weights that are not finite.
TrainedUnit load_unit(const std::filesystem::path& path, at::Device device = at::kCPU);

/// Finds a domain by its name, "A" or "B". UsageError: an unknown name (both names are given).
training::Domain find_domain(const TrainedUnit& trained, const std::string& name);

/// Pictures of both domains, each [N, C, S, S] from -1 to 1, that correspond by index.
struct SampledPairs {
  at::Tensor a, b;
};
/// Draws pairs: n codes z ~ N(0, I), the prior of eq 1, each decoded into both domains (document,
/// paragraph 52). They have the size of the training pictures. The same seed gives the same pairs
/// on one machine. UsageError: n < 1; a one-way system.
SampledPairs sample_pairs(TrainedUnit& trained, std::int64_t n, std::uint64_t seed);

/// Tiles for pictures that are too large for one pass.
struct Tiles {
  std::int64_t side = 1024;   ///< side of a tile, pixels
  std::int64_t overlap = 64;  ///< overlap of neighbours, which are blended there, pixels
};
/// Longest side of the picture whose instance norm statistics the tiles use, pixels.
inline constexpr std::int64_t statistics_side = 1024;
/// Translates x [C, H, W], from -1 to 1, of any size, to the same size. Sides that the network
/// cannot halve are extended by reflection and cropped again. Pictures larger than a tile are
/// translated in overlapping tiles with weights that fall linearly to their borders. All tiles use
/// the instance norm statistics of one pass over the whole picture, which is shrunk for this pass
/// to at most `statistics_side`. Statistics of single tiles would show as walls between them.
/// UsageError: other channels; an overlap that is not below half a tile; a one-way system in the
/// other direction.
at::Tensor translate_picture(UnitNetwork& G, const at::Tensor& x, training::Domain from,
                             const Tiles& tiles = {});

}  // namespace reprise::models
