// MoCoGAN as a method (training/generator.h): training of the network of
// models/adversarial/mocogan_network.h.
//
//     max over G_I, R_M  min over D_I, D_V
//         E -log D_I(S_1(v)) + E -log(1 - D_I(S_1(v~)))
//       + E -log D_V(S_T(v)) + E -log(1 - D_V(S_T(v~)))                          (document, eq 6)
// options.training.loss selects the form: Minimax is eq 6 to the letter, NonSaturating is the form
// used in practice. Generated clips have as many frames as the examples. Both steps of an iteration
// share the generated clips. If the lengths of examples differ, lengths of generated clips are
// drawn from their histogram p_K (paragraph 54). Discriminators see only frames within a clip's
// length.
//
// Actions (document, eq 7): Q is a softmax over d_A further outputs of D_V's last layer. G_I, R_M
// and Q maximise lambda L_I, where L_I = E log Q(z_A | S_T(v~)) is a lower bound of the information
// about z_A in a generated clip. The meaning of each action is discovered.
// With labels, Q learns the classes of real clips (paragraph 62) and action c is class c. Only G_I
// and R_M maximise the bound then. If Q also learned from generated clips (Q_sees_generated), G
// could encode z_A by any cue, with or without motion.
#pragma once
#include "models/adversarial/mocogan_network.h"
#include "models/adversarial/video_gan.h"

namespace reprise::models {

enum class Actions {
  None,
  Labels,     ///< one per class of the examples; Q learns from real clips
  Discovered  ///< d_A actions without labels (InfoGAN)
};

struct MocoganOptions {
  std::int64_t width_G = 64, width_D = 64;  ///< f of G_I, and of D_I and D_V
  std::int64_t depth_G = 0;  ///< depth of G_I, as grid_G: models/adversarial/decoder.h
  bool grid_G = false;
  std::int64_t d_C = 50, d_M = 10, d_E = 10;
  double rotation_frames = 0;  ///< frames, for start_rotating(); 0: PyTorch's initialisation of R_M
  Actions actions = Actions::None;
  std::int64_t d_A = 6;  ///< number of actions, for Discovered
  ActionEntry entry = ActionEntry::IntoMotion;
  double lambda = 1;
  /// For Labels: Q also learns from generated clips, with z_A as their class.
  bool Q_sees_generated = false;
  bool patch = false;  ///< patch discriminator D_I
  Normalisation normalisation = Normalisation::Batch;
  VideoBatchOptions batches = {};
  training::AdversarialOptions training = {};  ///< its seed is overwritten by fit()
};

/// A request for clips: content and motion have separate seeds.
struct ClipRequest {
  std::int64_t count = 1;
  std::uint64_t content_seed = 0, motion_seed = 0;
  at::Tensor labels = {};  ///< action of each clip, [count], int64; undefined: drawn
  /// Any number of frames; 0: as many as the longest training example, if known.
  std::int64_t frames = 0;
};
/// Generates clips [count, frames, C, S, S]. Clip i has the i-th content of content_seed and the
/// i-th motion of motion_seed. UsageError: no clip; no frame; an action that the network does not
/// have.
at::Tensor sample_clips(const MocoganNetwork& G, const ClipRequest& request);

class Mocogan : public training::AdversarialGenerator {
 public:
  explicit Mocogan(MocoganOptions options) : options_(std::move(options)) {}
  /// UsageError: as require_clips(); Labels without labels; a network size that is not possible
  /// (named).
  void fit(const training::Examples& examples, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor sample(const training::SampleRequest& request) override;
  /// As the function of this name. UsageError: also if not fitted.
  at::Tensor sample_clips(ClipRequest request);

  /// G_I and R_M; null before fit(). Their weights are stored in the method's state under "G".
  const MocoganNetwork& network() const { return G_; }
  const VideoDiscriminators& discriminators() const { return D_; }

 private:
  training::GanTask make_task(const training::Examples& examples);
  MocoganOptions options_;
  MocoganNetwork G_{nullptr};
  VideoDiscriminators D_{nullptr};
  std::int64_t frames_ = 0;
};

}  // namespace reprise::models
