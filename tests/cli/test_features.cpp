#include <ATen/ATen.h>

#include <opencv2/videoio.hpp>

#include "cli/cli.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/transforms/network_input.h"
#include "models/backbones/known_backbones.h"
#include "tests/cli/answer.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "weights/pytorch_file.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

struct Features : testing::Test {
  TemporaryFolder folder;
  const fs::path image = folder.path() / "face.png", video = folder.path() / "clip.avi",
                 out = folder.path() / "out" / "f.npy";

  void SetUp() override {
    const auto ramp = at::arange(300).view({1, 300, 1}).expand({260, 300, 3}) % 256;
    datasets::write_png(image, ramp.to(at::kByte).contiguous());
  }
  void write_video(int frames) const {
    cv::VideoWriter writer(video.string(), cv::CAP_OPENCV_MJPEG,
                           cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25, {64, 48});
    for (int i = 0; i < frames; ++i)
      writer.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar(10, 100, 7 * i)));
  }
  /// A file with weights of its own for the network.
  std::string weights_of(const std::string& name) const {
    const auto& known = models::known_backbone(name);
    auto network = known.make(known.outputs);
    for (const auto& [key, tensor] : training::module_state(*network))
      if (tensor.dim() > 1) at::Tensor(tensor).detach().fill_(0.01);
    weights::write_pytorch(folder.path() / "weights.pth", training::module_state(*network));
    return folder.path() / "weights.pth";
  }
  Answer of(const std::string& backbone, const std::string& weights, const std::string& layer,
            const std::vector<std::string>& files) const {
    std::vector<std::string> words{"features", "--backbone", backbone, "--weights", weights,
                                   "--layer",  layer,        "--out",  out,         "--json"};
    words.insert(words.end(), files.begin(), files.end());
    return call(words);
  }
};

TEST_F(Features, WhatCannotBeDoneIsWrongUseBeforeWeightsAreRead) {
  const auto refused = [&](const Answer& answer, const std::string& problem,
                           const std::string& fix) {
    EXPECT_EQ(answer.status, wrong_use);
    EXPECT_THAT(json::parse(answer.out).at("error").get<std::string>(), HasSubstr(problem));
    EXPECT_THAT(json::parse(answer.out).at("fix").get<std::string>(), HasSubstr(fix));
  };
  refused(of("vgg19", "none.pth", "fc7", {image}), "vgg19", "vgg16, vgg16_bn, resnet50, c3d");
  refused(of("vgg16", "none.pth", "fc9", {image}), "fc9", "fc6, fc7, fc8");
  refused(of("c3d", "none.pth", "fc6", {image}), "face.png", "give a video");
  refused(of("vgg16", "none.pth", "fc7", {folder.path() / "none.png"}), "none.png",
          "give existing files or folders");
  refused(of("vgg16", folder.path() / "none.pth", "fc7", {image}), "none.pth",
          "weights file that exists");
  refused(call({"features", "--backbone", "vgg16", "--weights", "w", "--layer", "fc7", "--out",
                "f.txt", "--json", image}),
          "f.txt", "NumPy");
}

TEST_F(Features, HelpShowsAnExample) {
  EXPECT_THAT(call({"features", "--help"}).out, HasSubstr("reprise features --backbone vgg16"));
}

TEST_F(Features, SlowOfImagesAndAVideoAreRowsInTheOrderGiven) {
  write_video(2);
  const auto file = weights_of("resnet50");
  const auto answer = of("resnet50", file, "maxpool", {image, video, image});
  ASSERT_EQ(answer.status, done) << answer.err;
  const auto said = json::parse(answer.out);
  EXPECT_EQ(said.at("shape"), (json{4, 64, 56, 56}));
  EXPECT_EQ(said.at("inputs"), (json{{{"file", image}, {"rows", 1}},
                                     {{"file", video}, {"rows", 2}},
                                     {{"file", image}, {"rows", 1}}}));
  const auto rows = datasets::read_npy(out);
  auto network = models::load_backbone(models::known_backbone("resnet50"), file);
  const auto expected = network->features(
      datasets::make_imagenet_input(datasets::read_image(image)).unsqueeze(0), "maxpool");
  EXPECT_LT((rows[0] - expected[0]).abs().max().item<double>(),
            1e-4 * expected.abs().max().item<double>());
  EXPECT_TRUE(rows[0].equal(rows[3]));
  EXPECT_FALSE(rows[0].equal(rows[1]));
}

TEST_F(Features, SlowOfAVideoByC3dAreRowsOf16Frames) {
  const auto file = weights_of("c3d");
  write_video(33);
  const auto answer = of("c3d", file, "pool1", {video});
  ASSERT_EQ(answer.status, done) << answer.err;
  EXPECT_EQ(json::parse(answer.out).at("shape"), (json{2, 64, 16, 56, 56}));
  write_video(15);
  const auto refused = of("c3d", file, "pool1", {video});
  EXPECT_EQ(refused.status, wrong_use);
  EXPECT_THAT(refused.err, testing::AllOf(HasSubstr("clip.avi"),
                                          HasSubstr("15 frames, fewer than a clip of 16")));
}

TEST(WeightsConvert, GoesToPyTorchAndBackAndKnowsNoOtherEnding) {
  const TemporaryFolder folder;
  const std::string from = fixture("weights/plain_zip.pth"), a = folder.path() / "a.safetensors",
                    b = folder.path() / "b.pth";
  EXPECT_EQ(call({"weights", "convert", from, "--out", a, "--json"}).status, done);
  EXPECT_EQ(call({"weights", "convert", a, "--out", b, "--json"}).status, done);
  EXPECT_EQ(json::parse(call({"weights", "show", b, "--json"}).out),
            json::parse(call({"weights", "show", from, "--json"}).out));
  const auto refused = call({"weights", "convert", a, "--out", "c.bin"});
  EXPECT_EQ(refused.status, wrong_use);
  EXPECT_THAT(refused.err,
              testing::AllOf(HasSubstr("c.bin"), HasSubstr(".safetensors nor .pth nor .pt")));
}

}  // namespace
}  // namespace reprise::reproduce
