// MoCoGAN as a method (training/generator.h): how the network of
// models/adversarial/mocogan_network.h learns.
//
//     max over G_I, R_M  min over D_I, D_V   E -log D_I(S_1(v)) + E -log(1 - D_I(S_1(v~))) + E -log D_V(S_T(v)) + E -log(1 - D_V(S_T(v~)))
// (document, eq 6), in the form that options.training.loss says: Minimax is eq 6 to the letter,
// NonSaturating what is used in practice. Generated clips have as many frames as the examples, and
// both steps of an iteration share them. Where examples differ in length, that of each generated
// clip is drawn from p_K, the histogram of theirs (paragraph 54), and judges see of each clip only
// frames that count.
//
// Actions (document, eq 7): with d_A of them, Q is a softmax over d_A more outputs of D_V's last
// layer, and lambda L_I is added, the lower bound of the information that a generated clip holds on
// z_A: E log Q(z_A | S_T(v~)), which G_I, R_M and Q maximise; actions find meanings of their own.
// With labels Q learns real clips' classes (paragraph 62), so that action c is class c, and G_I and
// R_M alone maximise the bound: a Q that learns generated clips too (Q_sees_generated) is told z_A
// by whatever mark they agree on, motion or not.
#pragma once
#include "models/adversarial/mocogan_network.h"
#include "models/adversarial/video_gan.h"

namespace reprise::models {

enum class Actions {
  None,
  Labels,     ///< as many as the examples have classes; Q learns from real clips
  Discovered  ///< d_A of them, without labels (InfoGAN)
};

struct MocoganOptions {
  std::int64_t width_G = 64, width_D = 64;  ///< f of G_I, and of D_I and D_V
  std::int64_t depth_G = 0;                 ///< of G_I, and grid_G: models/adversarial/decoder.h
  bool grid_G = false;
  std::int64_t d_C = 50, d_M = 10, d_E = 10;
  double turning = 0;  ///< frames, turn() of the network; 0: R_M begins as PyTorch draws it
  Actions actions = Actions::None;
  std::int64_t d_A = 6;  ///< of Discovered
  ActionEntry entry = ActionEntry::IntoMotion;
  double lambda = 1;
  bool Q_sees_generated =
      false;           ///< of Labels: Q learns from generated clips too, whose class is z_A
  bool patch = false;  ///< of D_I
  Normalisation normalisation = Normalisation::Batch;
  VideoBatchOptions batches = {};
  training::AdversarialOptions training = {};  ///< its seed is fit()'s
};

/// What is seen from one seed, how it moves from another.
struct ClipRequest {
  std::int64_t count = 1;
  std::uint64_t content_seed = 0, motion_seed = 0;
  at::Tensor labels = {};  ///< [count], int64: the action of each; not defined: any
  std::int64_t frames =
      0;  ///< any number; 0: as many as the longest of the examples has, where they are known
};
/// Clip i has the content of content_seed's i-th draw and the motion of motion_seed's: [count,
/// frames, C, S, S]. UsageError: no clip, no frame; an action that the network does not have.
at::Tensor sample_clips(const MocoganNetwork& G, const ClipRequest& request);

class Mocogan : public training::AdversarialGenerator {
 public:
  explicit Mocogan(MocoganOptions options) : options_(std::move(options)) {}
  /// UsageError: as require_clips(); Labels without labels; a network that cannot be made (its
  /// sizes named).
  void fit(const training::Examples& examples, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor sample(const training::SampleRequest& request) override;
  /// As the function of this name. UsageError: not fitted, too.
  at::Tensor sample_clips(ClipRequest request);

  /// G_I and R_M; null before fit(). Their weights are the method's state, below "G".
  const MocoganNetwork& network() const { return G_; }
  const VideoJudges& judges() const { return D_; }

 private:
  training::Game game(const training::Examples& examples);
  MocoganOptions options_;
  MocoganNetwork G_{nullptr};
  VideoJudges D_{nullptr};
  std::int64_t frames_ = 0;
};

}  // namespace reprise::models
