#include <ATen/ATen.h>

#include <cmath>

#include "baselines/trackers/kalman.h"
#include "baselines/trackers/methods.h"
#include "cli/cli.h"
#include "core/csv.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "datasets/pose_tracks.h"
#include "experiments/names.h"
#include "tests/cli/answer.h"
#include "tests/damage.h"
#include "tests/support.h"
#include "tools/face_tracking.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using datasets::FaceBox;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A bright square of 9 pixels around (20 + n, 24) on a dark frame of 80 x 48.
at::Tensor frame_of(int n) {
  auto frame = at::full({48, 80, 3}, 10, at::kByte);
  frame.slice(0, 20, 29).slice(1, 16 + n, 25 + n).fill_(250);
  return frame;
}

/// Finds the square.
std::vector<FaceBox> find_square(const at::Tensor& frame) {
  const auto bright = (frame.select(2, 0) > 128).nonzero();
  if (bright.size(0) == 0) return {};
  const auto low = std::get<0>(bright.min(0)), high = std::get<0>(bright.max(0));
  const auto y = low[0].item<double>(), x = low[1].item<double>();
  return {{x, y, high[1].item<double>() - x + 1, high[0].item<double>() - y + 1}};
}

/// Every face has this one.
MakeEstimator always(const FaceEstimator& estimator) {
  return [estimator] { return estimator; };
}

struct FaceVideo : testing::Test {
  TemporaryFolder folder;
  const fs::path video = folder.path() / "me.avi", csv = folder.path() / "out" / "poses.csv";
  training::Progress silent{nullptr};
  int estimates = 0;

  /// Yaw counts the pictures; the landmarks lie in the picture's middle.
  FaceEstimator counting = [this](const at::Tensor& picture) {
    EXPECT_THAT(picture.sizes(), ElementsAre(16, 16, 3));
    return FaceEstimate{{{1.5, static_cast<double>(estimates++), -2}}, at::full({68, 2}, 7.5)};
  };

  void write(const fs::path& path, int frames, int blank = 0) const {
    datasets::VideoWriter writer(path, 25);
    for (int n = 0; n < frames; ++n)
      writer.write(n < blank ? at::full({48, 80, 3}, 10, at::kByte) : frame_of(n));
    writer.close();
  }
  TrackedVideo track(const fs::path& source, const FaceFiles& files,
                     const datasets::WindowOptions& windows = {.sigma = 0, .margin = 2}) {
    return track_faces(source, make_causal_finder(find_square, windows), 16, always(counting),
                       files, silent);
  }
};

TEST_F(FaceVideo, GivesARowAFrameThatPoseTracksReadBack) {
  write(video, 12);
  const auto tracked = track(video, {.poses = csv, .landmarks = {}, .overlay = {}});
  EXPECT_EQ(tracked.frames, 12);
  EXPECT_EQ(tracked.with_face, 12);
  EXPECT_EQ(tracked.faces, 1);
  EXPECT_GT(tracked.seconds, 0);
  const auto tracks = datasets::read_pose_tracks(csv);
  ASSERT_EQ(tracks.size(), 1U);
  EXPECT_EQ(tracks[0].sequence, "me");
  ASSERT_EQ(tracks[0].frame.size(), 12U);
  const auto table = read_csv(csv);
  for (std::size_t n = 0; n < 12; ++n) {
    EXPECT_EQ(tracks[0].frame[n], static_cast<std::int64_t>(n));
    EXPECT_EQ(tracks[0].angle[0][n], 1.5);
    EXPECT_EQ(tracks[0].angle[1][n], static_cast<double>(n));
    EXPECT_NEAR(csv_number(table, n, table.column("x")), 20.0 + static_cast<double>(n),
                1);  // MJPG is lossy
    EXPECT_NEAR(csv_number(table, n, table.column("y")), 24, 1);
    EXPECT_NEAR(csv_number(table, n, table.column("side")), 18, 4);
  }
}

TEST_F(FaceVideo, FramesBeforeTheFirstFaceHaveEmptyCells) {
  write(video, 6, 2);
  const auto tracked = track(video, {.poses = csv,
                                     .landmarks = folder.path() / "points.csv",
                                     .overlay = folder.path() / "seen.avi"});
  EXPECT_EQ(tracked.frames, 6);
  EXPECT_EQ(tracked.with_face, 4);
  const auto track = datasets::read_pose_tracks(csv).at(0);
  EXPECT_TRUE(std::isnan(track.angle[1][0]) && std::isnan(track.angle[1][1]));
  EXPECT_EQ(track.angle[1][2], 0);
  EXPECT_EQ(read_csv(folder.path() / "points.csv").rows.at(0).at(2), "");
}

TEST_F(FaceVideo, LandmarksAreInPixelsOfTheFrame) {
  write(video, 3);
  track(video, {.poses = csv, .landmarks = folder.path() / "points.csv", .overlay = {}});
  const auto table = read_csv(folder.path() / "points.csv");
  ASSERT_EQ(table.header.size(), 2U + 136);
  EXPECT_EQ(table.header[2], "x1");
  EXPECT_EQ(table.header.back(), "y68");
  for (std::size_t n = 0; n < 3; ++n) {  // the middle of the picture is the middle of the square
    EXPECT_NEAR(csv_number(table, n, table.column("x68")), 20.0 + static_cast<double>(n), 1);
    EXPECT_NEAR(csv_number(table, n, table.column("y1")), 24, 1);
  }
  const FaceEstimator poseonly = [](const at::Tensor&) { return FaceEstimate{{{0, 0, 0}}, {}}; };
  EXPECT_THAT(
      [&] {
        track_faces(video, make_whole_frame_finder(), 16, always(poseonly),
                    {.poses = csv, .landmarks = "l.csv", .overlay = {}}, silent);
      },
      ThrowsUsageError(HasSubstr("this network gives none")));
}

TEST_F(FaceVideo, TheOverlayHasTheFramesOfTheVideoAndShowsTheAxes) {
  write(video, 8);
  const auto seen = folder.path() / "seen.avi";
  track(video, {.poses = csv, .landmarks = {}, .overlay = seen}, {.sigma = 0, .margin = 4});
  int n = 0;
  datasets::read_frames(seen, [&](const at::Tensor& frame) {
    EXPECT_THAT(frame.sizes(), ElementsAre(48, 80, 3));
    const auto pixel = frame[24][20 + n + 11].to(at::kInt);  // on the red axis, beside the square
    EXPECT_GT(pixel[0].item<int>(), pixel[1].item<int>() + 60) << n;
    ++n;
  });
  EXPECT_EQ(n, 8);
  EXPECT_NEAR(datasets::read_video_metadata(seen).rate, datasets::read_video_metadata(video).rate,
              1e-6);
}

TEST_F(FaceVideo, NoFaceAndNoVideoAreErrorsThatNameTheFileAndLeaveNothing) {
  write(video, 5, 5);
  const FaceFiles files{.poses = csv,
                        .landmarks = folder.path() / "points.csv",
                        .overlay = folder.path() / "seen.avi"};
  EXPECT_THAT([&] { track(video, files); },
              ThrowsUsageError(HasSubstr("me.avi: no face is found in any of 5 frames"),
                               HasSubstr("--face-detector")));
  write_file(folder.path() / "empty.avi", "");
  EXPECT_THAT([&] { track(folder.path() / "empty.avi", files); },
              ThrowsUsageError(HasSubstr("empty.avi")));
  EXPECT_FALSE(fs::exists(csv) || fs::exists(files.landmarks) || fs::exists(files.overlay));
  EXPECT_TRUE(fs::is_empty(csv.parent_path()));
}

// Two squares: each has its own estimator, its own rows, and the file is read back as two tracks.
TEST_F(FaceVideo, SeveralFacesAreSequencesOfTheirOwn) {
  datasets::VideoWriter writer(video, 25);
  for (int n = 0; n < 6; ++n) {
    auto frame = frame_of(n);
    if (n >= 2) frame.slice(0, 30, 42).slice(1, 60, 72).fill_(250);
    writer.write(frame);
  }
  writer.close();
  const datasets::FaceDetector two = [](const at::Tensor& frame) {
    std::vector<FaceBox> boxes = find_square(frame.slice(1, 0, 50));
    for (auto box : find_square(frame.slice(1, 50)))
      boxes.push_back({box.x + 50, box.y, box.width, box.height});
    return boxes;
  };
  int made = 0;
  const MakeEstimator make = [&made]() -> FaceEstimator {
    return [yaw = 100.0 * made++](const at::Tensor&) mutable {
      return FaceEstimate{{{0, yaw++, 0}}, {}};
    };
  };
  const auto tracked =
      track_faces(video, make_causal_finder(two, {.sigma = 0, .margin = 2}, 2), 16, make,
                  {.poses = csv, .landmarks = {}, .overlay = folder.path() / "seen.avi"}, silent);
  EXPECT_EQ(tracked.faces, 2);
  const auto tracks = datasets::read_pose_tracks(csv);
  ASSERT_EQ(tracks.size(), 2U);
  EXPECT_EQ(tracks[0].sequence, "me");
  EXPECT_EQ(tracks[1].sequence, "me-2");
  EXPECT_THAT(tracks[0].angle[1], ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(tracks[1].angle[1], ElementsAre(100, 101, 102, 103));
  EXPECT_EQ(tracks[1].frame.front(), 2);
}

// The detector sees the face once; its landmarks, where they are sure, show where it went.
TEST_F(FaceVideo, AFaceThatTheDetectorLosesIsFollowedByItsLandmarks) {
  write(video, 30);
  int frames = 0;
  const datasets::FaceDetector once = [&](const at::Tensor& frame) {
    return frames++ == 0 ? find_square(frame) : std::vector<FaceBox>{};
  };
  const auto with = [&](double confidence) -> MakeEstimator {
    return [confidence] {
      return [confidence](
                 const at::Tensor& picture) {  // the corners of the bright square in the window
        const auto bright = (picture.select(2, 0) > 128).nonzero().to(at::kDouble);
        if (bright.size(0) == 0) return FaceEstimate{{{0, 0, 0}}, at::zeros({68, 2}), 0};
        const auto low = std::get<0>(bright.min(0)).flip(0),
                   high = std::get<0>(bright.max(0)).flip(0);
        auto points = low.expand({68, 2}).clone();
        points[1].copy_(high);
        return FaceEstimate{{{0, 0, 0}}, points, confidence};
      };
    };
  };
  const auto last_x = [&](double confidence) {
    frames = 0;
    const auto tracked =
        track_faces(video, make_causal_finder(once, {.sigma = 0, .margin = 3}), 48,
                    with(confidence), {.poses = csv, .landmarks = {}, .overlay = {}}, silent);
    const auto table = read_csv(csv);
    return std::pair{tracked.with_face, table.rows.back()[table.column("x")]};
  };
  const auto [seen, x] = last_x(0.9);
  EXPECT_EQ(seen, 30);
  EXPECT_NEAR(std::stod(x), 20 + 28, 3);
  const auto [kept, lost] = last_x(0.2);
  EXPECT_EQ(kept, 16) << "the first frame, and 15 without a box";
  EXPECT_EQ(lost, "");
}

TEST_F(FaceVideo, OneFrameIsEnough) {
  write(video, 1);
  EXPECT_EQ(
      track(video, {.poses = csv, .landmarks = {}, .overlay = folder.path() / "seen.avi"}).frames,
      1);
  EXPECT_EQ(datasets::read_pose_tracks(csv).at(0).frame.size(), 1U);
  EXPECT_EQ(datasets::read_video_metadata(folder.path() / "seen.avi").frames, 1);
}

TEST_F(FaceVideo, AFolderOfPicturesIsAVideo) {
  for (const int n : {1, 2, 10})
    datasets::write_png(folder.path() / "run.7" / ("f" + std::to_string(n) + ".png"), frame_of(n));
  EXPECT_EQ(
      track(folder.path() / "run.7" / "", {.poses = csv, .landmarks = {}, .overlay = {}}).frames,
      3);
  const auto table = read_csv(csv);
  EXPECT_EQ(table.rows[0][0], "run.7");
  const double x[] = {21, 22, 30};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(csv_number(table, i, table.column("x")), x[i], 1e-9);
  datasets::write_png(folder.path() / "run.7" / "f11.png", frame_of(1).slice(0, 0, 40));
  EXPECT_THAT(
      [&] {
        track(folder.path() / "run.7",
              {.poses = csv, .landmarks = {}, .overlay = folder.path() / "seen.avi"});
      },
      ThrowsUsageError(HasSubstr("80 x 40 pixels, the first 80 x 48")));
}

TEST_F(FaceVideo, WholeFramesAndKnownWindowsNeedNoDetector) {
  write(video, 3);
  track_faces(video, make_whole_frame_finder(), 16, always(counting),
              {.poses = csv, .landmarks = {}, .overlay = {}}, silent);
  const auto table = read_csv(csv);
  EXPECT_EQ(table.rows[2][table.column("x")], "39.5");
  EXPECT_EQ(table.rows[2][table.column("side")], "48");
  const auto windows = datasets::find_face_windows(video, find_square, {.sigma = 2, .margin = 2});
  EXPECT_EQ(track_faces(video, make_replay_finder(windows), 16, always(counting),
                        {.poses = csv, .landmarks = {}, .overlay = {}}, silent)
                .with_face,
            3);
  EXPECT_THAT(
      [&] {
        track_faces(video, make_replay_finder({{9, 9, 9}}), 16, always(counting),
                    {.poses = csv, .landmarks = {}, .overlay = {}}, silent);
      },
      ThrowsError(HasSubstr("more frames than the 1")));
}

TEST_F(FaceVideo, AFilterBehindTheNetworkGivesWhatItGivesForTheWholeTrack) {
  write(video, 9);
  const std::vector<double> truth{4, 9, 2, 8, 3, 3, 9, 1, 5};
  std::size_t t = 0;
  const FaceEstimator noisy = [&](const at::Tensor&) {
    return FaceEstimate{{{truth[t], -truth[t], truth[t++]}}, {}};
  };
  const baselines::AngleNoise noise{.q = 0.2, .r = 3};
  const baselines::TrackerOptions options{.motion = baselines::Motion::ConstantVelocity,
                                          .noise = noise};
  const auto& kalman = find_named(baselines::trackers(), "tracker", "kalman");
  std::shared_ptr<training::Tracker> filter =
      baselines::make_tracker(kalman, {options, options, options});
  track_faces(video, make_whole_frame_finder(), 16, always(filter_poses(noisy, filter)),
              {.poses = csv, .landmarks = {}, .overlay = {}}, silent);
  const auto expected =
      baselines::track_angle(baselines::Motion::ConstantVelocity, noise, truth).angle;
  const auto track = datasets::read_pose_tracks(csv).at(0);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_EQ(track.angle[0][i], expected[i]);
    EXPECT_EQ(track.angle[1][i], -expected[i]);
  }
}

// 900 frames of 640 x 480 are 830 MB; what a video takes does not grow with its length.
TEST_F(FaceVideo, SlowMemoryDoesNotGrowWithTheVideo) {
  datasets::VideoWriter writer(video, 25);
  const auto frame = at::full({480, 640, 3}, 100, at::kByte);
  for (int n = 0; n < 900; ++n) writer.write(frame);
  writer.close();
  const MemoryLimit limit(std::int64_t{500} << 20);
  EXPECT_EQ(
      track_faces(video, make_whole_frame_finder(), 16, always(counting),
                  {.poses = csv, .landmarks = {}, .overlay = folder.path() / "seen.avi"}, silent)
          .frames,
      900);
}

Answer run_track(std::vector<std::string> words) {
  words.insert(words.begin(), "track");
  return call(words);
}

TEST_F(FaceVideo, WrongUseOfTheCommandIsNamedBeforeAnythingIsRead) {
  write(video, 1);
  write_file(folder.path() / "none.safetensors", "no network");
  const std::string none = folder.path() / "none.safetensors", out = csv;
  const auto refused = [&](std::vector<std::string> words, const std::string& problem,
                           const std::string& fix) {
    for (const auto& word : {std::string("--out"), out}) words.push_back(word);
    const auto answer = run_track(words);
    EXPECT_EQ(answer.status, wrong_use) << problem;
    EXPECT_THAT(answer.err, AllOf(HasSubstr(problem), HasSubstr(fix)));
  };
  refused({"--method", "rnn"}, "neither --measurements nor --video", "one of them");
  refused({"--method", "rnn", "--video", video, "--measurements", folder.path()},
          "both --measurements and --video", "one of them");
  refused({"--method", "rnn", "--video", video}, "--video needs --network", ".safetensors");
  refused({"--method", "rmn", "--video", video, "--network", none}, "rmn", "did you mean 'rnn'");
  refused({"--method", "smoother", "--video", video, "--network", none}, "is not causal",
          "--measurements");
  refused({"--method", "kalman", "--video", video, "--network", none, "--set", "q=1"},
          "cannot estimate its noise", "--set q=");
  refused({"--method", "cnn", "--video", folder.path() / "no.avi", "--network", none},
          "no.avi: there is no such video", "a folder of pictures");
  refused({"--method", "cnn", "--video", video, "--network", none, "--overlay", "a.mov"}, "a.mov",
          ".avi or .mp4");
  refused({"--method", "cnn", "--video", video, "--network", none, "--overlay", video},
          "is an input of this command", "another file");
  refused({"--method", "cnn", "--video", video, "--network", none}, "none.safetensors", "");
  refused({"--method", "kalman", "--measurements", "m.csv", "--overlay", "a.avi"},
          "options of --video", "--video");
  write_file(folder.path() / "m.csv", "sequence,frame,pitch,yaw,roll\na,0,1,2,3\n");
  refused({"--method", "rnn", "--measurements", folder.path() / "m.csv", "--set", "q=1", "--set",
           "r=1"},
          "unknown tracker 'rnn'", "kalman");
  EXPECT_FALSE(fs::exists(csv));
}

}  // namespace
}  // namespace reprise::reproduce
