// A trained UNIT's file translates what the network translated, a file that is none is refused by
// what is wrong with it, and pictures of any size keep it.
#include <torch/torch.h>

#include <cmath>

#include "models/translation/trained_unit.h"
#include "tests/damage.h"
#include "tests/support.h"
#include "training/torch_generator.h"
#include "weights/safetensors.h"

namespace reprise::models {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using training::Domain;

TrainedUnit drawn_unit(UnitNetworkOptions options = {
                           .width = 4, .halvings = 1, .blocks_E = 2, .blocks_G = 2}) {
  TrainedUnit trained{.metadata = {.data = "scenes",
                                   .source = "a test",
                                   .a = "from the air",
                                   .b = "map",
                                   .side = 16},
                      .G = UnitNetwork(options)};
  Random random(3);
  draw_unit(*trained.G, UnitStart::He, false, random);
  trained.G->eval();
  return trained;
}

at::Tensor picture(std::int64_t height, std::int64_t width) {
  return torch::rand({3, height, width},
                     training::torch_generator(static_cast<std::uint64_t>(height * 1000 + width))) *
             2 -
         1;
}

struct TrainedUnitFile : testing::Test {
  TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "translator.safetensors";

  void refused(const std::string& field, const json& value, const std::string& says) const {
    auto whole = weights::read_safetensors(file);
    auto facts = json::parse(whole.metadata.at("facts"));
    facts[field] = value;
    whole.metadata["facts"] = facts.dump();
    const auto changed = folder.path() / "changed.safetensors";
    weights::write_safetensors(changed, whole.tensors, whole.metadata);
    const MemoryLimit limit(std::int64_t{1} << 30);
    EXPECT_THAT([&] { load_unit(changed); },
                ThrowsUsageError(HasSubstr(changed.string()), HasSubstr(says)))
        << field << " = " << value;
  }
};

// Document, paragraph 52: one code has a picture in each domain, and another code has others.
TEST(SampledPairs, AreOneCodeDecodedIntoBothDomains) {
  auto trained = drawn_unit();
  const auto pairs = sample_pairs(trained, 3, 5);
  EXPECT_EQ(pairs.a.sizes(), at::IntArrayRef({3, 3, 16, 16}));
  const auto z = at::randn({3, 8, 8, 8}, training::torch_generator(5));
  EXPECT_TRUE(at::equal(pairs.a, trained.G->decode(z, Domain::A)));
  EXPECT_TRUE(at::equal(pairs.b, trained.G->decode(z, Domain::B)));
  EXPECT_FALSE(at::equal(pairs.a[0], pairs.a[1]));
  EXPECT_FALSE(at::equal(sample_pairs(trained, 3, 6).a, pairs.a));
  EXPECT_THAT([&] { sample_pairs(trained, 0, 5); }, ThrowsUsageError(HasSubstr("0 pairs")));
}

TEST_F(TrainedUnitFile, SavedAndLoadedItTranslatesTheSameToTheBit) {
  for (const bool norm : {false, true}) {
    auto trained = drawn_unit({.width = 4,
                               .halvings = 2,
                               .blocks_E = 3,
                               .shared_E = 2,
                               .blocks_G = 2,
                               .norm_in_halves = norm});
    save_unit(trained, file);
    auto loaded = load_unit(file);
    EXPECT_EQ(loaded.metadata.b, "map");
    EXPECT_EQ(loaded.metadata.side, 16);
    EXPECT_TRUE(translate_picture(loaded.G, picture(16, 16), Domain::A)
                    .equal(translate_picture(trained.G, picture(16, 16), Domain::A)));
  }
  auto nearest = drawn_unit(
      {.width = 4, .halvings = 2, .blocks_E = 1, .blocks_G = 1, .upsampling = Upsampling::Nearest});
  save_unit(nearest, file);
  auto loaded_nearest = load_unit(file);
  EXPECT_EQ(loaded_nearest.G->options().upsampling, Upsampling::Nearest);
  EXPECT_TRUE(translate_picture(loaded_nearest.G, picture(16, 16), Domain::A)
                  .equal(translate_picture(nearest.G, picture(16, 16), Domain::A)));
  auto one_way =
      drawn_unit({.one_way = true, .width = 4, .halvings = 1, .blocks_E = 1, .blocks_G = 1});
  save_unit(one_way, file);
  auto loaded = load_unit(file);
  EXPECT_TRUE(translate_picture(loaded.G, picture(16, 16), Domain::A)
                  .equal(translate_picture(one_way.G, picture(16, 16), Domain::A)));
  EXPECT_THAT([&] { translate_picture(loaded.G, picture(16, 16), Domain::B); }, ThrowsUsageError());
}

// The metadata say how much is built; a few bytes must not ask for gigabytes.
TEST_F(TrainedUnitFile, SizesAreHeldAgainstTheTensorsBeforeAnythingIsBuilt) {
  save_unit(drawn_unit(), file);
  EXPECT_NO_THROW(load_unit(file));
  refused("width", 4096, "G.encode_A.0.model.0.weight");
  refused("width", "two", "must be number");
  refused("halvings", 7, "halvings is 7");
  refused("halvings", 2, "G.encode_A.2.model.0.weight");
  refused("blocks_E", 3, "G.encode_A.3.model.0.weight");
  refused("blocks_G", 64, "G.decode_A.");
  refused("shared_E", 3, "shared_E is 3");
  refused("channels_2", 1, "G.encode_B.0.model.0.weight");
  refused("upsampling", "nearest", "G.decode_A.1.model.0.weight");
  refused("upsampling", "cubic", "\"cubic\" is unknown");
  refused("a", "from\x1bthe air", "control character");
}

TEST_F(TrainedUnitFile, AFileOfAnotherKindIsRefusedAndSaysWhereToGetOne) {
  weights::write_safetensors(file, {{"a", torch::zeros({2})}}, {{"format", "reprise mocogan 1"}});
  EXPECT_THAT([&] { load_unit(file); },
              ThrowsUsageError(HasSubstr("reprise mocogan 1"), HasSubstr("reprise unit 1"),
                               HasSubstr("map/*/unit")));
  auto trained = drawn_unit();
  {
    const torch::NoGradGuard no_grad;
    trained.G->parameters()[0].fill_(std::nan(""));
  }
  save_unit(trained, file);
  EXPECT_THAT([&] { load_unit(file); }, ThrowsUsageError(HasSubstr("not finite")));
}

TEST_F(TrainedUnitFile, ADamagedFileGivesATranslatorOrOurErrorSlow) {
  save_unit(drawn_unit({.width = 2, .halvings = 1, .blocks_E = 1, .blocks_G = 1}), file);
  EXPECT_GE(read_damaged_copies(file, read_file(file), [](const auto& path) { load_unit(path); }),
            75);
}

TEST(TrainedUnit, ADomainHasItsNameOrItsLetter) {
  const auto trained = drawn_unit();
  EXPECT_EQ(find_domain(trained, "map"), Domain::B);
  EXPECT_EQ(find_domain(trained, "A"), Domain::A);
  EXPECT_THAT([&] { find_domain(trained, "night"); },
              ThrowsUsageError(HasSubstr("\"night\""), HasSubstr("\"from the air\"")));
}

TEST(TranslatedPictures, OfAnySizeKeepIt) {
  auto trained = drawn_unit({.width = 4, .halvings = 2, .blocks_E = 1, .blocks_G = 1});
  for (const auto& [height, width] : {std::pair{16, 16}, {17, 30}, {1, 1}, {3, 40}, {5, 2}}) {
    const auto y = translate_picture(trained.G, picture(height, width), Domain::A);
    EXPECT_EQ(y.sizes(), (std::vector<std::int64_t>{3, height, width}));
    EXPECT_TRUE(y.isfinite().all().item<bool>());
  }
  // What is beyond the border is cut off: a picture that fits is translated as it is.
  const auto x = picture(24, 20);
  EXPECT_TRUE(translate_picture(trained.G, x, Domain::A)
                  .equal(trained.G->decode(trained.G->encode(x.unsqueeze(0), Domain::A), Domain::B)
                             .squeeze(0)));
}

// Without statistics of the whole picture a pixel depends on its neighbourhood alone, and tiles
// that overlap by more give the same picture.
TEST(TranslatedPictures, TilesLeaveNoSeams) {
  UnitNetworkOptions options{
      .width = 4, .halvings = 1, .blocks_E = 0, .shared_E = 0, .blocks_G = 0, .shared_G = 0};
  auto trained = drawn_unit(options);
  const auto x = picture(90, 70);
  const auto whole = translate_picture(trained.G, x, Domain::A),
             tiled = translate_picture(trained.G, x, Domain::A, {.side = 40, .overlap = 16});
  // Only a tile's own border is made of pixels that are not there, and there it has faded out.
  EXPECT_LT((whole - tiled).abs().mean().item<double>(), 0.02);
  const auto rows = [](const at::Tensor& y) {
    return (y.slice(1, 1) - y.slice(1, 0, -1)).abs().mean(at::IntArrayRef{0, 2});
  };
  EXPECT_LT((rows(tiled) / rows(whole)).max().item<double>(), 1.15)
      << "no row where one tile ends differs more from its neighbour";
  EXPECT_THAT([&] { translate_picture(trained.G, x, Domain::A, {.side = 40, .overlap = 20}); },
              ThrowsUsageError(HasSubstr("overlap by 20"), HasSubstr("less than half")));
}

// Instance norms take their statistics from the whole picture: tiles of a picture whose halves
// differ agree with one pass. With statistics of their own, bright and dark tiles became equal.
TEST(TranslatedPictures, TilesUseTheStatisticsOfTheWholePicture) {
  auto trained =
      drawn_unit({.width = 4, .halvings = 2, .blocks_E = 1, .blocks_G = 1, .norm_in_halves = true});
  auto x = picture(160, 240) * 0.3;
  x.slice(2, 120).add_(0.6);
  const auto whole = translate_picture(trained.G, x, Domain::A),
             tiled = translate_picture(trained.G, x, Domain::A, {.side = 80, .overlap = 24});
  const auto halves = at::cat({translate_picture(trained.G, x.slice(2, 0, 120), Domain::A),
                               translate_picture(trained.G, x.slice(2, 120), Domain::A)},
                              2);
  const double with_own = (whole - halves).abs().mean().item<double>(),
               with_whole = (whole - tiled).abs().mean().item<double>();
  EXPECT_LT(with_whole, 0.05);
  EXPECT_LT(with_whole, with_own / 3);
  EXPECT_TRUE(translate_picture(trained.G, x, Domain::A).equal(whole))
      << "the statistics of a picture do not stay";
}

}  // namespace
}  // namespace reprise::models
