// `reprise sample`, `invert` and `generate` on small priors.
#include <torch/torch.h>

#include "cli/cli.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/video_files.h"
#include "metrics/image_quality.h"
#include "models/representations/canvas.h"
#include "models/representations/coordinate_images.h"
#include "models/representations/radiance_field.h"
#include "tests/cli/answer.h"
#include "tests/cli/killed.h"
#include "tests/damage.h"
#include "tests/support.h"
#include "tools/prior_items.h"
#include "tools/resumable_synthesis.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A network of 8 channels whose weights were moved from where they start, so that what it sees and
/// is told matters.
models::Prior small_prior(const models::PriorMetadata& metadata, double moved = 0.05) {
  Random random(3);
  auto prior = models::new_prior(metadata, {.channels = {8}, .embedding = 16},
                                 torch::full(metadata.item, 0.1), random);
  const auto generator = training::torch_generator(5);
  const torch::NoGradGuard no_grad;
  for (auto& parameter : prior.D->parameters())
    parameter.add_(torch::randn(parameter.sizes(), generator), moved);
  return prior;
}

struct PriorUse : testing::Test {
  TemporaryFolder folder;
  // The operations of so small a network are shorter than what it takes to share them out.
  const int threads = at::get_num_threads();
  PriorUse() { at::set_num_threads(1); }
  ~PriorUse() override { at::set_num_threads(threads); }

  fs::path file(const std::string& name) const { return folder.path() / name; }

  fs::path stored(const std::string& name, const models::PriorMetadata& metadata) const {
    auto path = file(name + ".safetensors");
    if (!fs::exists(path)) models::save_prior(small_prior(metadata), path);
    return path;
  }
  fs::path gray() const {
    return stored(
        "gray",
        {.data = "spots", .item = {1, 8, 8}, .classes = {"few", "many"}, .noise = {-0.6, 1.3}});
  }
  fs::path colour() const {
    return stored("colour", {.data = "solids",
                             .item = {3, 8, 8},
                             .words = {"", "a", "red", "cube"},
                             .noise = {-0.6, 1.3}});
  }
  fs::path videos() const {
    return stored("videos", {.data = "moves",
                             .kind = models::ItemKind::Videos,
                             .item = {6, 8, 8},
                             .measures = {{"frames", 2}},
                             .noise = {-0.6, 1.3}});
  }
  fs::path sounds() const {
    return stored("sounds", {.data = "words",
                             .kind = models::ItemKind::Sounds,
                             .item = {1, 8, 8},
                             .measures = {{"rate", 8000}},
                             .noise = {-0.6, 1.3}});
  }
  fs::path picture(const std::string& name, std::int64_t height, std::int64_t width,
                   int seed = 1) const {
    const auto pixels =
        torch::randint(256, {height, width, 3},
                       training::torch_generator(static_cast<std::uint64_t>(seed)), at::kByte);
    datasets::write_png(file(name), pixels);
    return file(name);
  }
  std::vector<std::string> names_in(const std::string& name) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(file(name)))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  static int frames_of_video(const fs::path& path, std::int64_t height, std::int64_t width) {
    int n = 0;
    datasets::read_frames(path, [&](const at::Tensor& frame) {
      EXPECT_THAT(frame.sizes(), ElementsAre(height, width, 3));
      ++n;
    });
    return n;
  }
};

/// Each row's call is wrong use, which says all of the row's words.
struct Wrong {
  std::vector<std::string> words;
  std::vector<std::string> said;
};
void expect_wrong(const std::string& verb, const std::vector<Wrong>& rows) {
  for (const auto& [words, said] : rows) {
    auto all = words;
    all.insert(all.begin(), verb);
    const auto answer = call(all);
    const auto shown = testing::PrintToString(words);
    EXPECT_EQ(answer.status, wrong_use) << shown << answer.err;
    for (const auto& word : said) EXPECT_THAT(answer.err, HasSubstr(word)) << shown;
  }
}

using Sample = PriorUse;
using Invert = PriorUse;
using Generate = PriorUse;

TEST_F(Sample, WritesAPictureEachOrASheetOfAll) {
  const auto answer = call({"sample", "--prior", gray(), "--label", "few", "--label", "many",
                            "--count", "3", "--steps", "4", "--out", file("out"), "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.object().at("count"), 6);
  EXPECT_EQ(answer.object().at("files").size(), 6U);
  EXPECT_THAT(names_in("out"),
              ElementsAre("sample-0001.png", "sample-0002.png", "sample-0003.png",
                          "sample-0004.png", "sample-0005.png", "sample-0006.png"));
  EXPECT_THAT(datasets::read_image(file("out/sample-0001.png")).sizes(), ElementsAre(8, 8, 3));
  ASSERT_EQ(
      call({"sample", "--prior", gray(), "--count", "5", "--steps", "4", "--out", file("all.png")})
          .status,
      0);
  EXPECT_THAT(datasets::read_image(file("all.png")).sizes(), ElementsAre(2 * 9 - 1, 3 * 9 - 1, 3));
}

TEST_F(Sample, ItsNumberAndTheSeedSayWhatASampleIsNotHowManyThereAre) {
  for (const std::string n : {"1", "3"})
    ASSERT_EQ(
        call({"sample", "--prior", gray(), "--count", n, "--steps", "4", "--out", file(n)}).status,
        0);
  ASSERT_EQ(call({"sample", "--prior", gray(), "--count", "1", "--steps", "4", "--seed", "1",
                  "--out", file("other")})
                .status,
            0);
  const auto first = datasets::read_image(file("1/sample-0001.png")).to(at::kInt),
             other = datasets::read_image(file("other/sample-0001.png")).to(at::kInt);
  EXPECT_LE((first - datasets::read_image(file("3/sample-0001.png")).to(at::kInt))
                .abs()
                .max()
                .item<int>(),
            1);
  EXPECT_GT((first - other).abs().max().item<int>(), 8);
}

TEST_F(Sample, ALabelIsHeardAndGuidanceSaysHowMuch) {
  const auto read = [&](const std::string& label, const std::string& guidance) {
    EXPECT_EQ(call({"sample", "--prior", colour(), "--label", label, "--guidance", guidance,
                    "--count", "1", "--steps", "4", "--out", file("one.png")})
                  .status,
              0);
    return datasets::read_image(file("one.png")).to(at::kInt);
  };
  const auto cube = read("a red cube", "1");
  EXPECT_FALSE(at::equal(cube, read("a a a", "1")));
  EXPECT_FALSE(at::equal(cube, read("a red cube", "3")));
  const auto both = parse_labels(models::load_prior(colour()), {"red", "a red cube"});
  EXPECT_TRUE(at::equal(both, torch::tensor({{2, 0, 0}, {1, 2, 3}}, at::kLong)));
}

TEST_F(Sample, VideosAndSoundsAreFilesThatPlay) {
  ASSERT_EQ(
      call({"sample", "--prior", videos(), "--count", "2", "--steps", "3", "--out", file("v")})
          .status,
      0);
  EXPECT_THAT(names_in("v"), ElementsAre("sample-0001.avi", "sample-0002.avi"));
  EXPECT_EQ(frames_of_video(file("v/sample-0001.avi"), 128, 128), 2);
  ASSERT_EQ(call({"sample", "--prior", videos(), "--count", "2", "--steps", "3", "--out",
                  file("both.gif")})
                .status,
            0);
  EXPECT_THAT(read_file(file("both.gif")), testing::StartsWith("GIF89a"));
  ASSERT_EQ(
      call({"sample", "--prior", sounds(), "--count", "2", "--steps", "3", "--out", file("s")})
          .status,
      0);
  EXPECT_THAT(names_in("s"), ElementsAre("sample-0001.wav", "sample-0002.wav"));
  const auto sound = datasets::read_wav(file("s/sample-0002.wav"));
  EXPECT_EQ(sound.rate, 8000);
  EXPECT_EQ(sound.samples.numel(), 7 * 128);
  ASSERT_EQ(call({"sample", "--prior", sounds(), "--count", "2", "--steps", "3", "--out",
                  file("both.wav")})
                .status,
            0);
  EXPECT_EQ(datasets::read_wav(file("both.wav")).samples.numel(), 2 * 7 * 128 + 1600);
}

TEST_F(Sample, WhatIsWrongIsSaidBeforeAnythingIsWritten) {
  write_file(file("text.safetensors"), "no tensors");
  auto nan = small_prior({.data = "spots", .item = {1, 8, 8}});
  {
    const torch::NoGradGuard no_grad;
    nan.D->parameters()[0].fill_(std::nan(""));
  }
  models::save_prior(nan, file("nan.safetensors"));
  auto smells = read_file(gray());
  smells.replace(smells.find("images"), 6, "smells");
  write_file(file("smells.safetensors"), smells);
  const std::string out = file("out");
  expect_wrong(
      "sample",
      {{{"--prior", gray(), "--label", "some", "--out", out}, {"no class \"some\"", "few, many"}},
       {{"--prior", colour(), "--label", "a green cube", "--out", out},
        {"the word \"green\"", "a, red, cube"}},
       {{"--prior", videos(), "--label", "a", "--out", out}, {"without classes"}},
       {{"--prior", gray(), "--label", "", "--out", out}, {"empty"}},
       {{"--prior", gray(), "--guidance", "2", "--out", out}, {"--guidance 2", "--label"}},
       {{"--prior", gray(), "--out", file("a.jpg")}, {"a.jpg", ".png"}},
       {{"--prior", sounds(), "--out", file("a.avi")}, {"a.avi", ".wav"}},
       {{"--prior", gray(), "--count", "0", "--out", out}, {"--count"}},
       {{"--prior", file("text.safetensors"), "--out", out}, {"text.safetensors"}},
       {{"--prior", file("nan.safetensors"), "--out", out}, {"not finite"}},
       {{"--prior", file("smells.safetensors"), "--out", out},
        {"smells", "images", "videos", "sounds"}}});
  const auto missing = call({"sample", "--prior", file("none.safetensors"), "--out", out});
  EXPECT_NE(missing.status, 0);
  EXPECT_THAT(missing.err, HasSubstr("none.safetensors"));
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Sample, ValuesThatAreNotFiniteAreAnErrorAndNoPicture) {
  const auto answer = call(
      {"sample", "--prior", gray(), "--label", "few", "--guidance", "1e38", "--out", file("out")});
  EXPECT_EQ(answer.status, failed_while_running);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("not finite"), HasSubstr("guidance")));
  EXPECT_FALSE(fs::exists(file("out")));
}

TEST_F(Invert, WritesTheLatentAndWhatItSaysAndMeasuresBoth) {
  const auto image = picture("me.png", 8, 8), other = picture("you.png", 8, 8, 2);
  for (const std::string method : {"naive", "ode", "noised_ode", "backprop"}) {
    const auto out = file(method);
    const auto answer = call({"invert", image, other, "--prior", colour(), "--sigma", "0.5",
                              "--method", method, "--out", out, "--json"});
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(names_in(method), ElementsAre("me.npy", "me.png", "you.npy", "you.png"));
    const auto latent = datasets::read_npy(out / "you.npy");
    EXPECT_THAT(latent.sizes(), ElementsAre(3, 8, 8));
    // What is told is what another reader of the latent finds.
    const auto prior = load_usable_prior(colour(), "cpu");
    const torch::NoGradGuard no_grad;
    const auto says = (*prior.D)(latent.unsqueeze(0), 0.5).clamp(-1, 1);
    const auto items = answer.object().at("items");
    ASSERT_EQ(items.size(), 2U);
    EXPECT_NEAR(items.at(1).at("psnr").get<double>(),
                metrics::psnr(says, read_item(other, 3, 8, 8, Size::Exact), 2).item<double>(), 1e-3)
        << method;
    EXPECT_TRUE(
        at::equal(datasets::read_image(out / "you.png"), convert_to_frames(prior, says)[0][0]))
        << method;
    if (method == "naive") {
      EXPECT_NEAR(items.at(0).at("level").get<double>(), 1, 0.25);
    }
  }
  const auto psnr = [&](const std::string& method) {
    const auto answer = call({"invert", image, "--prior", colour(), "--sigma", "0.5", "--method",
                              method, "--out", file(method), "--json"});
    return answer.object().at("items").at(0).at("psnr").get<double>();
  };
  EXPECT_GT(psnr("backprop"), psnr("naive") + 1);
}

TEST_F(Invert, ImagesAreBroughtToThePriorsChannelsAndOnRequestToItsSize) {
  const auto large = picture("large.png", 20, 30);
  EXPECT_EQ(call({"invert", large, "--prior", gray(), "--sigma", "1", "--resize", "--method",
                  "naive", "--out", file("out")})
                .status,
            0);
  EXPECT_THAT(datasets::read_npy(file("out/large.npy")).sizes(), ElementsAre(1, 8, 8));
  // The central square, each pixel the mean of what it covers.
  auto halves = torch::zeros({16, 24, 3}, at::kByte);
  halves.slice(1, 12).fill_(255);
  datasets::write_png(file("halves.png"), halves);
  const auto item = read_item(file("halves.png"), 1, 8, 8, Size::Resized);
  EXPECT_NEAR(item.slice(3, 0, 3).max().item<double>(), -1, 1e-5);
  EXPECT_NEAR(item.slice(3, 5).min().item<double>(), 1, 1e-5);
}

TEST_F(Invert, AllThatIsWrongIsSaidBeforeAnythingIsWritten) {
  const auto image = picture("me.png", 8, 8), large = picture("large.png", 9, 8);
  fs::create_directories(file("sub"));
  fs::copy_file(image, file("sub/me.png"));
  write_file(file("text.png"), "no picture");
  const std::string out = file("out");
  expect_wrong(
      "invert",
      {{{image, "--prior", gray(), "--sigma", "100", "--out", out},
        {"sigma = 100", "0.00988 to 30.5"}},
       {{image, "--prior", gray(), "--sigma", "0.001", "--out", out}, {"sigma = 0.001"}},
       {{image, "--prior", gray(), "--sigma", "-1", "--out", out}, {"-1"}},
       {{image, "--prior", gray(), "--sigma", "0.015", "--method", "ode", "--out", out},
        {"0.02", "--sigma"}},
       {{image, "--prior", gray(), "--sigma", "1", "--method", "guess", "--out", out},
        {"guess", "backprop"}},
       {{image, large, "--prior", gray(), "--sigma", "1", "--out", out},
        {"large.png", "8 x 9", "8 x 8", "--resize"}},
       {{file("text.png"), "--prior", gray(), "--sigma", "1", "--out", out},
        {"text.png", "no image"}},
       {{image, file("none.png"), "--prior", gray(), "--sigma", "1", "--out", out}, {"none.png"}},
       {{image, file("sub/me.png"), "--prior", gray(), "--sigma", "1", "--out", out},
        {"sub/me.png", "would both be written to"}},
       {{image, "--prior", gray(), "--sigma", "1", "--out", folder.path()},
        {"me.png", "is an input"}},
       {{image, "--prior", sounds(), "--sigma", "1", "--out", out},
        {"a prior of sounds", "give a prior of images"}},
       {{image, "--prior", image, "--sigma", "1", "--out", out}, {"me.png"}}});
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(Generate, EveryRepresentationEndsInAFileOfItsSizeSlow) {
  const std::vector<std::string> few{"--rounds", "3", "--inversion", "naive"};
  const auto made = [&](std::vector<std::string> words, const fs::path& out) {
    words.insert(words.begin(), {"generate", "--representation"});
    words.insert(words.end(), few.begin(), few.end());
    words.insert(words.end(), {"--out", out, "--json"});
    const auto answer = call(words);
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_FALSE(fs::exists(partial_file(out)));
    return out;
  };
  EXPECT_THAT(datasets::read_image(made({"image", "--prior", gray()}, file("i.png"))).sizes(),
              ElementsAre(8, 8, 3));
  EXPECT_THAT(
      datasets::read_image(
          made({"panorama", "--prior", gray(), "--length", "3", "--label", "many"}, file("p.png")))
          .sizes(),
      ElementsAre(8, 24, 3));
  made({"panorama", "--prior", gray(), "--length", "3", "--label", "many", "--label", "many"},
       file("same.png"));
  made({"panorama", "--prior", gray(), "--length", "3", "--label", "many", "--label", "few"},
       file("parts.png"));
  EXPECT_EQ(read_file(file("same.png")), read_file(file("p.png")))
      << "two parts that are asked for the same";
  EXPECT_NE(read_file(file("parts.png")), read_file(file("p.png")));
  EXPECT_THAT(datasets::read_image(
                  made({"mlp", "--prior", colour(), "--label", "a red cube", "--guidance", "2"},
                       file("m.png")))
                  .sizes(),
              ElementsAre(8, 8, 3));
  EXPECT_THAT(datasets::read_image(
                  made({"nerf", "--prior", colour(), "--label", "a red cube"}, file("n.png")))
                  .sizes(),
              ElementsAre(8, 64, 3));
  EXPECT_EQ(frames_of_video(made({"nerf", "--prior", colour()}, file("n.avi")), 128, 128), 36);
  EXPECT_EQ(frames_of_video(made({"video", "--prior", videos(), "--length", "3"}, file("v.avi")),
                            128, 128),
            6);
  EXPECT_THAT(read_file(made({"video", "--prior", videos(), "--length", "2"}, file("v.gif"))),
              testing::StartsWith("GIF89a"));
  EXPECT_EQ(datasets::read_wav(made({"audio", "--prior", sounds()}, file("a.wav"))).samples.numel(),
            (4 * 8 - 1) * 128);
  made({"image", "--prior", gray(), "--prior-aux", gray()}, file("aux.png"));
  EXPECT_EQ(read_file(file("aux.png")), read_file(file("i.png"))) << "D' is D where none is given";
}

TEST_F(Generate, WarnsWhereNothingIsShownAndSaysHowFarTheLabelIs) {
  // A prior that always sees its mean image: nothing is all that it makes.
  auto blank = small_prior({.data = "spots",
                            .item = {1, 8, 8},
                            .classes = {"few", "many"},
                            .sigma_data = 4,
                            .noise = {-0.6, 1.3}},
                           0);
  models::save_prior(blank, file("blank.safetensors"));
  const auto answer =
      call({"generate", "--representation", "image", "--prior", file("blank.safetensors"),
            "--label", "few", "--rounds", "2", "--first", "0.2", "--last", "0.1", "--inversion",
            "naive", "--out", file("b.png"), "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.err,
              AllOf(HasSubstr("warning"), HasSubstr("b.png shows little"), HasSubstr("--first")));
  EXPECT_LT(answer.object().at("contrast").get<double>(), 0.5);
  EXPECT_FALSE(answer.object().at("warnings").empty());
  EXPECT_TRUE(answer.object().contains("label_heard"));
}

TEST_F(Generate, StartsFromAPictureAndHoldsWhatIsKnownToThePixelSlow) {
  const auto from = picture("from.png", 8, 8);
  auto mask = torch::zeros({8, 8, 3}, at::kByte);
  mask.slice(1, 0, 4).fill_(255);
  datasets::write_png(file("mask.png"), mask);
  const std::vector<std::string> words{"generate", "--representation", "image", "--prior",
                                       colour(),   "--from",           from,    "--rounds",
                                       "4",        "--inversion",      "naive"};
  auto held = words;
  held.insert(held.end(), {"--known", file("mask.png"), "--out", file("held.png")});
  ASSERT_EQ(call(held).status, 0);
  const auto before = datasets::read_image(from), after = datasets::read_image(file("held.png"));
  EXPECT_TRUE(at::equal(after.slice(1, 0, 4), before.slice(1, 0, 4)));
  EXPECT_FALSE(at::equal(after.slice(1, 4), before.slice(1, 4)));
  // At the lowest levels a nudge moves little.
  auto low = words;
  low.insert(low.end(), {"--first", "0.011", "--last", "0.01", "--out", file("low.png")});
  ASSERT_EQ(call(low).status, 0);
  EXPECT_LE((datasets::read_image(file("low.png")).to(at::kInt) - before.to(at::kInt))
                .abs()
                .max()
                .item<int>(),
            20);
  low[2] = "mlp";
  low.back() = file("painted.png");
  ASSERT_EQ(call(low).status, 0);
  const auto painted = datasets::read_image(file("painted.png")).to(at::kFloat) / 127.5 - 1,
             wanted = before.to(at::kFloat) / 127.5 - 1;
  EXPECT_GT(metrics::psnr(painted.unsqueeze(0), wanted.unsqueeze(0), 2).item<double>(), 15);
}

TEST_F(Generate, WhatIsWrongIsSaidBeforeAnyWork) {
  const auto from = picture("from.png", 8, 8), small = picture("small.png", 4, 8);
  const auto other = stored("other", {.data = "dots", .item = {1, 8, 8}, .noise = {-0.6, 1.3}});
  const std::string png = file("x.png"), wav = file("x.wav"), avi = file("x.avi");
  const auto of = [](const std::string& representation, const std::vector<std::string>& more) {
    std::vector<std::string> words{"--representation", representation};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::string p = gray();
  expect_wrong(
      "generate",
      {{of("imgae", {"--prior", p, "--out", png}), {"did you mean 'image'"}},
       {of("audio", {"--prior", p, "--out", wav}),
        {"a prior of images", "needs one of sounds", "image, panorama, mlp, nerf"}},
       {of("image", {"--prior", sounds(), "--out", png}),
        {"a prior of sounds", "--representation audio"}},
       {of("nerf", {"--prior", p, "--out", png}), {"3 channels"}},
       {of("image", {"--prior", p, "--out", avi}), {"x.avi", ".png"}},
       {of("video", {"--prior", videos(), "--out", png}), {"x.png", ".avi or .mp4 or .gif"}},
       {of("image", {"--prior", p, "--length", "2", "--out", png}),
        {"takes no --length", "panorama, video, audio"}},
       {of("video", {"--prior", videos(), "--from", from, "--out", avi}),
        {"takes no --from", "image, panorama, mlp"}},
       {of("mlp", {"--prior", p, "--from", from, "--known", from, "--out", png}),
        {"takes no --known", "image, panorama"}},
       {of("image", {"--prior", p, "--known", from, "--out", png}), {"--from is missing"}},
       {of("image", {"--prior", p, "--from", small, "--out", png}),
        {"small.png", "8 x 4", "8 x 8"}},
       {of("panorama", {"--prior", p, "--from", from, "--out", png}), {"8 x 8", "32 x 8"}},
       {of("image", {"--prior", p, "--from", from, "--known", small, "--out", png}),
        {"small.png", "8 x 4"}},
       {of("image", {"--prior", p, "--from", from, "--out", from}), {"is an input"}},
       {of("image", {"--prior", p, "--prior-aux", other, "--out", png}),
        {"trained on dots, not on spots"}},
       {of("image", {"--prior", p, "--prior-aux", colour(), "--out", png}), {"trained on solids"}},
       {of("image", {"--prior", p, "--first", "100", "--out", png}), {"sigma = 100"}},
       {of("image", {"--prior", p, "--last", "0.001", "--out", png}), {"sigma = 0.001"}},
       {of("image", {"--prior", p, "--last", "0.015", "--inversion", "ode", "--out", png}),
        {"--last"}},
       {of("image", {"--prior", p, "--label", "some", "--out", png}), {"few, many"}},
       {of("image", {"--prior", p, "--label", "few", "--label", "many", "--out", png}),
        {"no parts", "panorama, video, audio"}},
       {of("image", {"--prior", p, "--guidance", "2", "--out", png}), {"--label"}},
       {of("image", {"--prior", p, "--churn", "wild", "--out", png}), {"wild", "balanced 1"}},
       {of("image", {"--prior", p, "--churn", "balanced 1.5", "--out", png}), {"1.5"}},
       {of("image", {"--prior", p, "--inversion", "guess", "--out", png}), {"guess"}},
       {of("image", {"--prior", p, "--rounds", "0", "--out", png}), {"--rounds"}}});
  EXPECT_FALSE(fs::exists(png));
  EXPECT_FALSE(fs::exists(partial_file(png)));
}

TEST_F(Generate, ARenderingThatIsNotFiniteIsAnErrorAndNoPicture) {
  for (const std::string representation : {"image", "mlp"}) {
    const auto answer =
        call({"generate", "--representation", representation, "--prior", gray(), "--label", "few",
              "--guidance", "1e38", "--inversion", "naive", "--out", file("x.png")});
    EXPECT_EQ(answer.status, failed_while_running);
    EXPECT_THAT(answer.err, HasSubstr("not finite"));
    EXPECT_FALSE(fs::exists(file("x.png")));
  }
}

/// A representation of each kind, made alike each time.
std::vector<std::function<std::unique_ptr<models::Representation>()>> representations() {
  return {[] {
            return std::make_unique<models::Canvas>(
                torch::zeros({1, 3, 8, 20}), models::CanvasOptions{.window = 8, .wrap = true});
          },
          [] {
            return std::make_unique<models::CoordinateImages>(
                models::CoordinateImagesOptions{.channels = 3, .height = 8, .width = 8});
          },
          [] {
            return std::make_unique<models::RadianceField>(models::RadianceFieldOptions{
                .size = 8, .focal = 14, .samples = 8, .width = 8, .layers = 1});
          }};
}

TEST_F(Generate, ARunThatStoppedGoesOnToTheSameBitsSlow) {
  auto prior = small_prior({.data = "solids", .item = {3, 8, 8}, .noise = {-0.6, 1.3}});
  const auto ignore = [](const models::SynthesisRound&) {};
  for (const auto& make : representations()) {
    Generation generation{.synthesis = {.rounds = 11, .seed = 4},
                          .options = {{"--rounds", 11}},
                          .out = file("x.png"),
                          .rounds_between_saves = 3};
    generation.synthesis.inversion.adam_steps = 2;
    const auto whole = make();
    EXPECT_EQ(resume(*whole, generation), 0);
    generate(*whole, *prior.D, *prior.D, generation, 0, ignore);
    fs::remove(partial_file(generation.out));

    const auto stopped = make();
    const auto stop = [](const models::SynthesisRound& round) {
      if (round.number == 7) throw Error("stopped", "go on");
    };
    EXPECT_THROW(generate(*stopped, *prior.D, *prior.D, generation, 0, stop), Error);
    const auto next = make();
    const auto first = resume(*next, generation);
    EXPECT_EQ(first, 6);
    generate(*next, *prior.D, *prior.D, generation, first, ignore);
    const auto expected = whole->state(), got = next->state();
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(at::equal(expected[i].second, got[i].second)) << expected[i].first;
    EXPECT_EQ(resume(*next, generation), 11)
        << "the last round is stored, for an output that could not be written";
    fs::remove(partial_file(generation.out));
  }
}

TEST_F(Generate, ADamagedStateGivesOneOrOurErrorSlow) {
  auto prior = small_prior({.data = "solids", .item = {3, 8, 8}});
  const Generation generation{
      .synthesis = {.rounds = 4, .inversion = {.method = models::Inversion::Naive}},
      .options = {{"--seed", 1}},
      .out = file("x.png")};
  const auto phi = representations()[0]();
  generate(*phi, *prior.D, *prior.D, generation, 0, [](const models::SynthesisRound&) {});
  const auto path = partial_file(generation.out);
  EXPECT_GE(
      read_damaged_copies(path, read_file(path), [&](const auto&) { resume(*phi, generation); }),
      75);
  write_file(path, "nothing");
  EXPECT_THAT([&] { resume(*phi, generation); },
              ThrowsUsageError(HasSubstr(path.string()), HasSubstr("remove it to start over")));
}

TEST_F(Generate, AKilledRunGoesOnWhenTheSameCommandIsGivenAgainSlow) {
  const auto words = [&](const std::string& out, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"generate", "--representation",
                                 "panorama", "--prior",
                                 gray(),     "--rounds",
                                 "400",      "--inversion",
                                 "naive",    "--length",
                                 "2",        "--out",
                                 file(out),  "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(call(words("whole.png")).status, 0);
  run_and_kill(words("killed.png"), partial_file(file("killed.png")));
  ASSERT_FALSE(HasFatalFailure());
  const auto other = call(words("killed.png", {"--seed", "1", "--guidance", "1"}));
  EXPECT_EQ(other.status, wrong_use);
  EXPECT_THAT(other.err,
              AllOf(HasSubstr("--seed was 0 and is 1"), HasSubstr("remove it to start over"),
                    testing::Not(HasSubstr("--guidance was"))));
  const auto again = call(words("killed.png"));
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_GE(again.object().at("resumed_after"), 4);
  EXPECT_EQ(read_file(file("killed.png")), read_file(file("whole.png")));
  EXPECT_FALSE(fs::exists(partial_file(file("killed.png"))));
}

}  // namespace
}  // namespace reprise::reproduce
