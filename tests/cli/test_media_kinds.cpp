// Every command that takes a user's pictures and videos, with every kind of file that users have:
// one loop, so that a rule which holds for one command holds for all.
#include <fmt/format.h>
#include <torch/torch.h>

#include <array>
#include <functional>
#include <opencv2/imgcodecs.hpp>

#include "cli/cli.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/formats/orientation.h"
#include "datasets/formats/video_files.h"
#include "models/adversarial/trained_mocogan.h"
#include "models/backbones/known_backbones.h"
#include "models/diffusion/prior.h"
#include "models/translation/trained_unit.h"
#include "tests/cli/answer.h"
#include "tests/datasets/tagged_files.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "training/torch_generator.h"
#include "weights/pytorch_file.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using datasets::testing_tags::encode;
using testing::AllOf;
using testing::HasSubstr;

/// 12 high and 18 wide, every pixel another.
at::Tensor scene() {
  return (torch::arange(12 * 18 * 3) * 7 % 251).to(at::kByte).view({12, 18, 3});
}

struct MediaKinds : testing::Test {
  TemporaryFolder folder;
  const int threads = at::get_num_threads();
  MediaKinds() { at::set_num_threads(1); }
  ~MediaKinds() override { at::set_num_threads(threads); }

  fs::path file(const std::string& name) const { return folder.path() / name; }
  fs::path unit() const {
    const auto path = file("unit.safetensors");
    if (fs::exists(path)) return path;
    models::TrainedUnit trained{
        .metadata = {.data = "toys", .source = "a test", .a = "day", .b = "night", .side = 16},
        .G = models::UnitNetwork(
            models::UnitNetworkOptions{.width = 4, .halvings = 1, .blocks_E = 1, .blocks_G = 1})};
    Random random(3);
    models::draw_unit(*trained.G, models::UnitStart::He, false, random);
    models::save_unit(trained, path);
    return path;
  }
  fs::path prior() const {
    const auto path = file("prior.safetensors");
    if (fs::exists(path)) return path;
    Random random(3);
    const models::PriorMetadata metadata{.data = "solids", .item = {3, 8, 8}, .noise = {-0.6, 1.3}};
    models::save_prior(models::new_prior(metadata, {.channels = {8}, .embedding = 16},
                                         torch::full(metadata.item, 0.1), random),
                       path);
    return path;
  }
  fs::path encoder() const {
    const auto path = file("mocogan.safetensors");
    if (fs::exists(path)) return path;
    const models::MocoganNetworkOptions options{
        .side = 8, .width = 4, .d_C = 4, .d_M = 3, .d_E = 3};
    models::TrainedMocogan trained{
        .metadata = {.data = "shapes", .source = "a test", .frames = 5, .actions = {}},
        .G = models::MocoganNetwork(options),
        .E = models::ImageEncoder(options, models::ImageEncoderOptions{.width = 2})};
    Random random(3);
    models::draw_adversarial_weights(*trained.G, random);
    models::draw_adversarial_weights(*trained.E, random);
    models::save_mocogan(trained, path);
    return path;
  }
  static std::string tracker() { return fixture("../../docs/examples/face_tracker.safetensors"); }
  /// Empties and returns a folder for outputs.
  fs::path fresh(const std::string& name) const {
    fs::remove_all(file(name));
    return file(name);
  }
  /// A folder with this one file in it.
  fs::path alone(const std::string& name, const std::string& bytes) const {
    const auto in = fresh("alone");
    write_file(in / name, bytes);
    return in;
  }
};

/// A command that takes a folder of pictures.
struct EntryPoint {
  std::string name;
  bool one_by_one;  ///< each picture has outputs of its own: a damaged one costs itself alone
  std::function<Answer(const MediaKinds& test, const fs::path& pictures, const fs::path& out)> call;
  std::vector<std::string> made;  ///< below --out, of the picture a
};

std::vector<EntryPoint> entry_points() {
  const auto run = [](const std::vector<std::string>& words) { return call(words); };
  return {{"translate",
           true,
           [=](const MediaKinds& t, const fs::path& in, const fs::path& out) {
             return run({"translate", "--model", t.unit(), "--out", out, "--device", "cpu", in});
           },
           {"a.png"}},
          {"invert",
           true,
           [=](const MediaKinds& t, const fs::path& in, const fs::path& out) {
             return run({"invert", in, "--prior", t.prior(), "--sigma", "0.5", "--method", "naive",
                         "--resize", "--out", out, "--device", "cpu"});
           },
           {"a.png", "a.npy"}},
          {"track",
           true,
           [=](const MediaKinds&, const fs::path& in, const fs::path& out) {
             return run({"track", "--method", "cnn", "--network", MediaKinds::tracker(),
                         "--whole-frame", "--video", in, "--out", out / "poses.csv"});
           },
           {"poses.csv"}},
          {"metric",
           false,
           [=](const MediaKinds& t, const fs::path& in, const fs::path& out) {
             auto answer =
                 run({"metric", "psnr", "--predictions", in, "--truth", t.file("truth"), "--json"});
             if (answer.status == done) write_file(out / "value", answer.out);
             return answer;
           },
           {"value"}}};
}

/// What a command makes of the picture a.
std::string result_of(const EntryPoint& entry, const fs::path& out) {
  std::string all;
  for (const auto& name : entry.made)
    all += fs::exists(out / name) ? read_file(out / name) : "none of " + name;
  return all;
}

// The same picture as shown, in every kind of file that keeps it exactly.
TEST_F(MediaKinds, EveryCommandTakesEveryKindOfPictureAsItIsShownSlow) {
  namespace tags = datasets::testing_tags;
  const auto png = encode(scene(), ".png"),
             webp = encode(scene(), ".webp", {cv::IMWRITE_WEBP_QUALITY, 101});
  std::vector<std::pair<std::string, std::string>> kinds{{"a.bmp", encode(scene(), ".bmp")},
                                                         {"a.dib", encode(scene(), ".bmp")},
                                                         {"a.ppm", encode(scene(), ".ppm")},
                                                         {"a.pnm", encode(scene(), ".ppm")},
                                                         {"a.webp", webp},
                                                         {"a.PNG", png}};
  // Stored as a camera that was held otherwise stores it: orientation 6 is undone by 8.
  constexpr std::array<int, 9> undone{0, 1, 2, 3, 4, 5, 8, 7, 6};
  for (int orientation = 2; orientation <= 8; ++orientation) {
    const auto stored = datasets::orient(scene(), undone.at(static_cast<std::size_t>(orientation)));
    kinds.emplace_back("a.png", tags::png_with_exif(encode(stored, ".png"), orientation));
    kinds.emplace_back(
        "a.webp", tags::webp_with_exif(encode(stored, ".webp", {cv::IMWRITE_WEBP_QUALITY, 101}),
                                       orientation, static_cast<std::uint32_t>(stored.size(1)),
                                       static_cast<std::uint32_t>(stored.size(0))));
  }
  // 16 bits, and with pixels that are transparent where the scene is white.
  auto deep = cv::Mat(12, 18, CV_16UC3), clear = cv::Mat(12, 18, CV_8UC4);
  auto lit = scene();
  lit.slice(0, 0, 3).fill_(255);
  const auto rgb = lit.contiguous();
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 18; ++x) {
      const auto* pixel = rgb.const_data_ptr<std::uint8_t>() + (y * 18 + x) * 3;
      for (int c = 0; c < 3; ++c)
        deep.at<cv::Vec3w>(y, x)[c] = static_cast<std::uint16_t>(pixel[2 - c] * 257);
      clear.at<cv::Vec4b>(y, x) =
          y < 3 ? cv::Vec4b(200, 0, 90, 0) : cv::Vec4b(pixel[2], pixel[1], pixel[0], 255);
    }
  std::vector<unsigned char> bytes;
  ASSERT_TRUE(cv::imencode(".png", deep, bytes));
  std::vector<std::pair<std::string, std::string>> bright{{"a.png", {bytes.begin(), bytes.end()}}};
  ASSERT_TRUE(cv::imencode(".png", clear, bytes));
  bright.emplace_back("a.png", std::string(bytes.begin(), bytes.end()));

  for (const auto& entry : entry_points()) {
    const auto made_of = [&](const std::string& name, const std::string& content) {
      const auto out = fresh("out");
      const auto answer = entry.call(*this, alone(name, content), out);
      EXPECT_EQ(answer.status, done) << entry.name << " " << name << answer.err;
      return result_of(entry, out);
    };
    write_file(fresh("truth") / "a.png", png);
    const auto plain = made_of("a.png", png);
    for (std::size_t k = 0; k < kinds.size(); ++k)
      EXPECT_EQ(made_of(kinds[k].first, kinds[k].second), plain)
          << entry.name << ", kind " << k << ", " << kinds[k].first;
    write_file(fresh("truth") / "a.png", encode(lit, ".png"));
    const auto plain_lit = made_of("a.png", encode(lit, ".png"));
    for (const auto& [name, content] : bright)
      EXPECT_EQ(made_of(name, content), plain_lit) << entry.name << " " << name;
    // The metric compares with the truth, which is lit too.
    if (entry.one_by_one) EXPECT_NE(plain_lit, plain) << entry.name << ": this loop can fail";
  }
}

TEST_F(MediaKinds, EveryCommandSkipsWhatASystemLeftAndSaysSoSlow) {
  const auto png = encode(scene(), ".png");
  write_file(file("truth/a.png"), png);
  for (const auto& entry : entry_points()) {
    const auto plain = fresh("plain"), out = fresh("out");
    ASSERT_EQ(entry.call(*this, alone("a.png", png), plain).status, done) << entry.name;
    const auto in = alone("a.png", png);
    for (const auto* name : {"._a.png", ".DS_Store", "__MACOSX/._a.png", "notes.txt", "b.heic"})
      write_file(in / name, "x");
    fs::create_directories(in / "x.png");
    const auto answer = entry.call(*this, in, out);
    EXPECT_EQ(answer.status, done) << entry.name << answer.err;
    EXPECT_EQ(result_of(entry, out), result_of(entry, plain)) << entry.name;
    EXPECT_THAT(answer.err, AllOf(HasSubstr("skipped"), HasSubstr("1 .heic"), HasSubstr(".webp")))
        << entry.name;
  }
}

TEST_F(MediaKinds, OneDamagedPictureCostsItselfAloneOrIsNamedSlow) {
  const auto png = encode(scene(), ".png");
  for (const auto* name : {"a.png", "b.png", "c.png"}) write_file(file("truth") / name, png);
  for (const auto& entry : entry_points())
    for (const auto& bytes :
         {std::string(), png.substr(0, png.size() / 2), std::string("no picture")}) {
      const auto plain = fresh("plain"), out = fresh("out");
      entry.call(*this, alone("a.png", png), plain);
      const auto in = alone("a.png", png);
      write_file(in / "c.png", png);
      write_file(in / "b.png", bytes);
      const auto answer = entry.call(*this, in, out);
      EXPECT_THAT(answer.err, HasSubstr("b.png")) << entry.name;
      if (!entry.one_by_one) {
        EXPECT_EQ(answer.status, wrong_use) << entry.name;
        continue;
      }
      EXPECT_EQ(answer.status, check_failed) << entry.name << answer.err;
      // A table of all frames has a row for each, that of the damaged one without an estimate.
      if (entry.name == "track")
        EXPECT_THAT(read_file(out / "poses.csv"), HasSubstr("alone,1,,,,,,,,\nalone,2,"));
      else
        EXPECT_EQ(result_of(entry, out), result_of(entry, plain)) << entry.name;
      const auto none = entry.call(*this, alone("b.png", bytes), fresh("none"));
      EXPECT_EQ(none.status, wrong_use) << entry.name << ": nothing is made";
      EXPECT_THAT(none.err, HasSubstr("b.png")) << entry.name;
    }
}

TEST_F(MediaKinds, TwoInputsThatWouldShareAnOutputAreRefused) {
  const auto png = encode(scene(), ".png"), bmp = encode(scene(), ".bmp");
  write_file(file("truth/a.png"), png);
  for (const auto& entry : entry_points()) {
    if (entry.name == "track") continue;  // frames of one table
    const auto in = alone("a.png", png), out = fresh("out");
    write_file(in / "a.bmp", bmp);
    const auto answer = entry.call(*this, in, out);
    EXPECT_EQ(answer.status, wrong_use) << entry.name;
    EXPECT_THAT(answer.err, AllOf(HasSubstr("a.png"), HasSubstr("a.bmp"))) << entry.name;
    EXPECT_FALSE(fs::exists(out)) << entry.name;
  }
}

// --from takes one picture.
TEST_F(MediaKinds, GenerateBeginsWithAPictureAsItIsShown) {
  const auto square = (torch::arange(8 * 8 * 3) * 7 % 251).to(at::kByte).view({8, 8, 3});
  write_file(file("plain.png"), encode(square, ".png"));
  write_file(file("turned.png"),
             datasets::testing_tags::png_with_exif(encode(datasets::orient(square, 8), ".png"), 6));
  const auto made_from = [&](const std::string& name) {
    const auto clips = call({"generate", "--model", encoder(), "--from", file(name), "--count", "1",
                             "--out", file("clips.png"), "--device", "cpu"});
    EXPECT_EQ(clips.status, done) << clips.err;
    const auto picture = call({"generate", "--representation", "image", "--prior", prior(),
                               "--rounds", "1", "--inversion", "naive", "--from", file(name),
                               "--out", file("picture.png"), "--device", "cpu"});
    EXPECT_EQ(picture.status, done) << picture.err;
    return read_file(file("clips.png")) + read_file(file("picture.png"));
  };
  EXPECT_EQ(made_from("turned.png"), made_from("plain.png"));
}

TEST_F(MediaKinds, SlowFeaturesHaveARowForEveryGoodPictureOfAFolder) {
  const auto& known = models::known_backbone("resnet50");
  auto network = known.make(known.outputs);
  // A new network's weights are whatever was in memory.
  for (const auto& [key, tensor] : training::module_state(*network))
    if (tensor.dim() > 1) at::Tensor(tensor).detach().fill_(0.01);
  weights::write_pytorch(file("weights.pth"), training::module_state(*network));
  const auto rows_of = [&](const fs::path& in, int status) {
    const auto answer =
        call({"features", "--backbone", "resnet50", "--weights", file("weights.pth"), "--layer",
              "maxpool", "--out", file("f.npy"), in});
    EXPECT_EQ(answer.status, status) << answer.err;
    return datasets::read_npy(file("f.npy")).clone();
  };
  const auto plain = rows_of(alone("a.png", encode(scene(), ".png")), done);
  const auto in = alone("a.png", datasets::testing_tags::png_with_exif(
                                     encode(datasets::orient(scene(), 8), ".png"), 6));
  write_file(in / "b.png", "");
  const auto rows = rows_of(in, check_failed);
  ASSERT_EQ(rows.sizes(), plain.sizes());
  EXPECT_LT((rows - plain).abs().max().item<float>(), 1e-4);
}

/// A command that takes a video.
struct VideoEntryPoint {
  std::string name;
  std::function<Answer(const MediaKinds& test, const fs::path& video, const fs::path& out)> call;
};
std::vector<VideoEntryPoint> video_entry_points() {
  return {
      {"translate",
       [](const MediaKinds& t, const fs::path& video, const fs::path& out) {
         return call({"translate", "--model", t.unit(), "--out", out, "--device", "cpu", video});
       }},
      {"track", [](const MediaKinds&, const fs::path& video, const fs::path& out) {
         return call({"track", "--method", "cnn", "--network", MediaKinds::tracker(),
                      "--whole-frame", "--video", video, "--out", out / "poses.csv", "--overlay",
                      out / video.filename()});
       }}};
}

struct VideoKinds : MediaKinds {
  /// 20 frames, bright in the upper left.
  std::string video(const std::string& name, std::int64_t height, std::int64_t width) const {
    datasets::VideoWriter writer(file(name), 10);
    auto frame = torch::randint(60, {height, width, 3}, training::torch_generator(2), at::kByte);
    frame.slice(0, 0, height / 2).slice(1, 0, width / 2).fill_(230);
    for (int i = 0; i < 20; ++i) writer.write(frame);
    writer.close();
    return read_file(file(name));
  }
  static at::Tensor first_frame(const fs::path& path) {
    datasets::VideoReader reader(path);
    EXPECT_TRUE(reader.next());
    return reader.frame();
  }
};

TEST_F(VideoKinds, EveryCommandTurnsAVideoAsItsMatrixSaysSlow) {
  std::string bytes;
  try {
    bytes = video("a.mp4", 48, 64);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  for (const auto& entry : video_entry_points()) {
    ASSERT_EQ(entry.call(*this, file("a.mp4"), fresh("plain")).status, done) << entry.name;
    const auto plain = first_frame(file("plain/a.mp4")).to(at::kInt);
    for (const int orientation : {1, 3, 6, 8}) {
      write_file(file("turned/a.mp4"),
                 datasets::testing_tags::with_matrix(
                     bytes, datasets::testing_tags::matrices.at(orientation - 1)));
      const auto answer = entry.call(*this, file("turned/a.mp4"), fresh("out"));
      ASSERT_EQ(answer.status, done) << entry.name << answer.err;
      const auto made = first_frame(file("out/a.mp4")).to(at::kInt);
      ASSERT_EQ(made.sizes(), datasets::orient(plain, orientation).sizes())
          << entry.name << orientation;
      if (entry.name != "track") continue;
      // The overlay shows the frames themselves, but for the codec and the axes, which cover a
      // part. Turned otherwise, frames differ by 80.
      const auto off =
          (made - datasets::orient(plain, orientation)).abs().to(at::kFloat).mean().item<float>();
      EXPECT_LT(off, 45) << entry.name << " " << orientation;
    }
  }
}

TEST_F(VideoKinds, EveryCommandSaysThatAVideoIsCutAndMakesWhatThereIs) {
  const auto bytes = video("whole.avi", 48, 64);
  for (const auto& entry : video_entry_points()) {
    write_file(file("cut.avi"), bytes.substr(0, bytes.size() / 2));
    const auto answer = entry.call(*this, file("cut.avi"), fresh("out"));
    EXPECT_EQ(answer.status, check_failed) << entry.name << answer.err;
    EXPECT_THAT(answer.err, AllOf(HasSubstr("cut.avi"), HasSubstr("of 20 frames"))) << entry.name;
    EXPECT_GT(datasets::read_video_metadata(file("out/cut.avi")).frames, 5) << entry.name;
    write_file(file("cut.avi"), bytes.substr(0, 300));
    const auto none = entry.call(*this, file("cut.avi"), fresh("out"));
    EXPECT_EQ(none.status, wrong_use) << entry.name << none.err;
    EXPECT_THAT(none.err, HasSubstr(file("cut.avi").string())) << entry.name;
    EXPECT_FALSE(fs::exists(file("out/cut.avi"))) << entry.name;
  }
}

TEST_F(VideoKinds, EveryCommandWritesOddSidesPaddedAndSaysSo) {
  video("odd.avi", 63, 95);
  fs::copy_file(file("odd.avi"), file("odd.mp4"));  // by content it is an AVI still
  for (const auto& entry : video_entry_points()) {
    const auto answer = entry.call(*this, file("odd.mp4"), fresh("out"));
    if (answer.err.find("needs an OpenCV with FFmpeg") != std::string::npos)
      GTEST_SKIP() << answer.err;
    ASSERT_EQ(answer.status, done) << entry.name << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("95 x 63 pixels are written as 96 x 64")) << entry.name;
    EXPECT_EQ(first_frame(file("out/odd.mp4")).sizes(), at::IntArrayRef({64, 96, 3})) << entry.name;
  }
}

}  // namespace
}  // namespace reprise::reproduce
