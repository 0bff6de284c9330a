// Image to video (document mocogan, paragraph 63): an encoder E gives an image's content code and
// an initial motion code, from which R_M goes on.
//
//     [z_C ; z_M^(0)] = E(x)      z_M^(k) = R_M(epsilon^(k), z_M^(k-1))      x^(k) = G_I([z_C ; z_M^(k)])      k = 1 .. K
// The document generates every frame from a motion code that R_M has given, so z_M^(0) is read as
// h^(0), the state before the first frame:
// x^(1) is the frame that is to be like x. How it goes on is left to epsilon.
//
// G_I and R_M are trained already and stay as they are: tuning them gets the first frame right and
// breaks the others. Of images y_i, half of them the first frames of clips that G draws from codes
// z_C,i, half those of real clips, E minimises
//     1/N sum_i |x_i^(1) - y_i|_1 / (C S S)   +   lambda 1/(N/2) sum_(i drawn) |E_C(y_i) - z_C,i|^2 / d_C
// x_i^(1) being the first frame from E(y_i) with an epsilon of its own. The second term holds
// contents to codes that clips are made of.
#pragma once
#include "models/adversarial/discriminator.h"
#include "models/adversarial/mocogan_network.h"
#include "training/fit.h"

namespace reprise::models {

struct ImageEncoderOptions {
  std::int64_t width = 32;  ///< f of its first convolution
};

struct EncodedImages {
  at::Tensor z_C;  ///< [N, d_C]
  at::Tensor h_0;  ///< [N, d_M]
};

/// A discriminator's convolutions with d_C + d_M outputs.
class ImageEncoderImpl : public torch::nn::Module {
 public:
  /// UsageError: as a discriminator's.
  ImageEncoderImpl(const MocoganNetworkOptions& of, const ImageEncoderOptions& options);
  /// x: [N, C, S, S], from -1 to 1. UsageError: another shape.
  EncodedImages forward(const at::Tensor& x);
  const ImageEncoderOptions& options() const { return options_; }

 private:
  ImageEncoderOptions options_;
  std::int64_t d_C_;
  Discriminator network_;
};
TORCH_MODULE(ImageEncoder);

struct EncoderFitOptions {
  std::int64_t steps =
      2000;  ///< ten epochs of as many; the encoder is that of the epoch with the least first term on held-out images
  std::int64_t batch = 32;  ///< drawn images, and as many real ones
  double learning_rate = 2e-3;
  double lambda = 0.1;
  std::filesystem::path checkpoint = {};  ///< "": none is kept
};

/// images: [N, C, S, S], first frames of clips that G learned from; the last eighth is held out.
/// Weights of E are drawn from the seed. UsageError: fewer than 8 images, or of another shape than
/// G's frames.
training::FitReport fit_encoder(ImageEncoder& E, MocoganNetwork& G, const at::Tensor& images,
                                const EncoderFitOptions& options, std::uint64_t seed,
                                training::Progress& progress);

/// Codes that begin with what an encoder saw, and go on as `drawn` does.
ClipCodes continued(const EncodedImages& images, ClipCodes drawn);

}  // namespace reprise::models
