// All steps of the full-size run in small: from VGG16's weights and 300-VW's videos to a row of
// table 1.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include "datasets/readers/pts.h"
#include "datasets/scene/synthetic_head.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/faces.h"
#include "reproduce/prernn/study.h"
#include "tests/datasets/pts_text.h"
#include "tests/reproduce/run_cells.h"
#include "tests/reproduce/small_vgg16.h"
#include "tests/support.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::prernn_study {
namespace {

using testing::HasSubstr;

constexpr int videos_written = 8, frames_written = 9, pixels = 96;

/// Writes moving heads in the layout of 300-VW: NNN/vid.avi and NNN/annot/FFFFFF.pts.
void write_videos(const std::filesystem::path& folder) {
  for (int v = 0; v < videos_written; ++v) {
    const auto clip = datasets::render_head_clips(1, frames_written, pixels, {v}, 5);
    const auto here = folder / fmt::format("{:03d}", v);
    std::filesystem::create_directories(here / "annot");
    cv::VideoWriter writer((here / "vid.avi").string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'),
                           25, {pixels, pixels});
    ASSERT_TRUE(writer.isOpened());
    for (int f = 0; f < frames_written; ++f) {
      auto image = clip.images[0][f].contiguous();
      cv::Mat bgr;
      cv::cvtColor(cv::Mat(pixels, pixels, CV_8UC3, image.data_ptr()), bgr, cv::COLOR_RGB2BGR);
      writer.write(bgr);
      write_file(here / "annot" / fmt::format("{:06d}.pts", f + 1),
                 datasets::pts_text(clip.landmarks[0][f]));
    }
  }
}

Settings small_paper() {
  auto settings = profile_settings(prernn(), "paper");
  for (const auto* value :
       {"seeds=1", "image.size=16", "camera.frames=4", "clips.training=8", "clips.validation=2",
        "clips.test=2", "cnn.trunk=4 p 8 p", "cnn.width=6", "cnn.epochs=1", "cnn.frames_an_epoch=8",
        "cnn.batch=8", "cnn.validation_frames=4", "sequence.epochs=1", "sequence.batch=4",
        "search.epochs=1", "search.learning_rates=[1e-3]", "stills.split=[0.5, 0.25, 0.25]",
        "gestures.datasets=[]", "actions.datasets=[]"})
    settings.set(value);
  return settings;
}

TEST(PaperProfile, GoesFromWeightsAndVideosToARowOfTheTableSlow) {
  const TemporaryFolder folder;
  const auto data = folder.path() / "data";
  write_videos(data / "300vw");
  weights::write_safetensors(data / "vgg16.safetensors", small_vgg16());
  CellsInProcess cells(prernn(), small_paper(), data);
  const auto row = cells("table1/300vw/sih_gru_fc6/seed0");
  ASSERT_TRUE(row.metric("auc"));
  const auto auc = std::find_if(row.metrics.begin(), row.metrics.end(),
                                [](const auto& metric) { return metric.name == "auc"; });
  EXPECT_THAT(auc->protocol, HasSubstr("300vw"));
  EXPECT_EQ(cells("features/300vw/cnn/seed0").parameters.at("clips_test"),
            4);  // two videos of nine frames: two clips of four each
}

TEST(PaperProfile, BurstsAreConsecutiveFramesOfOneVideoCutAlikeSlow) {
  const TemporaryFolder folder;
  write_videos(folder.path() / "300vw");
  const auto faces = load_faces(video_faces, small_paper(), folder.path(), 0);
  EXPECT_EQ(faces.train.burst_length, 4);
  ASSERT_EQ(faces.train.burst_frames.size(),
            4U * 2 * 4);  // four videos, two clips each, four frames
  EXPECT_EQ(faces.train.burst_landmarks.size(0), 32);
  EXPECT_EQ(faces.validation.burst_frames.size() + faces.test.burst_frames.size(), 32U);
  // what moves within a clip is the head: slowly from frame to frame
  const auto moved =
      (faces.train.burst_landmarks[1] - faces.train.burst_landmarks[0]).abs().max().item<double>();
  EXPECT_GT(moved, 0);
  EXPECT_LT(moved, 40);
}

}  // namespace
}  // namespace reprise::reproduce::prernn_study
