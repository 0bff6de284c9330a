// VGAN and TGAN as methods (training/generator.h): generators of clips of one length T. Their
// single discriminator strides in space and time alike. Of longer examples it sees T consecutive
// frames.
//
//     VGAN     minimax loss; G also minimises weight_of_mask times the mean of |m|, so that the
//              foreground is used only where needed. Adam
//    TGAN     Wasserstein loss; D's singular values are clipped to 1 every clip_every-th step of D.
//              RMSprop
// Sources: baselines/adversarial/clip_networks.h.
#pragma once
#include <memory>

#include "baselines/adversarial/clip_networks.h"
#include "models/adversarial/video_gan.h"

namespace reprise::baselines {

struct ClipGanOptions {
  ClipNetworkKind kind = ClipNetworkKind::Vgan;
  std::int64_t width_G = 64, width_D = 64, d_z = 100;
  std::int64_t temporal_width = 0;  ///< width of TGAN's G_0: baselines/adversarial/clip_networks.h
  std::int64_t depth_G = 0;  ///< depth of G's decoders, as grid_G: models/adversarial/decoder.h
  bool grid_G = false;
  /// Frames of a clip; 0: as many as the examples have, all of which then count.
  std::int64_t T = 0;
  double weight_of_mask = 0.1;
  std::int64_t clip_every = 5;
  std::int64_t batch = 64;
  /// fit() sets its seed, and for TGAN its loss.
  training::AdversarialOptions training = {};
};

class ClipGan : public training::AdversarialGenerator {
 public:
  explicit ClipGan(ClipGanOptions options) : options_(std::move(options)) {}
  /// UsageError: as require_clips(); clips or sizes that the network does not allow (named).
  void fit(const training::Examples& examples, std::uint64_t seed,
           training::Progress& progress) override;
  /// UsageError: another number of frames than T.
  at::Tensor sample(const training::SampleRequest& request) override;

  const models::VideoDiscriminators& discriminators() const { return D_; }

 private:
  training::GanTask make_task(const training::Examples& examples);
  ClipGanOptions options_;
  ClipNetworkOptions sizes_;
  std::shared_ptr<ClipNetwork> G_;
  models::VideoDiscriminators D_{nullptr};
};

}  // namespace reprise::baselines
