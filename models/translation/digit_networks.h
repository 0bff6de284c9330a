// The networks of UNIT's digit adaptation (authors' NIPS release: CoVAE32x32, CoDis32x32), for
// pictures whose side is a power of two from 8. With side S there are L = log2(S) - 1 halvings (32:
// 4, 16: 3).
//
//     E   image and its place's coordinates (y, x from -1, steps of 2 / S): conv 5, stride 2, f, own | conv 5, stride 2, 2 f, shared
//         | conv S / 4, 4 f: one place is left | conv 1, 8 f | mean: conv 1, 8 f values, z = mean + eta, eta ~ N(0, I)
//     G   transposed conv 4, 8 f: 4 x 4 | L - 2 of transposed conv 4, stride 2, half as wide each; the last is own | conv 1, tanh, own
//     D   L of conv 5, ReLU, max-pool 2, of f, 2 f, 4 f ...: the first own, the others shared | conv 2 to two values, fake and real
//         | and beside it conv 2 to a value per class: the classifier
// After E's and G's convolutions: batch norm without weights, a bias, LeakyReLU 0.01. D has dropout
// (0.1, 0.3, 0.5, 0.5) before its head, and none where features are compared. Its logit is real -
// fake, so that the loop's softplus is the release's cross-entropy of two classes.
//
// Names and shapes at S = 32 are the release's, but for g_vae.en_sigma: there the code's deviation
// is learned, in the document it is 1 (models/translation/released_unit.h passes it over). Domain A
// is 1, the source. Sources: Liu et al. 2017; document, eq 2.
#pragma once
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <vector>

#include "core/random.h"
#include "training/adaptation.h"

namespace reprise::models {

struct DigitNetworkOptions {
  std::int64_t side = 32, channels_1 = 3, channels_2 = 1, classes = 10;
  std::int64_t width_G = 96, width_D = 64;
  bool coordinates = true;
  bool own_front_D =
      true;  ///< false: both domains, then of as many channels, have D's first layer in common
};

/// G_1 and G_2: a code [N, 8 f, 1, 1] -> [N, C_i, S, S].
class DigitDecoderImpl : public torch::nn::Module {
 public:
  /// UsageError: a side that is not a power of two from 8; a count below 1.
  explicit DigitDecoderImpl(const DigitNetworkOptions& options);
  at::Tensor decode(const at::Tensor& z, training::Domain into);
  std::int64_t code_size() const { return 8 * options_.width_G; }

 protected:
  DigitNetworkOptions options_;

 private:
  std::vector<torch::nn::AnyModule> shared_, own_[2];
};
TORCH_MODULE(DigitDecoder);

struct DigitStreams {
  at::Tensor mu_1, mu_2;  ///< [N, 8 f]
  at::Tensor x11, x12, x22, x21;
};

/// E_1, E_2, G_1, G_2.
class DigitCodersImpl : public DigitDecoderImpl {
 public:
  explicit DigitCodersImpl(const DigitNetworkOptions& options);
  DigitStreams streams(const at::Tensor& x_1, const at::Tensor& x_2);
  /// [N, 8 f, 1, 1]: the mean.
  at::Tensor encode(const at::Tensor& x, training::Domain of);

 private:
  at::Tensor front(const at::Tensor& x, training::Domain of);
  at::Tensor code(const at::Tensor& fronts);
  at::Tensor coordinates_;
  std::vector<torch::nn::AnyModule> front_, shared_E_;
  torch::nn::Conv2d mean_{nullptr};
};
TORCH_MODULE(DigitCoders);

/// D_1 and D_2 with the classifier.
class DigitJudgeImpl : public torch::nn::Module {
 public:
  /// UsageError: also a first layer in common for domains of different channels.
  explicit DigitJudgeImpl(const DigitNetworkOptions& options);
  /// D's first layer: [N, f, S / 2, S / 2]. Batches of both domains may go on as one.
  at::Tensor front(const at::Tensor& x, training::Domain of);
  /// From there to what both heads see: [N, F, 2, 2]. dropped: with dropout, in training.
  at::Tensor top(const at::Tensor& front, bool dropped);
  /// [N] logits of being real.
  at::Tensor real_of(const at::Tensor& top);
  /// [N, K] logits of the classes.
  at::Tensor classes_of(const at::Tensor& top);

  at::Tensor features(const at::Tensor& x, training::Domain of) { return top(front(x, of), false); }
  at::Tensor real(const at::Tensor& x, training::Domain of) {
    return real_of(top(front(x, of), true));
  }
  at::Tensor classes(const at::Tensor& x, training::Domain of) {
    return classes_of(top(front(x, of), true));
  }

 private:
  DigitNetworkOptions options_;
  std::vector<torch::nn::Sequential> front_, layers_;
  torch::nn::Conv2d judge_{nullptr}, classifier_{nullptr};
};
TORCH_MODULE(DigitJudge);

/// As released: kernels of E and G N(0, 0.02), biases 0; those of D uniform within sqrt(12 / (fan
/// in + fan out)), biases 0.1. equal: own layers of the second domain start as those of the first,
/// where their shapes agree.
void draw_digit_coders(torch::nn::Module& network, bool equal, Random& random);
void draw_digit_judge(torch::nn::Module& network, bool equal, Random& random);

}  // namespace reprise::models
