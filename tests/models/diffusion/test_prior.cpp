// What a prior's file says of itself, against what is in it.
#include <torch/torch.h>

#include "core/memory.h"
#include "models/diffusion/prior.h"
#include "tests/damage.h"
#include "tests/models/small_prior.h"
#include "tests/support.h"
#include "weights/safetensors.h"

namespace reprise::models {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct PriorFile : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "prior.safetensors";
  PriorFile() { save_prior(small_prior(), file); }

  /// The file with another value at a place of its metadata is refused before it costs memory, with
  /// its name, the field's and `says`.
  void refused(const std::string& part, const std::string& field, const json& value,
               const std::string& says) const {
    auto whole = weights::read_safetensors(file);
    auto metadata = json::parse(whole.metadata.at(part));
    metadata[field] = value;
    whole.metadata[part] = metadata.dump();
    const auto changed = folder.path() / "changed.safetensors";
    weights::write_safetensors(changed, whole.tensors, whole.metadata);
    const MemoryLimit limit(std::int64_t{1} << 30);
    EXPECT_THAT([&] { load_prior(changed); },
                ThrowsUsageError(HasSubstr(changed.string()), HasSubstr(field), HasSubstr(says)))
        << field << " = " << value;
  }
};

// The metadata say how much is built; a few bytes must not ask for gigabytes, and the message says
// which of them are wrong.
TEST_F(PriorFile, SizesAreHeldAgainstTheTensorsBeforeAnythingIsBuilt) {
  EXPECT_NO_THROW(load_prior(file));
  refused("network", "blocks", 10'000'000, "10000000");
  refused("network", "blocks", 1000, "F.down2.conv1.weight");
  refused("network", "blocks", 0, "0");
  refused("network", "blocks", -1, "-1");
  refused("network", "embedding", 1'000'000'000, "1000000000");
  refused("network", "embedding", 60'000, "60000");
  refused("network", "channels", {8, 60'000}, "60000");
  refused("network", "channels", json::array(), "number of levels");
  refused("network", "channels", {8, -16}, "-16");
  refused("network", "channels", std::vector<int>(60, 8), "60");
  refused("network", "patch", 200, "400");
  refused("network", "patch", std::int64_t{1} << 40, "patch");
  refused("network", "image_channels", 3, "facts.item has 1");
  refused("network", "attention", {7}, "7");
  refused("network", "dropout", 1.5, "1.5");
  refused("network", "classes", 100'000'000, "100000000");
  refused("facts", "item", {1, 20'000, 20'000}, "20000");
  refused("facts", "item", {1, -8, 8}, "-8");
  refused("facts", "item", {1, 8, 4}, "8, 8");
  refused("facts", "classes", {"few"}, "classes");
}

// A distribution of levels or a scale of the data that no training has would be taken without a
// word and give samples of nothing.
TEST_F(PriorFile, LevelsAndScaleThatNoTrainingHasAreRefused) {
  refused("facts", "P_std", 0, "P_std is 0");
  refused("facts", "P_std", -1, "P_std is -1");
  refused("facts", "P_mean", 1e9, "1000000000");
  refused("facts", "sigma_data", 1e-300, "1e-300");
  refused("facts", "sigma_data", 1e300, "1e+300");
  refused("facts", "measures", {{"rate", 1e300}}, "1e+300");
  refused("facts", "measures", {{"rate", -8000}}, "-8000");
}

}  // namespace
}  // namespace reprise::models
