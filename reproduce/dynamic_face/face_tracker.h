// Tracker of one face by a trained network of study dynamic_face, as `reprise track` runs it on
// videos.
//
// The file is safetensors. "trunk.*" is the per-frame network; "network.*" is the recurrent network
// behind its trunk, absent for a per-frame method. The metadata state the method and the settings
// that built it. Cells of the shown seeds (experiments/resampling.h) write one as
// tracker.safetensors.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "datasets/transforms/face_windows.h"
#include "models/backbones/backbone.h"
#include "reproduce/dynamic_face/methods.h"
#include "training/sequence_network.h"
#include "training/tracker.h"

namespace reprise::reproduce {

class FaceTracker : public training::Tracker {
 public:
  /// Loads a tracker. UsageError: another kind of file; weights that do not fit its settings.
  explicit FaceTracker(const std::filesystem::path& file);

  std::int64_t side() const { return side_; }  ///< side of the square input window, pixels
  /// Position of the input window relative to the box of a face's landmarks, as the network was
  /// trained.
  const datasets::WindowOptions& window() const { return window_; }
  bool gives_pose() const;
  bool gives_landmarks() const;
  bool recurrent() const { return network_ != nullptr; }  ///< false: frames are independent
  const std::string& title() const { return method_->info.title; }

  /// Estimates the face in the next frame. picture: uint8 [side, side, 3], RGB. Returns the values
  /// of gives_pose() and gives_landmarks(), one after the other:
  /// - pose: [3], pitch, yaw and roll in degrees.
  /// - landmarks: [136], x and y of each point in pixels of the window.
  /// UsageError: another shape or type.
  at::Tensor next(const at::Tensor& picture) override;
  /// Returns the confidence in a picture, from 0 to 1: how far the per-frame network agrees on the
  /// picture and its mirror image. The confidence is 1 / (1 + (d / d0)^2).
  /// - With landmarks, d is their mean distance over the diagonal of their box, and d0 = 0.04.
  /// - Otherwise d is the mean difference of the angles, and d0 = 8 degrees.
  double confidence(const at::Tensor& picture);
  /// Starts a new face.
  void restart() override;
  at::Tensor track(const at::Tensor& pictures) override;

  struct Estimate {
    std::optional<std::array<double, 3>> pose;  ///< pitch, yaw, roll; degrees
    std::optional<at::Tensor> landmarks;        ///< [68, 2], pixels of the window
  };
  /// Splits an estimate of next() into pose and landmarks.
  Estimate split_estimate(const at::Tensor& estimate) const;

 private:
  at::Tensor outputs(const at::Tensor& picture);
  const dynamic_face_study::Method* method_;
  std::int64_t side_;
  datasets::WindowOptions window_;
  models::Backbone trunk_{nullptr};
  std::unique_ptr<training::SequenceNetwork> network_;  ///< null: frames are independent
};

namespace dynamic_face_study {

/// Window of rendered heads (datasets/generators/synhead.h) relative to the box of their landmarks.
/// Source: medians over 24 sequences.
inline constexpr datasets::WindowOptions rendered_window{
    .margin = 2.29, .right = -0.03, .down = -0.52};

/// Writes a tracker file. network: null for a per-frame method.
void write_tracker(const std::filesystem::path& file, const Method& method,
                   const Settings& settings, const torch::nn::Module& trunk,
                   const torch::nn::Module* network,
                   const datasets::WindowOptions& window = rendered_window);

}  // namespace dynamic_face_study
}  // namespace reprise::reproduce
