// A trained UNIT in one safetensors file, and what it makes of pictures of any size: what `reprise
// translate --model` takes.
//
//     G.encode_A.0.model.0.weight, ...     E and G below the names of the release (models/translation/unit_network.h)
// Its metadata say how large the networks are, what the two domains are called and where it comes
// from.
#pragma once
#include <filesystem>
#include <string>

#include "models/translation/unit_network.h"

namespace reprise::models {

struct UnitFacts {
  std::string data;        ///< what it learned from: "scenes"
  std::string source;      ///< where it was trained: "map/scenes/unit/seed0"
  std::string a, b;        ///< what the domains are called: "from the air", "map"
  std::int64_t side = 32;  ///< of the pictures of training
};

struct TrainedUnit {
  UnitFacts facts;
  UnitNetwork G{nullptr};
};

/// Error: the file cannot be written.
void save_unit(const TrainedUnit& trained, const std::filesystem::path& path);
/// In evaluation mode on `device`, without gradients. UsageError: no such file, damaged, or not a
/// UNIT (what was found, what is expected); metadata that do not agree with the tensors, before
/// anything is built by them; weights that are not finite.
TrainedUnit load_unit(const std::filesystem::path& path, at::Device device = at::kCPU);

/// The domain that is called `name`, or "A" or "B". UsageError: neither; both names are said.
training::Domain domain_of(const TrainedUnit& trained, const std::string& name);

/// How pictures that are too large for one pass are cut.
struct Tiles {
  std::int64_t side = 1024;   ///< pixels of a tile's side
  std::int64_t overlap = 64;  ///< of neighbours, over which one fades into the other
};
/// x: [C, H, W], from -1 to 1, of any size. The same size. Sides that do not halve as often as the
/// network are extended by reflection and cut off again; a picture with a side above that of a tile
/// is translated in overlapping tiles, whose weights fall linearly to their borders. UsageError:
/// other channels; an overlap that is not below half a tile; a system without a way from there.
at::Tensor translated(UnitNetwork& G, const at::Tensor& x, training::Domain from,
                      const Tiles& tiles = {});

}  // namespace reprise::models
