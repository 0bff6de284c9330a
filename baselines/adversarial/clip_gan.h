// VGAN and TGAN as methods (training/generator.h): generators of clips of one length, T, judged by
// one discriminator whose convolutions stride in space and time alike. Of longer examples they see
// T consecutive frames, drawn.
//
//     VGAN     the minimax game of two, and for G weight_of_mask times the mean of |m|: a foreground only where one is needed. Adam
//     TGAN     Wasserstein's loss, D held to singular values of at most 1 every clip_every-th step of D. RMSprop
// Sources: baselines/adversarial/clip_networks.h.
#pragma once
#include <memory>

#include "baselines/adversarial/clip_networks.h"
#include "models/adversarial/video_gan.h"

namespace reprise::baselines {

struct ClipGanOptions {
  ClipNetworkKind kind = ClipNetworkKind::Vgan;
  std::int64_t width_G = 64, width_D = 64, d_z = 100;
  std::int64_t temporal_width = 0;  ///< of TGAN's G_0: baselines/adversarial/clip_networks.h
  std::int64_t depth_G = 0;         ///< of G's decoders, and grid_G: models/adversarial/decoder.h
  bool grid_G = false;
  std::int64_t T =
      0;  ///< frames of a clip; 0: as many as the examples have, all of which then count
  double weight_of_mask = 0.1;
  std::int64_t clip_every = 5;
  std::int64_t batch = 64;
  training::AdversarialOptions training =
      {};  ///< its seed is fit()'s; its loss is the method's for TGAN
};

class ClipGan : public training::AdversarialGenerator {
 public:
  explicit ClipGan(ClipGanOptions options) : options_(std::move(options)) {}
  /// UsageError: as require_clips(); clips or sizes that the network cannot have (named).
  void fit(const training::Examples& examples, std::uint64_t seed,
           training::Progress& progress) override;
  /// UsageError: another number of frames than T.
  at::Tensor sample(const training::SampleRequest& request) override;

  const models::VideoJudges& judges() const { return D_; }

 private:
  training::Game game(const training::Examples& examples);
  ClipGanOptions options_;
  ClipNetworkOptions sizes_;
  std::shared_ptr<ClipNetwork> G_;
  models::VideoJudges D_{nullptr};
};

}  // namespace reprise::baselines
