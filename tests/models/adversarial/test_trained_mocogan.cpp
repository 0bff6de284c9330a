// A trained MoCoGAN's file draws what the generator drew, and a file that is none is refused by
// what is wrong with it.
#include <torch/torch.h>

#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "tests/damage.h"
#include "tests/generator_contract.h"
#include "tests/support.h"
#include "training/torch_generator.h"
#include "weights/safetensors.h"

namespace reprise::models {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Mocogan learned(Actions actions) {
  MocoganOptions options{
      .width_G = 2, .width_D = 2, .depth_G = 3, .d_C = 4, .d_M = 3, .d_E = 2, .actions = actions};
  options.batches = {.T = 4, .batch = 4};
  options.training.iterations = 3;
  Mocogan method(options);
  training::Progress silent(nullptr);
  method.fit(testing_contracts::halves(8, 8, 4), 3, silent);
  return method;
}

/// With two actions, and an encoder that saw nothing.
TrainedMocogan with_encoder(const Mocogan& method) {
  TrainedMocogan trained{
      .metadata = {.data = "halves", .source = "a test", .frames = 4, .actions = {"left", "right"}},
      .G = method.network()};
  trained.E = ImageEncoder(trained.G->options(), ImageEncoderOptions{.width = 2});
  Random random(2);
  draw_adversarial_weights(*trained.E, random);
  trained.E->eval();
  return trained;
}

struct TrainedMocoganFile : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "generator.safetensors";

  void refused(const std::string& field, const json& value, const std::string& says) const {
    auto whole = weights::read_safetensors(file);
    auto facts = json::parse(whole.metadata.at("facts"));
    facts[json::json_pointer("/" + field)] = value;
    whole.metadata["facts"] = facts.dump();
    const auto changed = folder.path() / "changed.safetensors";
    weights::write_safetensors(changed, whole.tensors, whole.metadata);
    const MemoryLimit limit(std::int64_t{1} << 30);
    EXPECT_THAT([&] { load_mocogan(changed); },
                ThrowsUsageError(HasSubstr(changed.string()), HasSubstr(says)))
        << field << " = " << value;
  }
};

TEST_F(TrainedMocoganFile, SavedAndLoadedItDrawsTheSameToTheBit) {
  for (const auto actions : {Actions::None, Actions::Labels}) {
    auto method = learned(actions);
    save_mocogan(
        {.metadata = {.data = "halves", .source = "a test", .frames = 4}, .G = method.network()},
        file);
    const auto trained = load_mocogan(file);
    EXPECT_EQ(trained.metadata.data, "halves");
    EXPECT_EQ(trained.metadata.source, "a test");
    EXPECT_FALSE(trained.E);
    const ClipRequest request{
        .count = 5, .content_seed = 7, .motion_seed = 8, .frames = trained.metadata.frames};
    EXPECT_TRUE(sample_clips(trained.G, request).equal(method.sample_clips(request)));
  }
}

TEST_F(TrainedMocoganFile, AnEncoderIsSavedWithIt) {
  const auto trained = with_encoder(learned(Actions::Labels));
  save_mocogan(trained, file);
  auto loaded = load_mocogan(file);
  ASSERT_TRUE(loaded.E);
  const auto x = torch::rand({3, 1, 8, 8}, training::torch_generator(1));
  const torch::NoGradGuard no_grad;
  auto E = trained.E;
  EXPECT_TRUE(loaded.E->forward(x).z_C.equal(E->forward(x).z_C));
  EXPECT_EQ(loaded.E->forward(x).h_0.sizes(), (std::vector<std::int64_t>{3, 3}));
}

TEST_F(TrainedMocoganFile, AnActionHasItsNameOrItsNumber) {
  const auto trained = with_encoder(learned(Actions::Labels));
  EXPECT_EQ(find_action(trained, "right"), 1);
  EXPECT_EQ(find_action(trained, "0"), 0);
  EXPECT_THAT([&] { find_action(trained, "up"); },
              ThrowsUsageError(HasSubstr("\"up\""), HasSubstr("left, right")));
  EXPECT_THAT([&] { find_action(trained, "2"); }, ThrowsUsageError(HasSubstr("left, right")));
  const TrainedMocogan without{.metadata = {}, .G = learned(Actions::None).network()};
  EXPECT_THAT([&] { find_action(without, "0"); }, ThrowsUsageError(HasSubstr("without actions")));
}

// The metadata say how much is built; a few bytes must not ask for gigabytes.
TEST_F(TrainedMocoganFile, SizesAreHeldAgainstTheTensorsBeforeAnythingIsBuilt) {
  save_mocogan(with_encoder(learned(Actions::Labels)), file);
  EXPECT_NO_THROW(load_mocogan(file));
  refused("width", 60'000, "G.main.0.weight");
  refused("width", 3, "G.main.0.weight");
  refused("width", "two", "must be number");
  refused("depth", 4, "G.main.6.weight");
  refused("depth", -1, "depth is -1");
  refused("side", 12, "side is 12");
  refused("side", 1 << 20, "1048576");
  refused("side", 16, "G.main");
  refused("channels", 3, "G.main.9.weight");
  refused("d_C", 0, "d_C is 0");
  refused("d_E", 9, "G.recurrent.weight_ih");
  refused("d_A", 3, "names 2 actions, and d_A is 3");
  refused("entry", "sideways", "sideways");
  refused("frames", 0, "frames is 0");
  refused("actions", {"left", "ri\x1bght"}, "control character");
  refused("encoder/width", 50'000, "E.network.main.1.weight");
}

TEST_F(TrainedMocoganFile, AFileOfAnotherKindIsRefusedAndSaysWhereToGetOne) {
  EXPECT_THAT([&] { load_mocogan(file); }, ThrowsUsageError(HasSubstr(file.string())));
  weights::write_safetensors(file, {{"a", torch::zeros({2})}});
  EXPECT_THAT([&] { load_mocogan(file); },
              ThrowsUsageError(HasSubstr(file.string()), HasSubstr("not given"),
                               HasSubstr("reprise mocogan 1"), HasSubstr("generated/")));
  weights::write_safetensors(file, {{"a", torch::zeros({2})}}, {{"format", "reprise prior 1"}});
  EXPECT_THAT([&] { load_mocogan(file); }, ThrowsUsageError(HasSubstr("reprise prior 1")));
  auto trained = with_encoder(learned(Actions::Labels));
  {
    const torch::NoGradGuard no_grad;
    trained.G->parameters()[0].fill_(std::nan(""));
  }
  save_mocogan(trained, file);
  EXPECT_THAT([&] { load_mocogan(file); }, ThrowsUsageError(HasSubstr("not finite")));
}

TEST_F(TrainedMocoganFile, ADamagedFileGivesAGeneratorOrOurErrorSlow) {
  save_mocogan(with_encoder(learned(Actions::Labels)), file);
  EXPECT_GE(
      read_damaged_copies(file, read_file(file), [](const auto& path) { load_mocogan(path); }), 75);
}

}  // namespace
}  // namespace reprise::models
