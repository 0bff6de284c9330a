// `reprise translate` on a network that was never trained: what is promised of files, not of
// pictures.
#include <fmt/format.h>
#include <torch/torch.h>

#include <chrono>
#include <thread>

#include "cli/cli.h"
#include "core/file_lock.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "models/translation/trained_unit.h"
#include "tests/cli/answer.h"
#include "tests/cli/killed.h"
#include "tests/support.h"
#include "tools/translator_training.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

struct Translate : testing::Test {
  TemporaryFolder folder;
  std::string file(const std::string& name) const { return (folder.path() / name).string(); }
  std::string model(bool one_way = false) const {
    models::TrainedUnit trained{
        .metadata = {.data = "toys", .source = "a test", .a = "day", .b = "night", .side = 16},
        .G = models::UnitNetwork(models::UnitNetworkOptions{
            .one_way = one_way, .width = 4, .halvings = 1, .blocks_E = 1, .blocks_G = 1})};
    Random random(3);
    models::draw_unit(*trained.G, models::UnitStart::He, false, random);
    models::save_unit(trained, file("translator.safetensors"));
    return file("translator.safetensors");
  }
  std::string picture(const std::string& name, std::int64_t height, std::int64_t width) const {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    datasets::write_png(
        file(name),
        torch::arange(height * width * 3).remainder(251).view({height, width, 3}).to(at::kByte));
    return file(name);
  }
  /// A training of folders a and b that was begun, with so many iterations before it.
  void begin(const std::string& name, std::int64_t iterations) const {
    const auto canonical = std::filesystem::canonical(folder.path());
    write_file(file(name) + ".training.json", nlohmann::json{{"a", canonical / "a"},
                                                             {"b", canonical / "b"},
                                                             {"side", 16},
                                                             {"iterations", iterations}}
                                                  .dump());
  }
};

TEST_F(Translate, PicturesKeepTheirSizeAndFoldersTheirNames) {
  picture("in/a.png", 17, 30);
  picture("in/deep/b.png", 40, 21);
  const auto ran = call({"translate", "--model", model(), "--to", "night", file("in"), "--out",
                         file("out"), "--json"});
  ASSERT_EQ(ran.status, done) << ran.err;
  EXPECT_EQ(ran.object().at("written").size(), 2U);
  EXPECT_EQ(ran.object().at("from"), "day");
  EXPECT_EQ(datasets::read_image(file("out/a.png")).sizes(),
            (std::vector<std::int64_t>{17, 30, 3}));
  EXPECT_EQ(datasets::read_image(file("out/deep/b.png")).sizes(),
            (std::vector<std::int64_t>{40, 21, 3}));
  EXPECT_FALSE(
      datasets::read_image(file("out/a.png")).equal(datasets::read_image(file("in/a.png"))));
  ASSERT_EQ(call({"translate", "--model", model(), "--to", "A", file("in"), "--out", file("small"),
                  "--shorter", "8"})
                .status,
            done);
  EXPECT_EQ(datasets::read_image(file("small/a.png")).sizes(),
            (std::vector<std::int64_t>{8, 14, 3}));
}

TEST_F(Translate, AVideoKeepsItsOrderItsLengthAndItsRate) {
  datasets::VideoWriter writer(file("drive.avi"), 12);
  for (int i = 0; i < 5; ++i) writer.write(torch::full({32, 48, 3}, 40 * i, at::kByte));
  writer.close();
  ASSERT_EQ(call({"translate", "--model", model(), file("drive.avi"), "--out", file("out")}).status,
            done);
  datasets::VideoReader reader(file("out/drive.avi"));
  EXPECT_NEAR(reader.metadata().rate, 12, 0.1);
  std::int64_t frames = 0;
  while (reader.next()) {
    EXPECT_EQ(reader.frame().sizes(), (std::vector<std::int64_t>{32, 48, 3}));
    ++frames;
  }
  EXPECT_EQ(frames, 5);
}

// A user's own two folders: what comes of it is a model that translates them.
TEST_F(Translate, TwoFoldersMakeAModelThatTranslatesThem) {
  for (int i = 0; i < 3; ++i) {
    picture(fmt::format("summer/{}.png", i), 30 + i, 40);
    picture(fmt::format("winter/deep/{}.png", i), 25, 33 + i);
  }
  write_file(file("summer/notes.txt"), "no picture");
  const std::vector<std::string> train{
      "translate", "--train", file("summer"), file("winter"),          "--minutes", "0.02",
      "--side",    "16",      "--model",      file("own.safetensors"), "--json"};
  const auto ran = call(train);
  ASSERT_EQ(ran.status, done) << ran.err;
  EXPECT_EQ(ran.object().at("a"), "summer");
  EXPECT_THAT(ran.err, HasSubstr("notes.txt"));
  EXPECT_EQ(datasets::read_image(file("own.safetensors.png")).size(2), 3)
      << "what it looked like on the way";
  EXPECT_FALSE(std::filesystem::exists(file("own.safetensors.checkpoint")));
  EXPECT_FALSE(std::filesystem::exists(file("own.safetensors.training.json")));
  EXPECT_LT(std::filesystem::file_size(file("own.safetensors")), 4U << 20);
  const auto used = call({"translate", "--model", file("own.safetensors"), "--to", "winter",
                          file("summer/0.png"), "--out", file("out")});
  ASSERT_EQ(used.status, done) << used.err;
  EXPECT_EQ(datasets::read_image(file("out/0.png")).sizes(),
            (std::vector<std::int64_t>{30, 40, 3}));

  const auto again = call(train);
  EXPECT_EQ(again.status, wrong_use) << "nothing that was learned is written over";
  EXPECT_THAT(again.err, HasSubstr("is there already"));
}

TEST_F(Translate, ATrainingThatWasBegunGoesOnOrSaysWhyNot) {
  for (const auto* name : {"a/0.png", "a/1.png", "b/0.png", "b/1.png", "one/0.png"})
    picture(name, 20, 20);
  const auto train = [&](const std::string& b, const std::string& side) {
    return call({"translate", "--train", file("a"), file(b), "--minutes", "600", "--side", side,
                 "--model", file("m"), "--json"});
  };
  EXPECT_THAT(train("one", "16").err, HasSubstr("one picture, 0.png"));
  EXPECT_THAT(train("b", "18").err, HasSubstr("--side 18"));
  EXPECT_FALSE(std::filesystem::exists(file("m.training.json")));
  begin("m", 3);
  EXPECT_THAT(train("b", "32").err, HasSubstr("has other options"));
  const auto ran = train("b", "16");
  ASSERT_EQ(ran.status, done) << "three iterations, not ten hours: " << ran.err;
  EXPECT_EQ(ran.object().at("trained"), "translate --train, 3 iterations");
  write_file(file("n.training.json"), "[]");
  EXPECT_THAT(call({"translate", "--train", file("a"), file("b"), "--model", file("n")}).err,
              HasSubstr("not the state of a training"));
}

TEST_F(Translate, AKilledTrainingEndsWithTheBytesOfOneThatWasNotSlow) {
  for (const auto* name : {"a/0.png", "a/1.png", "b/0.png", "b/1.png"}) picture(name, 20, 24);
  const auto words = [&](const std::string& name) {
    return std::vector<std::string>{"translate", "--train", file("a"),  file("b"), "--side",
                                    "16",        "--model", file(name), "--json"};
  };
  // As many iterations for both, whatever the machine's speed.
  for (const auto* name : {"whole", "killed"}) begin(name, 110);
  ASSERT_EQ(call(words("whole")).status, done);
  run_and_kill(words("killed"), file("killed.checkpoint"));
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_FALSE(std::filesystem::exists(file("killed")));
  ASSERT_EQ(call(words("killed")).status, done);
  EXPECT_EQ(read_file(file("killed")), read_file(file("whole")));
}

TEST_F(Translate, OneProcessAloneTrainsAModel) {
  for (const auto* name : {"a/0.png", "a/1.png", "b/0.png", "b/1.png"}) picture(name, 20, 24);
  begin("m", 3);
  const std::vector<std::string> words{"translate", "--train", file("a"), file("b"), "--side",
                                       "16",        "--model", file("m"), "--json"};
  {
    const FileLock other(file("m.lock"), {.name = "m", .holder = "another training", .fix = ""});
    const auto second = call(words);
    EXPECT_EQ(second.status, wrong_use);
    EXPECT_THAT(second.err, testing::AllOf(HasSubstr("is in use by another training"),
                                           HasSubstr("wait for it to end")));
    EXPECT_TRUE(std::filesystem::exists(file("m.training.json")))
        << "what was begun is left as it is";
  }
  EXPECT_EQ(call(words).status, done);
  EXPECT_FALSE(std::filesystem::exists(file("m.lock")));
}

// What it will look like is seen long before the end: here before the first iterations are stored.
TEST_F(Translate, ShowsOnTheWayWhatItHasLearnedSlow) {
  for (const auto* name : {"a/0.png", "a/1.png", "b/0.png", "b/1.png"}) picture(name, 20, 24);
  begin("m", 60);
  const TranslatorTraining asked{
      .a = file("a"), .b = file("b"), .model = file("m"), .side = 16, .between_previews = 0};
  testing::internal::CaptureStderr();
  std::thread training([&] { train_translator(asked, at::kCPU); });
  bool before_it_was_stored = false;
  while (!std::filesystem::exists(file("m.checkpoint")) && !std::filesystem::exists(file("m"))) {
    before_it_was_stored = before_it_was_stored || std::filesystem::exists(file("m.png"));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  training.join();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(before_it_was_stored);
  EXPECT_EQ(datasets::read_image(file("m.png")).size(2), 3);
}

TEST_F(Translate, WhatCannotBeDoneIsSaidAndNothingIsWrittenOver) {
  const auto x = picture("x.png", 16, 16);
  const auto wrong = [&](std::vector<std::string> arguments, const char* says) {
    arguments.insert(arguments.begin(), "translate");
    const auto ran = call(arguments);
    EXPECT_EQ(ran.status, wrong_use);
    EXPECT_THAT(ran.err, HasSubstr(says));
  };
  wrong({"--model", model(), "--to", "noon", x, "--out", file("out")},
        "A is \"day\", B is \"night\"");
  wrong({"--model", model(true), "--to", "day", x, "--out", file("out")}, "translates only to");
  wrong({"--model", model(), file("y.png"), "--out", file("out")}, "no such file or folder");
  wrong({"--model", model(), x, "--out", folder.path().string()}, "would be overwritten");
  picture("other/x.png", 16, 16);
  wrong({"--model", model(), x, file("other"), "--out", file("out")}, "would both be written to");
  write_file(file("text.png"), "no picture");
  wrong({"--model", model(), file("text.png"), "--out", file("out")}, "text.png");
  wrong({"--model", x, x, "--out", file("out")}, "x.png");
}

}  // namespace
}  // namespace reprise::reproduce
