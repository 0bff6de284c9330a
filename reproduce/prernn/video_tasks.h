// The document's two classification tasks: dynamic hand gestures (colour and depth) and actions
// (colour and optical flow).
//
// A clip has one class and is seen in two modalities, each by a network of its own. The networks
// are of three kinds: "fc" ends in fc6, fc7 and an output layer; "conv" in a last convolution,
// global average pooling and an output layer; "3d" is fc of 3-D convolutions, and sees overlapping
// snippets of the clip as its steps.
//
// The cells of one replicate (seed), in order:
//     clips/DATASET/clips -> networks_KIND/DATASET/cnn -> TASK_KIND/DATASET/METHOD, and selection/DATASET/CELL_KIND
// networks_KIND trains both networks on single frames (or snippets) and passes all clips through
// their frozen trunks, once. search_KIND/DATASET/METHOD+lr=RATE, on seed 0's validation split,
// chooses each method's learning rate for each modality.
//
// The score of a clip is the mean over its steps of the softmax of the network's outputs; both
// modalities together ("late fusion") score the mean of their two scores. Accuracy: the share of
// test clips whose class has the highest score.
#pragma once
#include <string>
#include <vector>

#include "datasets/clips.h"
#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "reproduce/prernn/tables.h"

namespace reprise::reproduce::prernn_study {

struct VideoParts {
  datasets::LabelledClips train, validation, test;
};
/// The clips of one replicate: generated ones of people that no two parts share; of real sets their
/// own split where they have one, with validation split off training, and at most as many clips a
/// part as videos.training, videos.validation and videos.test.
VideoParts make_video_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                            const DataFolder& data);

/// Of a generated set more clips of the training people, for the networks alone, as one trains on a
/// larger set of images before. Drawn anew for each network kind.
datasets::LabelledClips make_network_clips(const std::string& dataset, NetworkKind kind,
                                           std::int64_t seed, const Settings& settings);

/// The frames of a modality, [N, T, C, H, W] uint8.
at::Tensor frames_of(const datasets::LabelledClips& clips, const std::string& modality);

/// 1 for depth, 3 for colour and flow.
std::int64_t channels_of(const std::string& modality);
/// An untrained network for one modality; where the settings name a published one (vgg16, resnet50,
/// c3d), with its weights from `data` in all layers but the last. UsageError: these are missing.
models::Backbone video_network(NetworkKind kind, std::int64_t channels, std::int64_t classes,
                               const Settings& settings, const DataFolder& data, Random& random);

/// "vgg16", ...: a name of models/backbones/known_backbones.h, not a description of a small trunk.
bool is_published(const std::string& trunk);

/// What a network of this kind takes as its steps: frames [N, T, C, H, W] themselves, or snippets
/// [N, T / videos.snippet_stride, C, videos.snippet, H, W].
at::Tensor steps_of(const at::Tensor& frames, NetworkKind kind, const Settings& settings);

/// steps, uint8 [M, C, ...] -> network input, float32: of small networks centred and scaled; of
/// published ones as they were trained.
at::Tensor video_input(const at::Tensor& steps, const std::string& trunk);

/// Features of one part of the clips for one network, and their classes.
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
/// Names of the classes, and of the test clips, as the cell of table clips left them in its folder.
std::vector<std::string> read_classes(const std::filesystem::path& folder);
std::vector<std::string> read_test_items(const std::filesystem::path& folder);

/// Outputs [N, T, K] of a network on all clips -> scores [N, K], in inference mode, in pieces.
at::Tensor clip_scores(training::SequenceNetwork& network, const at::Tensor& x);
/// Mean over clips of -log(score of the true class).
double clip_loss(const at::Tensor& scores, const at::Tensor& labels);

}  // namespace reprise::reproduce::prernn_study
