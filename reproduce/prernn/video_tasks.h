// Classification tasks of the document: hand gestures (colour and depth) and actions (colour and
// optical flow).
//
// A clip has one class and two modalities, each with its own network. Kinds of networks:
// - fc ends in fc6, fc7 and an output layer.
// - conv ends in a convolution, global average pooling and an output layer.
// - 3d is as fc, with 3-D convolutions. Its steps are overlapping snippets of the clip.
//
// The cells of one seed, in order:
// - clips/DATASET/clips generates or reads the clips.
// - networks_KIND/DATASET/cnn trains both networks on single frames (or snippets), and applies
//   their frozen trunks to all clips once.
// - search_KIND/DATASET/METHOD+lr=RATE chooses learning rates per method and modality, on the
//   validation split of seed 0.
// - TASK_KIND/DATASET/METHOD trains and measures a method.
// - selection/DATASET/CELL_KIND does so for the layers that a rule chooses (selection.h).
//
// The score of a clip is the mean softmax output over its steps. Late fusion is the mean score of
// both modalities. Accuracy is the fraction of test clips whose class has the highest score.
#pragma once
#include <string>
#include <vector>

#include "datasets/clips.h"
#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "reproduce/prernn/tables.h"

namespace reprise::reproduce::prernn_study {

/// Clips of all parts.
struct VideoParts {
  datasets::LabelledClips train, validation, test;
};
/// Generates or reads the clips of one seed. Generated: no person is in two parts. Recorded: the
/// set's own split if it has one, with validation split off training. Each part has at most
/// videos.training, videos.validation or videos.test clips.
VideoParts make_video_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                            const DataFolder& data);

/// Generates more clips of the training people for the networks of one kind, like pre-training on a
/// larger image set.
datasets::LabelledClips make_network_clips(const std::string& dataset, NetworkKind kind,
                                           std::int64_t seed, const Settings& settings);

/// Returns the frames of a modality, [N, T, C, H, W] uint8.
at::Tensor modality_frames(const datasets::LabelledClips& clips, const std::string& modality);

/// Returns 1 for depth, 3 for colour and flow.
std::int64_t modality_channels(const std::string& modality);
/// Creates an untrained network for one modality. A published one of the settings (vgg16, resnet50,
/// c3d) has its weights from `data` in all layers but the last. UsageError: these are missing.
models::Backbone video_network(NetworkKind kind, std::int64_t channels, std::int64_t classes,
                               const Settings& settings, const DataFolder& data, Random& random);

/// Returns whether a trunk is a name of models/backbones/known_backbones.h ("vgg16"), not a
/// description of a small trunk.
bool is_published(const std::string& trunk);

/// Makes the steps of a network from frames [N, T, C, H, W]: the frames, or snippets [N, T /
/// videos.snippet_stride, C, videos.snippet, H, W].
at::Tensor make_steps(const at::Tensor& frames, NetworkKind kind, const Settings& settings);

/// Normalises steps [M, C, ...] uint8 to float32: centred and scaled for small networks, as in
/// training for published ones.
at::Tensor video_input(const at::Tensor& steps, const std::string& trunk);

/// Features and classes of one part of the clips for one network.
struct VideoFeatures {
  at::Tensor x;       ///< [N, T, ...] float32
  at::Tensor labels;  ///< [N] int64
};
struct VideoFeatureSets {
  VideoFeatures train, validation, test;
};

void run_video_clips(CellContext& context);     ///< table clips
void run_video_networks(CellContext& context);  ///< tables networks_KIND
void run_video_method(CellContext& context);    ///< tables search_KIND and TASK_KIND

VideoFeatureSets read_video_features(const std::filesystem::path& folder,
                                     const std::string& modality);
/// Read the names of classes, and of test clips, from the folder of a cell of table clips.
std::vector<std::string> read_classes(const std::filesystem::path& folder);
std::vector<std::string> read_test_items(const std::filesystem::path& folder);

/// Applies a network to all clips in batches: outputs [N, T, K] -> scores [N, K].
at::Tensor clip_scores(training::SequenceNetwork& network, const at::Tensor& x);
/// Returns the mean over clips of -log(score of the true class).
double clip_loss(const at::Tensor& scores, const at::Tensor& labels);

}  // namespace reprise::reproduce::prernn_study
