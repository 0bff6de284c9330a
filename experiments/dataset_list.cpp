#include "experiments/dataset_list.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/random.h"
#include "core/text.h"
#include "datasets/generators/digits.h"
#include "datasets/generators/faces_in_motion.h"
#include "datasets/generators/gestures.h"
#include "datasets/generators/landscapes.h"
#include "datasets/generators/moving_shapes.h"
#include "datasets/generators/shape_motion.h"
#include "datasets/generators/street_digits.h"
#include "datasets/generators/walkers.h"
#include "datasets/readers/action_videos.h"
#include "datasets/readers/aligned_pairs.h"
#include "datasets/readers/biwi.h"
#include "datasets/readers/day_night.h"
#include "datasets/readers/faces_300w.h"
#include "datasets/readers/mnist.h"
#include "datasets/readers/nvgesture.h"
#include "datasets/readers/photos.h"
#include "datasets/readers/spoken_digits.h"
#include "datasets/readers/svhn.h"
#include "datasets/readers/synhead_files.h"
#include "datasets/readers/usps.h"
#include "datasets/readers/vw300.h"
#include "datasets/readers/ytf_keypoints.h"
#include "datasets/scene/synthetic_head.h"
#include "datasets/splits.h"
#include "experiments/names.h"

namespace reprise::reproduce {
namespace {

using datasets::LandmarkFrames;
namespace fs = std::filesystem;

std::vector<std::int64_t> list_people(const MakeOptions& options) {
  // `who` names the people, so that a split can draw its own; `people` is only their number.
  return options.who ? *options.who : datasets::count_up(std::max<std::int64_t>(options.people, 1));
}

datasets::HeadStills render_stills(std::int64_t count, const MakeOptions& options) {
  return datasets::render_head_stills(count, static_cast<int>(options.size), list_people(options),
                                      options.seed);
}

std::string person_name(const datasets::HeadStills& stills, std::int64_t i) {
  return fmt::format("person{:03}", stills.identity[i].item<std::int64_t>());
}

LandmarkFrames make_heads(const MakeOptions& options) {
  const auto stills = render_stills(options.count, options);
  LandmarkFrames frames;
  frames.images = stills.images.unbind();
  frames.landmarks = stills.landmarks;
  for (std::int64_t i = 0; i < options.count; ++i) {
    frames.person.push_back(person_name(stills, i));
    frames.item.push_back(fmt::format("{}/{:06}", frames.person.back(), i));
  }
  return frames;
}

/// Makes one clip per still. The items are the frames of the clips.
LandmarkFrames make_motion(const MakeOptions& options) {
  const auto stills = render_stills(options.count, options);
  std::vector<std::vector<std::int64_t>> runs;
  for (std::int64_t i = 0; i < options.count; ++i) runs.push_back({i});
  datasets::MotionOptions motion;
  // All other options of the motion keep their defaults.
  motion.frames = options.frames;
  motion.size = options.size;
  const auto clips = datasets::generate_face_motion(stills.images.unbind(), stills.landmarks, runs,
                                                    motion, Random(options.seed));
  LandmarkFrames frames;
  frames.landmarks = clips.landmarks.reshape({-1, datasets::face_points, 2});
  for (std::int64_t i = 0; i < options.count; ++i)
    for (std::int64_t t = 0; t < options.frames; ++t) {
      frames.images.push_back(clips.frames[i][t]);
      frames.person.push_back(person_name(stills, i));
      frames.item.push_back(fmt::format("{}/clip{:06}/{:03}", frames.person.back(), i, t));
    }
  return frames;
}

datasets::LabelledClips make_gestures(const MakeOptions& options) {
  return datasets::generate_gestures(options.count, options.frames, static_cast<int>(options.size),
                                     list_people(options), options.seed);
}

datasets::LabelledClips make_walkers(const MakeOptions& options) {
  return datasets::generate_walkers(options.count, options.frames, static_cast<int>(options.size),
                                    list_people(options), options.seed, options.flow);
}

datasets::LabelledClips make_moving_shapes(const MakeOptions& options) {
  return datasets::generate_moving_shapes(options.count, options.frames,
                                          static_cast<int>(options.size), options.seed);
}

datasets::LabelledClips make_shape_motion(const MakeOptions& options) {
  return datasets::generate_shape_motion(
             options.count, {.frames = options.frames, .size = static_cast<int>(options.size)},
             options.seed)
      .clips;
}

datasets::Pictures make_written(const MakeOptions& options) {
  return datasets::draw_digits(options.count, static_cast<int>(options.size), options.seed);
}

datasets::Pictures make_street(const MakeOptions& options) {
  return datasets::draw_street_digits(options.count, static_cast<int>(options.size), options.seed);
}

datasets::Pictures make_landscapes(const MakeOptions& options) {
  return datasets::draw_landscapes(options.count, options.size, options.size, options.seed);
}

}  // namespace

const std::vector<NamedDataset>& dataset_list() {
  static const std::vector<NamedDataset> all = {
      // Recorded landmarks and poses.
      {.name = "faces_300w",
       .description = "photographs with 68 landmarks a face, 300-W layout (.pts next to the image)",
       .read = [](const fs::path& folder) { return datasets::read_faces_300w(folder); },
       .verify = datasets::verify_faces_300w},
      {.name = "ytf_keypoints",
       .description =
           "video frames with 68 landmarks, three-frame bursts (training_frames_keypoints.csv and training/)",
       .licence = "YouTube Faces, for research only",
       .read = [](const fs::path& folder) { return datasets::read_ytf_keypoints(folder).frames; },
       .verify = datasets::verify_ytf_keypoints},
      {.name = "300vw",
       .description =
           "videos with 68 landmarks a frame, 300-VW (NNN/vid.avi and NNN/annot/000001.pts)",
       .title = "300-VW",
       .verify = datasets::verify_vw300},
      {.name = "biwi",
       .description =
           "videos with head poses, BIWI Kinect (NN/frame_XXXXX_rgb.png, frame_XXXXX_pose.txt, rgb.cal)",
       .verify = datasets::verify_biwi},
      {.name = "synhead_files",
       .description =
           "videos with head poses, SynHead or any other (SEQUENCE/NAME.csv: frame,pitch,yaw,roll; SEQUENCE/000001.png)",
       .verify = datasets::verify_synhead_files},
      // Recorded videos with a class.
      {.name = "nvgesture",
       .description =
           "hand gestures, colour and depth (nvgesture_{train,test}_correct_cvpr2016_v2.lst and Video_data/class_NN/subjectMM_rK/)",
       .title = "NVGesture",
       .verify = datasets::verify_nvgesture,
       .read_videos = datasets::read_nvgesture},
      {.name = "ucf101",
       .description =
           "actions (CLASS/v_CLASS_gGG_cCC.avi, classInd.txt, trainlist01.txt, testlist01.txt; UCF-101/ and ucfTrainTestlist/ too)",
       .title = "UCF101",
       .verify = datasets::verify_ucf101,
       .read_videos = [](const fs::path& folder) { return datasets::read_ucf101(folder); }},
      {.name = "hmdb51",
       .description =
           "actions (CLASS/NAME.avi, CLASS_test_split1.txt; testTrainMulti_7030_splits/ too)",
       .title = "HMDB51",
       .verify = datasets::verify_hmdb51,
       .read_videos = [](const fs::path& folder) { return datasets::read_hmdb51(folder); }},
      {.name = "video_folders",
       .description =
           "any videos, one folder a class (CLASS/NAME.avi, .mp4, .mkv, .mov, ...; or strips, .png)",
       .title = "videos",
       .verify = datasets::verify_video_folders,
       .read_videos = datasets::read_video_folders},
      {.name = "weizmann",
       .description =
           "actions, videos side by side (PERSON_ACTION.avi, as daria_walk.avi or lena_run2.avi)",
       .title = "Weizmann",
       .verify = datasets::verify_weizmann,
       .read_videos = datasets::read_weizmann},
      {.name = "mug",
       .description =
           "facial expressions, a picture a frame (PERSON/EXPRESSION/TAKE/img_0000.jpg; subjects3/ too)",
       .title = "MUG",
       .verify = datasets::verify_mug,
       .read_videos = datasets::read_mug},
      {.name = "shapes",
       .description =
           "shape-motion videos (CLASS/NAME.png: square frames side by side or below one another)",
       .title = "videos of moving shapes",
       .licence = "videos of moving shapes by the authors of MoCoGAN, for research only",
       .verify = datasets::verify_shape_motion,
       .read_videos = datasets::read_shape_motion},
      // Recorded pictures.
      {.name = "mnist",
       .description =
           "written digits (train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-...; or those with .gz)",
       .title = "MNIST",
       .licence = "MNIST (LeCun, Cortes, Burges), CC BY-SA 3.0",
       .verify = datasets::verify_mnist,
       .read_pictures = datasets::read_mnist},
      {.name = "usps",
       .description =
           "written digits of 16 x 16 pixels, LIBSVM's layout (usps, usps.t; or those with .bz2)",
       .title = "USPS",
       .licence = "USPS (Hull 1994), no licence stated",
       .verify = datasets::verify_usps,
       .read_pictures = datasets::read_usps},
      {.name = "svhn",
       .description =
           "digits of house numbers, cropped (train_32x32.mat, test_32x32.mat, extra_32x32.mat)",
       .title = "SVHN",
       .verify = datasets::verify_svhn,
       .read_pictures = datasets::read_svhn},
      {.name = "maps",
       .description =
           "pictures from the air and their maps, side by side in one file, as pix2pix has them (train/1.jpg, val/1.jpg)",
       .verify = datasets::verify_aligned_pairs},
      {.name = "photos",
       .description = "photographs of any size, in any depth of folders (.jpg, .png, .webp, ...)",
       .verify = datasets::verify_photos},
      {.name = "day_night",
       .description = "landscapes by day and by night (day/NAME.jpg, night/NAME.jpg)",
       .title = "day and night",
       .licence = "webcam photographs of a public course exercise, MIT licence",
       .verify = datasets::verify_day_night},
      // Recorded sound.
      {.name = "fsdd",
       .description = "spoken digits, 8 kHz (DIGIT_SPEAKER_INDEX.wav; recordings/ too)",
       .licence = "Free Spoken Digit Dataset, CC BY-SA 4.0",
       .verify = datasets::verify_spoken_digits},
      // Generated data. Their licence is the common note of generated data.
      {.name = "synthetic_head",
       .description = "generated: a 3-D head with exact pose and landmarks",
       .make = make_heads},
      {.name = "faces_in_motion",
       .description =
           "generated: a virtual camera over a generated head; frames are hidden, dark, blurred, out of focus",
       .make = make_motion},
      {.name = "gestures",
       .description = "generated: twelve hand gestures, colour and depth",
       .title = "generated gestures",
       .make_clips = make_gestures},
      {.name = "walkers",
       .description = "generated: ten actions of a walking figure, colour and optical flow",
       .title = "generated actions",
       .make_clips = make_walkers},
      {.name = "moving_shapes",
       .description = "generated: a disc or square that moves to and fro",
       .make_clips = make_moving_shapes},
      {.name = "shape_motion",
       .description = "generated: a disc or square that crosses the picture along a curve",
       .title = "shape motion",
       .make_clips = make_shape_motion},
      {.name = "written",
       .description = "generated: digits of pen strokes, gray",
       .title = "written digits (generated)",
       .make_pictures = make_written},
      {.name = "street",
       .description = "generated: printed digits in colour, as on house numbers",
       .title = "street digits (generated)",
       .licence = std::string("street digits ") + generated_data,
       .make_pictures = make_street},
      {.name = "landscapes",
       .description = "generated: hills and meadows by day and by night",
       .title = "generated landscapes",
       .classes = {"day", "night"},
       .make_pictures = make_landscapes},
  };
  return all;
}

const NamedDataset& dataset_named(const std::string& name) {
  return find_named(dataset_list(), "data set", name);
}

const std::string& dataset_title(const std::string& name) {
  const auto& set = dataset_named(name);
  // Names of data sets without a title are readable themselves.
  return set.title.empty() ? set.name : set.title;
}

std::string join_licences(const std::vector<std::string>& names) {
  std::vector<std::string> notes;
  for (const auto& name : names) {
    const auto& set = dataset_named(name);
    // Generated data sets have a common note; recorded ones without a licence have none.
    const auto note = set.licence.empty() && !set.is_recorded() ? generated_data : set.licence;
    if (!note.empty()) notes.push_back(note);
  }
  return join(notes, "; ");
}

void need_datasets(const std::vector<std::string>& names, const DataFolder& data,
                   const std::string& instead) {
  for (const auto& name : names)
    if (const auto& set = dataset_named(name); set.is_recorded())
      // Generated data sets are always present.
      data.need(name, set.description, instead);
}

}  // namespace reprise::reproduce
