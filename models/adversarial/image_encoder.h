// Image to video (document mocogan, paragraph 63): an encoder E maps an image to its content code
// and to the initial state of R_M.
//
//     [z_C ; z_M^(0)] = E(x)
//     z_M^(k) = R_M(epsilon^(k), z_M^(k-1))      x^(k) = G_I([z_C ; z_M^(k)])      k = 1 .. K
// The document generates every frame from a motion code that R_M returned. z_M^(0) is therefore
// read as h^(0), the state before the first frame. x^(1) is the frame that must match x. The
// further motion depends on epsilon.
//
// G_I and R_M are trained before and stay fixed: fine-tuning them improves the first frame and
// breaks the others. Half of the images y_i are first frames of clips that G generated from codes
// z_C,i; the other half are first frames of real clips. E minimises
//     1/N sum_i |x_i^(1) - y_i|_1 / (C S S)
//       + lambda 1/(N/2) sum_(i generated) |E_C(y_i) - z_C,i|^2 / d_C
// x_i^(1) is the first frame from E(y_i) with its own random epsilon. The second term keeps content
// codes among those that G was trained on.
#pragma once
#include "models/adversarial/discriminator.h"
#include "models/adversarial/mocogan_network.h"
#include "training/fit.h"

namespace reprise::models {

struct ImageEncoderOptions {
  std::int64_t width = 32;  ///< f of the first convolution
};

struct EncodedImages {
  at::Tensor z_C;  ///< [N, d_C]
  at::Tensor h_0;  ///< [N, d_M]
};

/// The convolutions of a discriminator with d_C + d_M outputs.
class ImageEncoderImpl : public torch::nn::Module {
 public:
  /// UsageError: as Discriminator.
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
  /// Training steps, in ten epochs. The weights of the epoch with the lowest first term on held-out
  /// images are kept.
  std::int64_t steps = 2000;
  std::int64_t batch = 32;  ///< generated images per step, and as many real ones
  double learning_rate = 2e-3;
  double lambda = 0.1;
  std::filesystem::path checkpoint = {};  ///< file to resume from; "": no checkpoint
};

/// Trains E, whose weights are drawn from the seed. images: [N, C, S, S], first frames of clips
/// that G was trained on; the last eighth is held out. UsageError: fewer than 8 images, or images
/// of another shape than G's frames.
training::FitReport fit_encoder(ImageEncoder& E, MocoganNetwork& G, const at::Tensor& images,
                                const EncoderFitOptions& options, std::uint64_t seed,
                                training::Progress& progress);

/// Replaces z_C and h_0 of drawn codes by the encoder's; the motion noise stays.
ClipCodes start_codes_from(const EncodedImages& images, ClipCodes codes);

}  // namespace reprise::models
