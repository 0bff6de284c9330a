// `reprise generate --model` on small generators: what is asked for is what is drawn, and what
// cannot be is refused.
#include <torch/torch.h>

#include "cli/cli.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "datasets/generators/shape_motion.h"
#include "metrics/image_to_video.h"
#include "metrics/shape_clips.h"
#include "models/adversarial/convolution.h"
#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "tests/cli/answer.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct GenerateClips : testing::Test {
  TemporaryFolder folder;
  fs::path file(const std::string& name) const { return folder.path() / name; }

  /// A generator of 8 x 8 pixels whose weights were drawn, with contrast.
  fs::path stored(const std::string& name, models::MocoganNetworkOptions options,
                  std::vector<std::string> actions = {}, bool encoder = false) const {
    options.side = 8;
    options.width = 4;
    options.d_C = 4;
    options.d_M = options.d_E = 3;
    models::TrainedMocogan trained{.metadata = {.data = "shapes",
                                                .source = "a test",
                                                .frames = 5,
                                                .actions = std::move(actions)},
                                   .G = models::MocoganNetwork(options)};
    Random random(3);
    models::draw_adversarial_weights(*trained.G, random);
    {
      const torch::NoGradGuard no_grad;
      for (auto& parameter : trained.G->parameters())
        if (parameter.dim() == 4) parameter.mul_(4);
    }
    if (encoder) {
      trained.E = models::ImageEncoder(options, models::ImageEncoderOptions{.width = 2});
      models::draw_adversarial_weights(*trained.E, random);
    }
    models::save_mocogan(trained, file(name));
    return file(name);
  }
  fs::path plain() const { return stored("plain.safetensors", {}); }
  fs::path acting() const { return stored("acting.safetensors", {.d_A = 2}, {"right", "down"}); }
  fs::path seeing() const { return stored("seeing.safetensors", {}, {}, true); }

  static Answer generated(std::vector<std::string> words) {
    words.insert(words.begin(), {"generate", "--json", "--device", "cpu"});
    return call(words);
  }
  /// The frames of a sheet, whose labels' column is left out: [count, T, 64, 64, 3].
  at::Tensor shown(std::vector<std::string> words, std::int64_t count,
                   std::int64_t frames = 5) const {
    words.insert(words.end(), {"--out", file("sheet.png"), "--count", std::to_string(count),
                               "--frames", std::to_string(frames)});
    const auto answer = generated(words);
    EXPECT_EQ(answer.status, done) << answer.err;
    const auto sheet = datasets::read_image(file("sheet.png"));
    EXPECT_EQ(sheet.size(0), 65 * count);
    const auto column = sheet.size(1) - 65 * frames;
    return sheet.slice(1, column)
        .unflatten(1, std::vector<std::int64_t>{frames, 65})
        .unflatten(0, std::vector<std::int64_t>{count, 65})
        .permute({0, 2, 1, 3, 4})
        .slice(2, 0, 64)
        .slice(3, 0, 64)
        .contiguous();
  }
  /// But for the last bit, which depends on how many clips are computed together.
  static bool alike(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && (a.to(at::kInt) - b.to(at::kInt)).abs().max().item<int>() <= 1;
  }
  static void expect_wrong(const std::vector<std::string>& words,
                           const std::vector<std::string>& said) {
    const auto answer = generated(words);
    EXPECT_EQ(answer.status, wrong_use) << testing::PrintToString(words);
    for (const auto& word : said)
      EXPECT_THAT(answer.err, HasSubstr(word)) << testing::PrintToString(words);
  }
};

TEST_F(GenerateClips, TheSheetHoldsTheClipsThatTheGeneratorDraws) {
  const auto model = plain();
  const auto frames = shown({"--model", model, "--seed", "7"}, 3);
  const auto trained = models::load_mocogan(model);
  const auto clips = models::sample_clips(
      trained.G, {.count = 3, .content_seed = 7, .motion_seed = 7, .frames = 5});
  const auto pixels = datasets::to_pixels(clips).permute({0, 1, 3, 4, 2});
  EXPECT_TRUE(alike(frames.slice(2, 4, 64, 8).slice(3, 4, 64, 8), pixels));
}

TEST_F(GenerateClips, AContentOrAMotionIsHeldForAllClips) {
  const auto model = plain();
  const auto both = shown({"--model", model, "--content", "1", "--motion", "2"}, 3);
  EXPECT_TRUE(alike(both[0], both[2]));
  const auto content = shown({"--model", model, "--content", "1"}, 3),
             motion = shown({"--model", model, "--motion", "2"}, 3);
  EXPECT_FALSE(content[0].equal(content[1]));
  EXPECT_FALSE(motion[0].equal(motion[1]));
  // The content of seed 1 with the motion of seed 2 is one clip, however it is asked for.
  const auto trained = models::load_mocogan(model);
  const auto clip = models::sample_clips(
      trained.G, {.count = 1, .content_seed = 1, .motion_seed = 2, .frames = 5});
  EXPECT_TRUE(alike(both[0].slice(1, 4, 64, 8).slice(2, 4, 64, 8),
                    datasets::to_pixels(clip[0]).permute({0, 2, 3, 1})));
}

TEST_F(GenerateClips, APathFromOneCodeToAnotherBeginsAndEndsWithThem) {
  const auto model = plain();
  const auto path = shown({"--model", model, "--motion", "5", "--content", "1..2"}, 4);
  EXPECT_TRUE(alike(path[0], shown({"--model", model, "--motion", "5", "--content", "1"}, 1)[0]));
  EXPECT_TRUE(alike(path[3], shown({"--model", model, "--motion", "5", "--content", "2"}, 1)[0]));
  EXPECT_FALSE(path[1].equal(path[0]));
  const auto moves = shown({"--model", model, "--content", "5", "--motion", "1..2"}, 3);
  EXPECT_TRUE(alike(moves[2], shown({"--model", model, "--content", "5", "--motion", "2"}, 1)[0]));
}

TEST_F(GenerateClips, ANegativeSeedIsRefused) {
  for (const std::string option : {"--content", "--motion", "--seed"})
    expect_wrong({"--model", plain(), option, "-1", "--out", file("x.png")},
                 {option, "-1", "0 or more"});
}

TEST_F(GenerateClips, AnActionIsAskedForByNameAndAWrongOneListsThem) {
  const auto model = acting();
  const auto right = shown(
                 {"--model", model, "--content", "1", "--motion", "2", "--action", "right"}, 1),
             down = shown({"--model", model, "--content", "1", "--motion", "2", "--action", "down"},
                          1);
  EXPECT_FALSE(right.equal(down));
  EXPECT_TRUE(alike(
      down, shown({"--model", model, "--content", "1", "--motion", "2", "--action", "1"}, 1)));
  expect_wrong({"--model", model, "--action", "up", "--out", file("x.png")},
               {"\"up\"", "right, down"});
  expect_wrong({"--model", plain(), "--action", "up", "--out", file("x.png")}, {"without actions"});
  const auto answer =
      generated({"--model", model, "--action", "down", "--count", "2", "--out", file("x.png")});
  EXPECT_THAT(answer.object().at("clips").at(1).get<std::string>(), HasSubstr("action down"));
}

TEST_F(GenerateClips, FilesThatPlayHaveEveryFrameAndAreLargeEnoughToSee) {
  for (const std::string name : {"clips.avi", "clips.mp4"}) {
    ASSERT_EQ(generated({"--model", plain(), "--count", "3", "--frames", "7", "--out", file(name)})
                  .status,
              done);
    int frames = 0;
    datasets::read_frames(file(name), [&](const at::Tensor& frame) {
      EXPECT_GE(frame.size(0), 2 * 64);
      EXPECT_GE(frame.size(1), 2 * 64);
      ++frames;
    });
    EXPECT_EQ(frames, 7) << name;
  }
  ASSERT_EQ(generated({"--model", plain(), "--out", file("clips.gif")}).status, done);
  EXPECT_THAT(read_file(file("clips.gif")), testing::StartsWith("GIF89a"));
}

// Gray images and ones with transparency are read as every reader here reads them.
TEST_F(GenerateClips, AnImageBecomesClipsThatMoveDifferentlySlow) {
  const auto pixels = torch::arange(8 * 8 * 3).view({8, 8, 3}).to(at::kByte);
  datasets::write_png(file("me.png"), pixels);
  datasets::write_png(file("gray.png"), pixels.select(2, 0).contiguous());
  datasets::write_png(file("large.png"), torch::zeros({20, 30, 3}, at::kByte));
  const auto model = seeing();
  const auto frames = shown({"--model", model, "--from", file("me.png")}, 3);
  EXPECT_FALSE(frames[0].equal(frames[1]));
  EXPECT_TRUE(alike(frames, shown({"--model", model, "--from", file("me.png")}, 3)));
  shown({"--model", model, "--from", file("gray.png")}, 1);
  shown({"--model", model, "--from", file("large.png"), "--resize"}, 1);
  const std::string out = file("x.png");
  expect_wrong({"--model", model, "--from", file("large.png"), "--out", out},
               {"large.png", "30 x 20", "8 x 8", "--resize"});
  expect_wrong({"--model", model, "--from", file("none.png"), "--out", out}, {"none.png"});
  expect_wrong({"--model", plain(), "--from", file("me.png"), "--out", out},
               {"no encoder", "image_to_video"});
  expect_wrong({"--model", model, "--from", file("me.png"), "--out", file("me.png")},
               {"is an input"});
  expect_wrong({"--model", model, "--from", file("me.png"), "--content", "1", "--out", out},
               {"--from IMAGE", "--content"});
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(GenerateClips, TheTwoWaysDoNotMixAndEachErrorSaysWhichOptionIsWhose) {
  const std::string out = file("x.png"), model = plain();
  expect_wrong({"--model", model, "--label", "7", "--rounds", "3", "--out", out},
               {"--label, --rounds", "are not an option", "--prior"});
  expect_wrong({"--model", model, "--prior", model, "--out", out},
               {"--prior is not", "--representation"});
  expect_wrong({"--representation", "image", "--prior", model, "--content", "3", "--out", out},
               {"--content is not", "--model FILE"});
  expect_wrong({"--out", out}, {"--model FILE", "--representation NAME and --prior FILE"});
  expect_wrong({"--prior", model, "--out", out}, {"--representation is missing"});
  const auto help = call({"generate", "--help-all"});
  EXPECT_EQ(help.status, done);
  for (const auto* word :
       {"With --model", "With --representation and --prior", "--content", "--churn"})
    EXPECT_THAT(help.out, HasSubstr(word));
}

TEST_F(GenerateClips, WhatIsWrongIsSaidBeforeAnythingIsWritten) {
  const std::string out = file("x.png"), model = plain();
  for (const std::string wrong : {"1..", "..2", "one", "1..2..3", "1.5"})
    expect_wrong({"--model", model, "--content", wrong, "--out", out},
                 {"--content " + wrong, "is no seed", "1..9"});
  expect_wrong({"--model", model, "--count", "1", "--motion", "1..2", "--out", out},
               {"2 clips or more"});
  expect_wrong({"--model", model, "--count", "0", "--out", out}, {"--count"});
  expect_wrong({"--model", model, "--frames", "0", "--out", out}, {"--frames"});
  expect_wrong({"--model", model, "--resize", "--out", out}, {"--resize"});
  expect_wrong({"--model", model, "--out", file("x.wav")}, {"x.wav", ".png or .gif"});
  expect_wrong({"--model", file("none.safetensors"), "--out", out}, {"none.safetensors"});
  datasets::write_png(file("picture.png"), torch::zeros({8, 8, 3}, at::kByte));
  expect_wrong({"--model", file("picture.png"), "--out", out}, {"picture.png"});
  EXPECT_FALSE(fs::exists(out));
}

// docs/examples: shapes that move the way they are asked to, and clips that begin with a picture.
TEST(ShippedGenerators, GoTheWayTheyAreAskedToAndBeginWithAnImage) {
  const auto acting =
      models::load_mocogan(fixture("../../docs/examples/mocogan_actions.safetensors"));
  for (const std::string action : {"right", "down"}) {
    const auto asked = at::full({32}, models::find_action(acting, action), at::kLong);
    const auto tracks = metrics::track_shapes(models::sample_clips(
        acting.G, {.count = 32, .labels = asked, .frames = acting.metadata.frames}));
    const auto way =
        (tracks.centre.select(1, acting.metadata.frames - 1) - tracks.centre.select(1, 0))
            .mean(0);  // x, y
    const auto along = way[action == "right" ? 0 : 1].item<double>(),
               across = way[action == "right" ? 1 : 0].item<double>();
    EXPECT_GT(along, 4) << action;
    EXPECT_LT(std::abs(across), 2) << action;
    EXPECT_LT(metrics::average_content_distance(tracks), 20) << action;
  }
  auto seeing = models::load_mocogan(fixture("../../docs/examples/mocogan_images.safetensors"));
  const auto shapes = datasets::generate_shape_motion(32, {.frames = 1, .size = 16, .scale = 3}, 5);
  const auto images = datasets::to_values(shapes.clips.colour)
                          .permute({0, 1, 4, 2, 3})
                          .contiguous();  // [32, 1, 3, 16, 16]
  const auto codes = models::start_codes_from(
      seeing.E->forward(images.squeeze(1)),
      models::draw_codes(seeing.G->options(), 32, seeing.metadata.frames, Random(1), Random(2)));
  const auto scores =
      metrics::continuation_scores(images.squeeze(1), models::decode_clips(seeing.G, codes));
  EXPECT_LT(scores.place_error, 0.5);
  EXPECT_LT(scores.colour_error, 64);
  EXPECT_GT(scores.step, 0.64);
}

}  // namespace
}  // namespace reprise::reproduce
