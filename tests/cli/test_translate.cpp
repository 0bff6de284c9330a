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
  /// Two folders a and b with so many pictures each.
  void domains(int pictures) const {
    for (int i = 0; i < pictures; ++i)
      for (const auto* domain : {"a", "b"}) picture(fmt::format("{}/{}.png", domain, i), 20, 24);
  }
  /// Words that train these folders for so long, for example {"--iterations", "3"}.
  std::vector<std::string> training(const std::string& name,
                                    const std::vector<std::string>& more) const {
    std::vector<std::string> words{"translate", "--train", file("a"),  file("b"), "--side",
                                   "16",        "--model", file(name), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
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

// A folder with a damaged picture: all others are written, and a second call makes nothing again.
TEST_F(Translate, AFolderIsTranslatedAsFarAsItCanBeReadAndOnlyOnceSlow) {
  picture("in/a.png", 16, 16);
  picture("in/c.png", 16, 20);
  write_file(file("in/b.png"), "no picture");
  const auto translate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"translate", "--model",   file("translator.safetensors"),
                                   "--to",      "night",     file("in"),
                                   "--out",     file("out"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  };
  model();
  const auto first = translate({});
  EXPECT_EQ(first.status, check_failed);
  EXPECT_EQ(first.object().at("written").size(), 2U);
  EXPECT_EQ(first.object().at("damaged").size(), 1U);
  EXPECT_THAT(first.err, HasSubstr("b.png"));
  picture("in/d.png", 16, 16);
  const auto second = translate({});
  EXPECT_EQ(second.status, check_failed) << "the damaged picture is listed again";
  EXPECT_EQ(second.object().at("skipped").size(), 2U);
  ASSERT_EQ(second.object().at("written").size(), 1U);
  EXPECT_EQ(second.object().at("written")[0].at("file"), file("out/d.png"));
  EXPECT_EQ(translate({"--overwrite"}).object().at("written").size(), 3U);
  EXPECT_EQ(translate({"--shorter", "8"}).object().at("written").size(), 3U)
      << "other options make other pictures";
  model(true);
  EXPECT_EQ(translate({"--shorter", "8"}).object().at("written").size(), 3U) << "another model";
  EXPECT_EQ(translate({"--shorter", "8"}).object().at("skipped").size(), 3U);
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
TEST_F(Translate, TwoFoldersMakeAModelThatTranslatesThemSlow) {
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
  EXPECT_LT(std::filesystem::file_size(file("own.safetensors")), 4U << 20);
  const auto used = call({"translate", "--model", file("own.safetensors"), "--to", "winter",
                          file("summer/0.png"), "--out", file("out")});
  ASSERT_EQ(used.status, done) << used.err;
  EXPECT_EQ(datasets::read_image(file("out/0.png")).sizes(),
            (std::vector<std::int64_t>{30, 40, 3}));

  const auto again = call(train);
  EXPECT_EQ(again.status, wrong_use) << "nothing that was learned is written over";
  EXPECT_THAT(again.err,
              testing::AllOf(HasSubstr("is there already"), HasSubstr("--more-minutes")));
}

TEST_F(Translate, TheClockEndsATrainingAndMoreMinutesContinueItSlow) {
  domains(2);
  const auto timed = [&](const std::vector<std::string>& more) {
    const auto start = std::chrono::steady_clock::now();
    const auto ran = call(training("m", more));
    EXPECT_EQ(ran.status, done) << ran.err;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const auto iterations = [&] {
    const auto source = models::load_unit(file("m")).metadata.source;
    return std::stoll(source.substr(source.find(", ") + 2));
  };
  EXPECT_GE(timed({"--minutes", "0.04"}), 2.4);
  const auto before = iterations();
  EXPECT_TRUE(std::filesystem::exists(file("m.checkpoint"))) << "for --more-minutes";
  const auto more = timed({"--more-minutes", "0.03"});
  EXPECT_GE(more, 1.8);
  EXPECT_LT(more, 0.07 * 60 + 30) << "the minutes before are not trained again";
  EXPECT_GT(iterations(), before);
}

TEST_F(Translate, FoldersOfOneNameAreNamedByTheFoldersAboveSlow) {
  for (const auto* name : {"a/day/0.png", "a/day/1.png", "b/day/0.png", "b/day/1.png"})
    picture(name, 20, 20);
  const auto ran = call({"translate", "--train", file("a/day"), file("b/day"), "--iterations", "1",
                         "--side", "16", "--model", file("m"), "--json"});
  ASSERT_EQ(ran.status, done) << ran.err;
  EXPECT_EQ(ran.object().at("a"), "a/day");
  EXPECT_EQ(ran.object().at("b"), "b/day");
  EXPECT_EQ(call({"translate", "--model", file("m"), "--to", "b/day", file("a/day/0.png"), "--out",
                  file("out")})
                .status,
            done);
}

TEST_F(Translate, AResumedTrainingKeepsItsSettingsOrStatesWhyNot) {
  domains(2);
  picture("one/0.png", 20, 20);
  const auto refused = [&](std::vector<std::string> words, const char* problem) {
    const auto ran = call(words);
    EXPECT_EQ(ran.status, wrong_use);
    EXPECT_THAT(ran.err, HasSubstr(problem));
  };
  auto one_picture = training("m", {});
  one_picture[3] = file("one");
  refused(one_picture, "one picture, 0.png");
  auto odd_side = training("m", {});
  odd_side[5] = "18";
  refused(odd_side, "--side 18");
  refused(training("m", {"--more-minutes", "1"}), "m.training.json is missing");
  EXPECT_FALSE(std::filesystem::exists(file("m.training.json"))) << "nothing was begun";
  // A training that was interrupted after it had stored its settings.
  write_file(file("m.training.json"), nlohmann::json{{"a", canonical(folder.path() / "a")},
                                                     {"b", canonical(folder.path() / "b")},
                                                     {"side", 16},
                                                     {"width", 6},
                                                     {"batch", 1},
                                                     {"seed", 5},
                                                     {"upsampling", "nearest"},
                                                     {"scales", 2},
                                                     {"iterations", 3}}
                                          .dump());
  refused(training("m", {"--iterations", "4"}), "was begun with iterations 3, and 4 is given");
  refused(training("m", {"--iterations", "3", "--seed", "6"}), "was begun with seed 5");
  const auto ran = call(training("m", {"--iterations", "3"}));
  ASSERT_EQ(ran.status, done) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("resuming a training of 3 iterations"));
  EXPECT_EQ(ran.object().at("trained"), "translate --train, 3 iterations");
  const auto trained = models::load_unit(file("m"));
  EXPECT_EQ(trained.G->options().width, 6);
  EXPECT_EQ(trained.G->options().upsampling, models::Upsampling::Nearest);
  EXPECT_FALSE(std::filesystem::exists(file("m.training.json")));
  write_file(file("n.training.json"), "[]");
  refused(training("n", {}), "not the state of a training");
}

TEST_F(Translate, ASeedGivesItsModelAndAnotherSeedAnotherSlow) {
  domains(2);
  const auto bytes = [&](const std::string& name, const char* seed) {
    EXPECT_EQ(call(training(name, {"--iterations", "2", "--seed", seed})).status, done);
    return read_file(file(name));
  };
  const auto first = bytes("x", "1");
  EXPECT_EQ(bytes("y", "1"), first);
  EXPECT_NE(bytes("z", "2"), first);
}

// Of eight pictures in one colour each, one is held out. All crops of the preview are cut from it.
TEST_F(Translate, APreviewShowsPicturesThatAreNotTrainedOnSlow) {
  for (int i = 0; i < 8; ++i)
    for (const auto* domain : {"a", "b"}) {
      std::filesystem::create_directories(folder.path() / domain);
      datasets::write_png(file(fmt::format("{}/{}.png", domain, i)),
                          torch::full({20, 24, 3}, 30 * i, at::kByte));
    }
  ASSERT_EQ(call(training("m", {"--iterations", "1"})).status, done);
  const auto preview = datasets::read_image(file("m.png"));
  // The middle of the first row of crops, of one channel; lines between crops are one pixel wide.
  const auto row = preview.select(0, 8).select(1, 0);
  EXPECT_LE(std::get<0>(at::_unique(row)).numel(), 2) << "one colour and that of the lines";
}

TEST_F(Translate, AKilledTrainingEndsWithTheBytesOfOneThatWasNotSlow) {
  domains(2);
  const auto words = [&](const std::string& name) {
    return training(name, {"--iterations", "110"});
  };
  ASSERT_EQ(call(words("whole")).status, done);
  run_and_kill(words("killed"), file("killed.checkpoint"));
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_FALSE(std::filesystem::exists(file("killed")));
  ASSERT_EQ(call(words("killed")).status, done);
  EXPECT_EQ(read_file(file("killed")), read_file(file("whole")));
}

TEST_F(Translate, OneProcessAloneTrainsAModelSlow) {
  domains(2);
  const auto words = training("m", {"--iterations", "3"});
  {
    const FileLock other(file("m.lock"), {.name = "m", .holder = "another training", .fix = ""});
    const auto second = call(words);
    EXPECT_EQ(second.status, wrong_use);
    EXPECT_THAT(second.err, testing::AllOf(HasSubstr("is in use by another training"),
                                           HasSubstr("wait for it to end")));
    EXPECT_FALSE(std::filesystem::exists(file("m.training.json"))) << "nothing was begun";
  }
  EXPECT_EQ(call(words).status, done);
  EXPECT_FALSE(std::filesystem::exists(file("m.lock")));
}

// What it will look like is seen long before the end: here before the first iterations are stored.
TEST_F(Translate, ShowsOnTheWayWhatItHasLearnedSlow) {
  domains(2);
  const TranslatorTraining asked{.a = file("a"),
                                 .b = file("b"),
                                 .model = file("m"),
                                 .iterations = 60,
                                 .shape = {.side = 16},
                                 .between_previews = 0};
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
