// A trained network of study dynamic_face that follows one face from frame to frame: what `reprise
// track` runs on videos.
//
// The file is safetensors: "trunk.*" the per-frame network, "network.*" the recurrent one behind
// its trunk (none for a per-frame method); its metadata say which method it is and by which
// settings it was built. The study's cells of seed 0, and of the first seed that confirms, leave
// one as tracker.safetensors.
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
  /// UsageError: not a file of this kind; weights that do not fit its own settings.
  explicit FaceTracker(const std::filesystem::path& file);

  std::int64_t side() const { return side_; }  ///< pixels of the square window that it takes
  /// Where that window lies, for the box of a face's landmarks: margin, right and down as the
  /// network learned them.
  const datasets::WindowOptions& window() const { return window_; }
  bool gives_pose() const;
  bool gives_landmarks() const;
  bool recurrent() const { return network_ != nullptr; }  ///< false: every frame on its own
  const std::string& title() const { return method_->info.title; }

  /// The face in the frame that follows the one before. picture: uint8 [side, side, 3], RGB -> [3],
  /// [136] or [139]: pose (pitch, yaw, roll; degrees), landmarks (x0, y0, ...; pixels of the
  /// window), or both, as far as the network gives them. UsageError: another shape or type.
  at::Tensor next(const at::Tensor& picture) override;
  /// How far the per-frame network, without its recurrence, agrees with itself on the picture and
  /// on its mirror image, 0 to 1:
  ///     1 / (1 + (d / d0)^2),   d the landmarks' mean distance over their box's diagonal, d0 = 0.04; without landmarks the mean difference
  ///                             of the angles, d0 = 8 degrees
  double confidence(const at::Tensor& picture);
  /// The next frame is of another face.
  void restart() override;
  at::Tensor track(const at::Tensor& pictures) override;

  struct Estimate {
    std::optional<std::array<double, 3>> pose;  ///< pitch, yaw, roll; degrees
    std::optional<at::Tensor> landmarks;        ///< [68, 2], pixels of the window
  };
  /// An estimate of next() by its parts.
  Estimate parts_of(const at::Tensor& estimate) const;

 private:
  at::Tensor outputs(const at::Tensor& picture);
  const dynamic_face_study::Method* method_;
  std::int64_t side_;
  datasets::WindowOptions window_;
  models::Backbone trunk_{nullptr};
  std::unique_ptr<training::SequenceNetwork> network_;  ///< none: every frame on its own
};

namespace dynamic_face_study {

/// The window that rendered heads fill (datasets/generators/synhead.h) for the box of their
/// landmarks: medians over 24 sequences.
inline constexpr datasets::WindowOptions rendered_window{
    .margin = 2.29, .right = -0.03, .down = -0.52};

/// network: none for a per-frame method.
void write_tracker(const std::filesystem::path& file, const Method& method,
                   const Settings& settings, const torch::nn::Module& trunk,
                   const torch::nn::Module* network,
                   const datasets::WindowOptions& window = rendered_window);

}  // namespace dynamic_face_study
}  // namespace reprise::reproduce
