// At the layout of the authors' release, MoCoGAN's networks have PyTorch's names, order and shapes,
// and give PyTorch's outputs; a dictionary of that layout is read and written.
#include <torch/torch.h>

#include "core/sha256.h"
#include "models/adversarial/discriminator.h"
#include "models/adversarial/mocogan_network.h"
#include "tests/models/shared_weights.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "weights/pytorch_file.h"

namespace reprise::models {
namespace {

constexpr std::int64_t width = 4, clips_drawn = 2, frames_drawn = 16;

/// 4 (u - 1/2): the rule's bias NAME.bias, times 20.
at::Tensor given(std::string_view name, const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return by_rule(std::string(name) + ".bias", {count}).view(shape) * 20;
}

std::shared_ptr<torch::nn::Module> network_of(const std::string& name) {
  if (name == "generator")
    return MocoganNetwork(
               MocoganNetworkOptions{.width = width, .d_A = 6, .entry = ActionEntry::IntoImage})
        .ptr();
  DiscriminatorOptions options{.width = width};
  if (name.starts_with("video")) options.frames = frames_drawn;
  if (name == "video") options.outputs = 7;
  options.patch = name.ends_with("patch");
  return Discriminator(options).ptr();
}

at::Tensor output_of(const std::string& name, const std::shared_ptr<torch::nn::Module>& network) {
  const torch::NoGradGuard no_grad;
  network->eval();
  if (auto* G = network->as<MocoganNetwork>())
    return G->forward({.z_C = given("z_C", {clips_drawn, 50}),
                       .h_0 = given("h_0", {clips_drawn, 10}),
                       .epsilon = given("epsilon", {clips_drawn, frames_drawn, 10}),
                       .z_A = torch::eye(6).slice(0, 0, clips_drawn)});
  auto& D = *network->as<Discriminator>();
  if (name.starts_with("video"))
    return D.forward(given("clips", {clips_drawn, 3, frames_drawn, 64, 64}));
  return D.forward(given("frames", {clips_drawn, 3, 64, 64}));
}

TEST(MocoganRelease, NamesShapesAndOutputsArePyTorchs) {
  for (const auto& c : fixture_json("mocogan.json").at("cases")) {
    const auto name = c.at("name").get<std::string>();
    SCOPED_TRACE(name);
    // PyTorch's order, as a file of PyTorch has it; by name into ours.
    weights::StateDict state;
    for (const auto& [key, shape] :
         c.at("tensors").get<std::vector<std::pair<std::string, std::vector<std::int64_t>>>>())
      state.emplace_back(key, by_rule(key, shape));
    const TemporaryFolder folder;
    weights::write_pytorch(folder.path() / "release.pth", state);
    const auto network = network_of(name);
    training::load_weights(*network, folder.path() / "release.pth");
    const auto own = training::module_state(*network);
    ASSERT_EQ(own.size(), state.size());
    std::string hashes;
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_EQ(own[i].first, state[i].first);
      const auto values = own[i].second.contiguous();
      hashes += sha256({static_cast<const char*>(values.const_data_ptr()), values.nbytes()});
    }
    EXPECT_EQ(sha256(hashes), c.at("weights_sha256").get<std::string>());
    const auto output = output_of(name, network);
    EXPECT_EQ(
        output.numel(),
        torch::tensor(c.at("shape").get<std::vector<std::int64_t>>()).prod().item<std::int64_t>());
    const auto flat = output.flatten();
    const auto values = c.at("values").get<std::vector<double>>();
    const auto n = static_cast<std::int64_t>(values.size());
    for (std::int64_t i = 0; i < n; ++i)
      EXPECT_NEAR(flat[i * flat.numel() / n].item<double>(), values[i],
                  1e-5 * c.at("largest").get<double>());
  }
}

}  // namespace
}  // namespace reprise::models
