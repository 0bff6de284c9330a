// `reprise translate` on a network that was never trained: what is promised of files, not of pictures.
#include <torch/torch.h>

#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "models/translation/trained_unit.h"
#include "reproduce/cli/cli.h"
#include "tests/reproduce/cli/answer.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

struct Translate : testing::Test {
  TemporaryFolder folder;
  std::string file(const std::string& name) const { return (folder.path() / name).string(); }
  std::string model(bool one_way = false) const {
    models::TrainedUnit trained{
        .facts = {.data = "toys", .source = "a test", .a = "day", .b = "night", .side = 16},
        .G = models::UnitNetwork(models::UnitNetworkOptions{.one_way = one_way, .width = 4, .halvings = 1, .blocks_E = 1, .blocks_G = 1})};
    Random random(3);
    models::draw_unit(*trained.G, models::UnitStart::He, false, random);
    models::save_unit(trained, file("translator.safetensors"));
    return file("translator.safetensors");
  }
  std::string picture(const std::string& name, std::int64_t height, std::int64_t width) const {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    datasets::write_png(file(name), torch::arange(height * width * 3).remainder(251).view({height, width, 3}).to(at::kByte));
    return file(name);
  }
};

TEST_F(Translate, PicturesKeepTheirSizeAndFoldersTheirNames) {
  picture("in/a.png", 17, 30);
  picture("in/deep/b.png", 40, 21);
  const auto ran = call({"translate", "--model", model(), "--to", "night", file("in"), "--out", file("out"), "--json"});
  ASSERT_EQ(ran.status, done) << ran.err;
  EXPECT_EQ(ran.object().at("written").size(), 2U);
  EXPECT_EQ(ran.object().at("from"), "day");
  EXPECT_EQ(datasets::read_image(file("out/a.png")).sizes(), (std::vector<std::int64_t>{17, 30, 3}));
  EXPECT_EQ(datasets::read_image(file("out/deep/b.png")).sizes(), (std::vector<std::int64_t>{40, 21, 3}));
  EXPECT_FALSE(datasets::read_image(file("out/a.png")).equal(datasets::read_image(file("in/a.png"))));
  ASSERT_EQ(call({"translate", "--model", model(), "--to", "A", file("in"), "--out", file("small"), "--shorter", "8"}).status, done);
  EXPECT_EQ(datasets::read_image(file("small/a.png")).sizes(), (std::vector<std::int64_t>{8, 14, 3}));
}

TEST_F(Translate, AVideoKeepsItsOrderItsLengthAndItsRate) {
  datasets::VideoWriter writer(file("drive.avi"), 12);
  for (int i = 0; i < 5; ++i) writer.write(torch::full({32, 48, 3}, 40 * i, at::kByte));
  writer.close();
  ASSERT_EQ(call({"translate", "--model", model(), file("drive.avi"), "--out", file("out")}).status, done);
  datasets::VideoReader reader(file("out/drive.avi"));
  EXPECT_NEAR(reader.facts().rate, 12, 0.1);
  std::int64_t frames = 0;
  while (reader.next()) {
    EXPECT_EQ(reader.frame().sizes(), (std::vector<std::int64_t>{32, 48, 3}));
    ++frames;
  }
  EXPECT_EQ(frames, 5);
}

TEST_F(Translate, WhatCannotBeDoneIsSaidAndNothingIsWrittenOver) {
  const auto x = picture("x.png", 16, 16);
  const auto wrong = [&](std::vector<std::string> arguments, const char* says) {
    arguments.insert(arguments.begin(), "translate");
    const auto ran = call(arguments);
    EXPECT_EQ(ran.status, wrong_use);
    EXPECT_THAT(ran.err, HasSubstr(says));
  };
  wrong({"--model", model(), "--to", "noon", x, "--out", file("out")}, "A is \"day\", B is \"night\"");
  wrong({"--model", model(true), "--to", "day", x, "--out", file("out")}, "one way alone");
  wrong({"--model", model(), file("y.png"), "--out", file("out")}, "no such file or folder");
  wrong({"--model", model(), x, "--out", folder.path().string()}, "would be written over");
  picture("other/x.png", 16, 16);
  wrong({"--model", model(), x, file("other"), "--out", file("out")}, "would both be written to");
  write_file(file("text.png"), "no picture");
  wrong({"--model", model(), file("text.png"), "--out", file("out")}, "text.png");
  wrong({"--model", x, x, "--out", file("out")}, "x.png");
}

}  // namespace
}  // namespace reprise::reproduce
