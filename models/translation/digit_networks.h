// The networks of UNIT's digit adaptation (authors' NIPS release: CoVAE32x32, CoDis32x32), for
// pictures whose side S is a power of two from 8. L = log2(S) - 1 halvings (32: 4, 16: 3).
//
//     E   input: image and coordinates of the position (y, x from -1, steps of 2 / S)
//         conv 5, stride 2, f, own | conv 5, stride 2, 2 f, shared | conv S / 4, 4 f: one position
//         | conv 1, 8 f | mean: conv 1, 8 f; z = mean + eta, eta ~ N(0, I)
//     G   transposed conv 4, 8 f: 4 x 4 | L - 2 of transposed conv 4, stride 2, half as wide each,
//         the last own | conv 1, tanh, own
//     D   L of conv 5, ReLU, max-pool 2, of f, 2 f, 4 f ...: the first own, the others shared
//        real or generated: conv 2 to two values, fake and real | classifier: conv 2, one per class
// The convolutions of E and G are followed by batch norm without weights, a bias and LeakyReLU
// 0.01.
// D has dropout (0.1, 0.3, 0.5, 0.5) before its heads, and none where features are compared. Its
// logit is real - fake, so that the loop's softplus is the release's cross-entropy of two classes.
//
// Names and shapes at S = 32 are the release's. The standard deviation of the code is 1, as in the
// document. The release learns it: with learned_deviation, z = mean + sd eta, where sd is the
// softplus of a second convolution (g_vae.en_sigma). Domain A is 1, the source. Sources: Liu et al.
// 2017; document, eq 2.
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
  bool learned_deviation = false;  ///< E learns the standard deviation of the code too
  /// False: both domains share D's first layer too; they need as many channels then.
  bool own_front_D = true;
};

/// G_1 and G_2: map a code [N, 8 f, 1, 1] to [N, C_i, S, S].
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
  at::Tensor sd_1, sd_2;  ///< [N, 8 f]; undefined without learned_deviation
  at::Tensor x11, x12, x22, x21;
};

/// E_1, E_2, G_1, G_2.
class DigitCodersImpl : public DigitDecoderImpl {
 public:
  explicit DigitCodersImpl(const DigitNetworkOptions& options);
  DigitStreams streams(const at::Tensor& x_1, const at::Tensor& x_2);
  /// Mean code: [N, 8 f, 1, 1].
  at::Tensor encode(const at::Tensor& x, training::Domain of);

 private:
  at::Tensor front(const at::Tensor& x, training::Domain of);
  at::Tensor coordinates_;
  std::vector<torch::nn::AnyModule> front_, shared_E_;
  torch::nn::Conv2d mean_{nullptr}, deviation_{nullptr};
};
TORCH_MODULE(DigitCoders);

/// D_1 and D_2 with the classifier on their shared layers.
class DigitDiscriminatorImpl : public torch::nn::Module {
 public:
  /// UsageError: as DigitDecoder; a shared first layer for domains of different channels.
  explicit DigitDiscriminatorImpl(const DigitNetworkOptions& options);
  /// D's first layer: [N, f, S / 2, S / 2]. Batches of both domains can be concatenated afterwards.
  at::Tensor front(const at::Tensor& x, training::Domain of);
  /// The layers between the first one and the heads: [N, F, 2, 2]. dropped: with dropout, in
  /// training.
  at::Tensor top(const at::Tensor& front, bool dropped);
  /// Logits of being real: [N].
  at::Tensor real_logits(const at::Tensor& top);
  /// Logits of the classes: [N, K].
  at::Tensor class_logits(const at::Tensor& top);

  at::Tensor features(const at::Tensor& x, training::Domain of) { return top(front(x, of), false); }
  at::Tensor real(const at::Tensor& x, training::Domain of) {
    return real_logits(top(front(x, of), true));
  }
  at::Tensor classes(const at::Tensor& x, training::Domain of) {
    return class_logits(top(front(x, of), true));
  }

 private:
  DigitNetworkOptions options_;
  std::vector<torch::nn::Sequential> front_, layers_;
  torch::nn::Conv2d real_head_{nullptr}, classifier_{nullptr};
};
TORCH_MODULE(DigitDiscriminator);

/// Draws weights as released: kernels of E and G N(0, 0.02), biases 0; those of D uniform within
/// sqrt(12 / (fan in + fan out)), biases 0.1. equal: own layers of the second domain start as
/// copies of the first domain's, if their shapes agree.
void draw_digit_coders(torch::nn::Module& network, bool equal, Random& random);
void draw_digit_discriminator(torch::nn::Module& network, bool equal, Random& random);

}  // namespace reprise::models
