// Files in the layout of the authors' release, written by PyTorch, load and give PyTorch's outputs;
// what is written for the release is what PyTorch was seen to read (tests/fixtures/unit.py
// --check).
#include <torch/torch.h>

#include "core/files.h"
#include "models/translation/digit_networks.h"
#include "models/translation/released_unit.h"
#include "models/translation/unit_network.h"
#include "tests/models/shared_weights.h"
#include "tests/support.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using training::Domain;

constexpr std::int64_t pictures_drawn = 3;

UnitNetworkOptions released_layout(const std::string& name) {
  UnitNetworkOptions options{.width = 1,
                             .blocks_E = 2,
                             .shared_E = 1,
                             .blocks_G = 2,
                             .shared_G = 1,
                             .width_D = 1,
                             .layers_D = 4,
                             .shared_D = 2};
  options.norm_in_halves = name == "gen_normed";
  if (name == "dis_alone") options.shared_D = 0, options.kernel_D = 3;
  return options;
}

std::shared_ptr<torch::nn::Module> released_network(const std::string& name) {
  const DigitNetworkOptions digits{.width_G = 1, .width_D = 1};
  if (name == "da_gen") return DigitCoders(digits).ptr();
  if (name == "da_dis") return DigitDiscriminator(digits).ptr();
  if (name.starts_with("dis")) return UnitDiscriminators(released_layout(name)).ptr();
  return UnitNetwork(released_layout(name)).ptr();
}

/// 2 (u - 1/2): the rule's bias NAME.bias, times 10.
at::Tensor from_rule(const std::string& name, std::int64_t channels, std::int64_t side) {
  return by_rule(name + ".bias", {pictures_drawn * channels * side * side})
             .view({pictures_drawn, channels, side, side}) *
         10;
}

/// All outputs in one row, in evaluation mode.
at::Tensor outputs_of(const std::string& name, const std::shared_ptr<torch::nn::Module>& network) {
  const torch::NoGradGuard no_grad;
  network->eval();
  const bool digits = name.starts_with("da_");
  const auto x_1 = from_rule("x_1", 3, digits ? 32 : 16),
             x_2 = from_rule("x_2", digits ? 1 : 3, digits ? 32 : 16);
  std::vector<at::Tensor> all;
  const auto add = [&](const auto& s) {
    all = {at::cat({s.mu_1, s.mu_2}), s.x11, s.x12, s.x22, s.x21};
  };
  if (auto* G = network->as<UnitNetwork>()) add(G->streams(x_1, x_2));
  if (auto* G = network->as<DigitCoders>()) add(G->streams(x_1, x_2));
  if (auto* D = network->as<UnitDiscriminators>())
    all = {D->forward(x_1, Domain::A), D->forward(x_2, Domain::B)};
  if (auto* D = network->as<DigitDiscriminator>())
    all = {D->real(x_1, Domain::A), D->real(x_2, Domain::B), D->classes(x_1, Domain::A),
           D->classes(x_2, Domain::B)};
  for (auto& output : all) output = output.flatten();
  return at::cat(all);
}

std::filesystem::path released_file(const std::string& name) {
  return std::filesystem::path(REPRISE_FIXTURES) / "unit" / (name + ".pth");
}

TEST(ReleasedUnit, FilesOfPyTorchGivePyTorchsOutputs) {
  for (const auto& c : fixture_json("unit.json").at("cases")) {
    const auto name = c.at("name").get<std::string>();
    SCOPED_TRACE(name);
    const auto network = released_network(name);
    load_released_unit(*network, released_file(name));
    const auto outputs = outputs_of(name, network);
    ASSERT_EQ(outputs.numel(), c.at("numel").get<std::int64_t>());
    const auto values = c.at("values").get<std::vector<double>>();
    const auto n = static_cast<std::int64_t>(values.size());
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(outputs[i * outputs.numel() / n].item<double>(),
                  values[static_cast<std::size_t>(i)], 1e-5 * c.at("largest").get<double>());
  }
}

// Those bytes are the ones that PyTorch read; a change of them asks for unit.py --check again.
TEST(ReleasedUnit, WritesTheFilesThatPyTorchWasSeenToRead) {
  const TemporaryFolder folder;
  for (const std::string name : {"gen", "da_gen"}) {
    const auto network = released_network(name);
    load_released_unit(*network, released_file(name));
    save_released_unit(*network, folder.path() / "written.pth");
    EXPECT_TRUE(read_file(folder.path() / "written.pth") ==
                read_file(released_file("written_" + name)))
        << name;
    const auto again = released_network(name);
    load_released_unit(*again, folder.path() / "written.pth");
    EXPECT_TRUE(outputs_of(name, again).equal(outputs_of(name, network)));
  }
}

TEST(ReleasedUnit, NamesWhatDoesNotFit) {
  UnitNetwork other(
      UnitNetworkOptions{.width = 1, .blocks_E = 3, .shared_E = 1, .blocks_G = 2, .shared_G = 1});
  EXPECT_THAT([&] { load_released_unit(*other, released_file("gen")); },
              ThrowsUsageError(HasSubstr("encode_A.4.model.0.weight")));
  DigitCoders wide(DigitNetworkOptions{.width_G = 2, .width_D = 1});
  EXPECT_THAT([&] { load_released_unit(*wide, released_file("da_gen")); },
              ThrowsUsageError(HasSubstr("da_gen.pth"),
                               HasSubstr("[8, 8, 4, 4] there and [16, 16, 4, 4]")));
}

}  // namespace
}  // namespace reprise::models
