// The data of study langevin: parts that share nothing, and corruptions.
#include <fmt/format.h>
#include <torch/torch.h>

#include <set>

#include "core/text.h"
#include "datasets/formats/wav.h"
#include "datasets/generators/solids.h"
#include "models/representations/radiance_field.h"
#include "reproduce/langevin/corruptions.h"
#include "reproduce/langevin/domains.h"
#include "tests/reproduce/tiny_domains.h"
#include "tests/support.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {
namespace {

TEST(LangevinDomains, PartsOfEveryDomainShareNoItemAndLieInTheRangeSlow) {
  const auto settings = tiny_domains();
  for (const std::string name : {"digits", "landscapes", "videos", "sounds", "solids"}) {
    const auto domain = langevin_study::load_domain(name, settings, "", 1);
    std::vector<at::Tensor> all;
    for (const auto* part : {&domain.prior, &domain.evaluator, &domain.validation, &domain.test}) {
      EXPECT_EQ(part->x_0.size(0), part->labels.size(0)) << name;
      EXPECT_EQ(part->x_0.sizes().slice(1), at::IntArrayRef(domain.metadata.item)) << name;
      EXPECT_LE(part->x_0.abs().max().item<float>(), 1) << name;
      all.push_back(part->x_0.flatten(1));
    }
    const auto items = torch::cat(all);
    EXPECT_EQ(std::get<0>(at::unique_dim(items, 0)).size(0), items.size(0)) << name;
    const auto classes = langevin_study::class_indices(domain, domain.evaluator.labels);
    EXPECT_LT(classes.max().item<std::int64_t>(), langevin_study::class_count(domain)) << name;
    const auto other = langevin_study::load_domain(name, settings, "", 2);
    EXPECT_FALSE(other.test.x_0.equal(domain.test.x_0)) << name << ": seeds are replicates";
  }
}

/// Five speakers, each with one tone in all recordings.
std::filesystem::path speakers_in(const std::filesystem::path& data) {
  std::filesystem::create_directories(data / "fsdd");
  const std::vector<std::string> names{"ann", "ben", "cem", "dov", "eva"};
  const auto time = torch::arange(4000) / 8000.0;
  for (std::size_t k = 0; k < names.size(); ++k)
    for (int digit = 0; digit < 10; ++digit)
      for (int i = 0; i < 2; ++i) {
        const auto loudness = 0.3 + 0.5 * (time * (digit + 2 + 0.3 * i)).sin().square();
        datasets::write_wav(
            data / "fsdd" / fmt::format("{}_{}_{}.wav", digit, names[k], i),
            {(loudness * (2 * M_PI * (400.0 + 600.0 * static_cast<double>(k)) * time).sin())
                 .to(at::kFloat),
             8000});
      }
  return data;
}

TEST(LangevinDomains,
     NoSpeakerOfAPriorIsInTheEvaluatorsPartOrTestedAndTheTestIsNotWhatWasChosenOnSlow) {
  const auto data = speakers_in(std::filesystem::path(testing::TempDir()) / "langevin_speakers");
  const auto settings =
      tiny_domains({"sounds.source=fsdd", "sounds.prior=30", "sounds.evaluator=40",
                    "sounds.validation=10", "sounds.test=10"});
  const auto at = [&](std::int64_t seed) {
    return langevin_study::load_domain("sounds", settings, data, seed);
  };
  const auto speakers = [](const models::LabelledItems& part) {  // by their band
    const auto band = part.x_0.mean({1, 3}).argmax(1);
    return std::set<std::int64_t>(band.data_ptr<std::int64_t>(),
                                  band.data_ptr<std::int64_t>() + band.numel());
  };
  const auto first = at(0), second = at(1);
  EXPECT_EQ(speakers(first.prior).size(), 2U);
  EXPECT_EQ(speakers(first.evaluator).size(), 2U);
  EXPECT_EQ(speakers(first.test).size(), 1U);
  for (const auto* part :
       {&first.evaluator, &first.validation, &first.test, &second.evaluator, &second.test})
    for (const auto speaker : speakers(*part))
      EXPECT_FALSE(speakers(first.prior).contains(speaker));
  for (const auto speaker : speakers(first.test))
    EXPECT_FALSE(speakers(first.evaluator).contains(speaker));
  EXPECT_TRUE(first.evaluator.x_0.equal(second.evaluator.x_0)) << "one evaluator serves all seeds";
  EXPECT_FALSE(first.prior.x_0.equal(second.prior.x_0)) << "seeds are replicates";
  const auto both =
      torch::cat({first.validation.x_0, second.validation.x_0, first.test.x_0, second.test.x_0})
          .flatten(1);
  EXPECT_EQ(std::get<0>(at::unique_dim(both, 0)).size(0), 20)
      << "what is chosen on is never tested, in no seed";
}

TEST(LangevinDomains, ThePriorNeverSeesTheTextThatIsHeldOut) {
  const auto settings = tiny_domains({"solids.prior=200", "solids.evaluator=200"});
  const auto domain = langevin_study::load_domain("solids", settings, "", 1);
  const auto held_out = datasets::solid_tokens(settings.text("solids.held_out"));
  const auto seen = [&](const models::LabelledItems& part) {
    return (part.labels == held_out).all(1).any().item<bool>();
  };
  EXPECT_FALSE(seen(domain.prior));
  EXPECT_FALSE(seen(domain.validation));
  EXPECT_TRUE(seen(domain.evaluator));
}

TEST(LangevinDomains, CamerasOfTheFieldAndOfThePicturesAreTheSame) {
  for (const auto& [azimuth, elevation] :
       std::vector<std::pair<double, double>>{{0, 10}, {75, 40}, {210, 25}})
    EXPECT_TRUE(models::camera_to_world(azimuth, elevation, datasets::solid_distance)
                    .allclose(datasets::solid_pose(azimuth, elevation), 1e-9));
}

TEST(LangevinCorruptions, LeaveSizeAndRangeAndChangeThePicture) {
  const auto x = torch::rand({4, 1, 16, 16}, training::torch_generator(1)) * 2 - 1;
  for (const auto& [kind, apply] : langevin_study::corruptions()) {
    Random random(3), again(3);
    const auto before = x.clone(), y = apply(x, random);
    EXPECT_TRUE(x.equal(before)) << kind;
    EXPECT_EQ(y.sizes(), x.sizes()) << kind;
    EXPECT_LE(y.abs().max().item<float>(), 1 + 1e-5) << kind;
    EXPECT_FALSE(y.allclose(x)) << kind;
    EXPECT_TRUE(y.equal(apply(x, again))) << kind;
  }
}

}  // namespace
}  // namespace reprise::reproduce
