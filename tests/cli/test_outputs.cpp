// Every command is called with its input as its output, and with a file of the user's there:
// nothing is lost, and the error says what to do.
#include <fmt/format.h>
#include <sys/xattr.h>
#include <torch/torch.h>

#include "core/outputs.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "models/translation/trained_unit.h"
#include "tests/cli/command_line.h"
#include "tests/support.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

struct OutputFiles : CommandLine {
  std::string path(const std::string& name) const { return folder.path() / name; }
  std::string picture(const std::string& name) const {
    datasets::write_png(path(name), torch::full({16, 16, 3}, 100, at::kByte));
    return path(name);
  }
  std::string video(const std::string& name) const {
    datasets::VideoWriter writer(path(name), 10);
    for (int i = 0; i < 3; ++i) writer.write(torch::full({32, 32, 3}, 40 * i, at::kByte));
    writer.close();
    return path(name);
  }
  std::string measurements(const std::string& name) const {
    return file(name, "sequence,frame,pitch,yaw,roll\na,0,1,2,3\na,1,1,2,3\na,2,1,2,3\n");
  }
  std::string translator(const std::string& name) const {
    models::TrainedUnit trained{
        .metadata = {.data = "toys", .source = "a test", .a = "day", .b = "night", .side = 16},
        .G = models::UnitNetwork(
            models::UnitNetworkOptions{.width = 4, .halvings = 1, .blocks_E = 1, .blocks_G = 1})};
    Random random(3);
    models::draw_unit(*trained.G, models::UnitStart::He, false, random);
    models::save_unit(trained, path(name));
    return path(name);
  }
  /// The call is refused as wrong use, says how to go on, and `kept` holds the bytes that it held.
  void expect_kept(const std::vector<std::string>& words, const std::string& kept) const {
    const auto before = read_file(kept);
    const auto answer = call(words);
    EXPECT_EQ(answer.status, 2) << join(words, " ") << "\n" << answer.err;
    EXPECT_THAT(answer.err, AllOf(HasSubstr(folder.path().string()), HasSubstr("fix:")))
        << join(words, " ");
    EXPECT_TRUE(fs::exists(kept) && read_file(kept) == before)
        << kept << " is lost by: " << join(words, " ");
  }
};

TEST_F(OutputFiles, AnInputIsNeverTheOutputOfItsCommandSlow) {
  ASSERT_EQ(run_toys("[\"good\",\"better\"]").status, 0);
  ASSERT_EQ(
      call({"check", results, "--against", reference(), "--update", "--reason", "new"}).status, 0);
  const auto csv = measurements("poses.csv"), model = translator("m.safetensors"),
             clip = video("clip.avi"), png = picture("me.png");
  fs::create_symlink(csv, path("link.csv"));
  const std::string ref = reference(), run = results / "run.json";
  const auto no_network = file("network.safetensors", "not read before the outputs are checked");
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{"track", "--method", "moving_average", "--measurements", csv, "--out", csv}, csv},
      {{"track", "--method", "moving_average", "--measurements", csv, "--out", path("link.csv")},
       csv},
      {{"track", "--method", "moving_average", "--measurements", path("link.csv"), "--out", csv},
       csv},
      {{"track", "--method", "cnn", "--video", clip, "--network", no_network, "--out", clip}, clip},
      {{"track", "--method", "cnn", "--video", clip, "--network", no_network, "--out",
        path("o.csv"), "--overlay", clip},
       clip},
      {{"track", "--method", "cnn", "--video", clip, "--network", no_network, "--out",
        path("o.csv"), "--landmarks-out", no_network},
       no_network},
      {{"weights", "convert", model, "--out", model}, model},
      {{"translate", "--model", model, png, "--out", folder.path()}, png},
      {{"translate", "--model", model, clip, "--out", folder.path()}, clip},
      {{"check", results, "--against", ref, "--junit", ref}, ref},
      {{"check", results, "--against", ref, "--summary", ref}, ref},
      {{"check", results, "--against", ref, "--junit", run}, run},
      {{"features", png, "--backbone", "vgg16", "--weights", no_network, "--layer", "fc7", "--out",
        no_network},
       no_network},
      {{"features", png, "--backbone", "vgg16", "--weights", no_network, "--layer", "fc7", "--out",
        png},
       png},
      {{"sample", "--prior", no_network, "--out", no_network}, no_network},
      {{"generate", "--model", no_network, "--from", png, "--out", png}, png},
      {{"generate", "--representation", "image", "--prior", no_network, "--from", png, "--out",
        png},
       png},
  };
  for (const auto& [words, kept] : calls) {
    expect_kept(words, kept);
    auto forced = words;
    forced.push_back("--overwrite");
    expect_kept(forced, kept);
  }
}

TEST_F(OutputFiles, AFileThatNoCallOfTheCommandWroteIsKeptUnlessTheUserAsksSlow) {
  ASSERT_EQ(run_toys("[\"good\",\"better\"]").status, 0);
  ASSERT_EQ(
      call({"check", results, "--against", reference(), "--update", "--reason", "new"}).status, 0);
  const auto csv = measurements("poses.csv"), model = translator("m.safetensors");
  picture("photos/mine.jpg.png");
  fs::create_directories(path("made"));
  const auto photo = picture("photos/mine.png");
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls{
      {{"track", "--method", "moving_average", "--measurements", csv, "--out", path("made/t.csv")},
       path("made/t.csv")},
      {{"weights", "convert", model, "--out", path("made/w.pth")}, path("made/w.pth")},
      {{"translate", "--model", model, photo, "--out", path("made")}, path("made/mine.png")},
      {{"check", results, "--against", reference(), "--junit", path("made/j.xml")},
       path("made/j.xml")},
      {{"check", results, "--against", reference(), "--summary", path("made/s.md")},
       path("made/s.md")},
      {{"compare", results, "--methods", "good,better", "--out", path("made/c.csv")},
       path("made/c.csv")},
      {{"export", results, "--out", path("made")}, path("made/metrics.csv")},
      {{"plan", "toy", "--for", "slurm", "--results", path("planned"), "--out", path("made")},
       path("made/submit.sh")},
  };
  for (const auto& [words, kept] : calls) {
    write_file(kept, "mine");
    expect_kept(words, kept);
    auto forced = words;
    forced.push_back("--overwrite");
    const auto answer = call(forced);
    EXPECT_EQ(answer.status, 0) << join(words, " ") << "\n" << answer.err;
    EXPECT_NE(read_file(kept), "mine") << join(words, " ");
    if (::getxattr(kept.c_str(), output_attribute, nullptr, 0) < 0)
      continue;  // a file system without attributes
    EXPECT_EQ(call(words).status, 0)
        << "its own output is replaced by a second call: " << join(words, " ");
  }
}

TEST_F(OutputFiles, APageOfTheUsersIsNotReplacedByAReportSlow) {
  ASSERT_EQ(run_toys("[\"good\",\"better\"]").status, 0);
  const auto below = file("site/index.html", "MY HOME PAGE"),
             own = file("results/index.html", "MY NOTES");
  expect_kept({"report", results}, own);
  fs::remove(own);
  ASSERT_EQ(call({"report", results}).status, 0);
  for (const auto* name : {"one", "two"})
    fs::copy(results, folder.path() / "site" / name, fs::copy_options::recursive);
  expect_kept({"report", path("site")}, below);
  fs::remove(below);
  EXPECT_EQ(call({"report", path("site")}).status, 0);
  EXPECT_EQ(call({"report", path("site")}).status, 0);
}

TEST_F(OutputFiles, AReportDoesNotGoIntoPackedResultsSlow) {
  ASSERT_EQ(run_toys("[\"good\",\"better\"]").status, 0);
  mark_as_committed(results);
  const auto packed = path("packed");
  ASSERT_EQ(call({"report", results, "--pack", packed}).status, 0);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--overwrite"}}) {
    std::vector<std::string> words{"report", results, "--out", packed};
    words.insert(words.end(), more.begin(), more.end());
    expect_kept(words, packed + "/index.html");
  }
  EXPECT_EQ(call({"report", packed, "--check"}).status, 0);
}

TEST_F(OutputFiles, AnEmptyValueIsNotTheDefaultSlow) {
  ASSERT_EQ(run_toys("[\"good\",\"better\"]").status, 0);
  const std::string from = results;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", from, "--out", ""},
        {"report", from, "--pack", ""},
        {"export", from, "--out", ""},
        {"run", "toy", "--out", ""},
        {"reproduce", "toy", "--out", ""},
        {"reproduce", "toy", "--results", ""},
        {"plan", "toy", "--for", "json", "--results", ""},
        {"data", "make", "synthetic_head", "--out", ""},
        {"check", from, "--against", "", "--junit", ""},
        {"compare", "", "--methods", "good,better"}}) {
    const auto answer = call(words);
    EXPECT_EQ(answer.status, 2) << join(words, " ");
    EXPECT_THAT(answer.err, AllOf(HasSubstr("empty value"), HasSubstr("fix:"))) << join(words, " ");
  }
}

TEST_F(OutputFiles, TwoOptionsDoNotNameOneOutput) {
  const auto answer = call(
      {"check", results, "--against", reference(), "--junit", path("o"), "--summary", path("./o")});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err,
              AllOf(HasSubstr("--junit"), HasSubstr("--summary"), HasSubstr("same output")));
}

TEST_F(OutputFiles, ConvertingKeepsTheMetadataOfATrainedModelOrSaysThatItDropsThem) {
  const auto model = translator("m.safetensors");
  ASSERT_EQ(call({"weights", "convert", model, "--out", path("copy.safetensors")}).status, 0);
  EXPECT_EQ(weights::read_safetensors(path("copy.safetensors")).metadata,
            weights::read_safetensors(model).metadata);
  EXPECT_EQ(call({"translate", "--model", path("copy.safetensors"), picture("a.png"), "--out",
                  path("made")})
                .status,
            0);
  EXPECT_THAT(call({"weights", "convert", model, "--out", path("copy.pth")}).out,
              HasSubstr("metadata are dropped"));
}

}  // namespace
}  // namespace reprise::reproduce
