// The terms of UNIT's objective except the adversarial one (document unit, eq 1 to 7).
//
//     min over E_1, E_2, G_1, G_2  max over D_1, D_2
//         L_VAE1 + L_GAN1 + L_CC1 + L_VAE2 + L_GAN2 + L_CC2                                   (1)
//     L_VAE1 = lambda1 KL(q_1(z_1 | x_1) || p) - lambda2 E log p_G1(x_1 | z_1)           (2), (3)
//     L_GAN1 = lambda0 E log D_1(x_1) + lambda0 E log(1 - D_1(G_1(z_2)))                 (4), (5)
//     L_CC1  = lambda3 KL(q_1(z_1 | x_1) || p) + lambda3 KL(q_2(z_2 | x12) || p)
//              - lambda4 E log p_G1(x_1 | z_2 ~ q_2(z_2 | x12))                          (6), (7)
// and the same with 1 and 2 exchanged; p = N(0, I). The adversarial loop computes L_GAN
// (training/adversarial.h) with weight lambda0. In (3) the document prints lambda2 before the KL;
// it is read as lambda1.
//
// With q of unit variance KL = 1/2 |E_mu(x)|^2. With p_G Laplacian, -log p_G is the absolute
// distance up to a constant. The document does not say whether the weights 0.1 and 100 belong to
// means or sums:
//     reading   KL                            distance
//     Means     mean of E_mu^2 over values    mean of |x - x'| over values   released; 0.1 and 100
//     Sums      1/2 sum of E_mu^2             sum of |x - x'|                the bound per image,
//                                                                            averaged over images
// The authors' release has no first KL in (6). Here it is as in (2): with lambda3 = lambda1 it
// counts twice.
//
// A term of our own, off by default: eq 1 permits that all translations are shifted, because the
// way back undoes it. registration_loss() binds the edges of a translation to those of its input.
#pragma once
#include "models/translation/unit_network.h"

namespace reprise::models {

enum class UnitReading { Means, Sums };

struct UnitWeights {
  double lambda0 = 10, lambda1 = 0.1, lambda2 = 100, lambda3 = 0.1, lambda4 = 100;
  UnitReading reading = UnitReading::Means;
  double registration = 0;  ///< weight of registration_loss() of both translations
};

/// Both are scalars. mu: [N, ...].
at::Tensor kl_to_prior(const at::Tensor& mu, UnitReading reading);
at::Tensor distance_to(const at::Tensor& x, const at::Tensor& reconstruction, UnitReading reading);

/// 1 - correlation over pixels of the lengths of two gradients, mean over pictures: 0 for equal
/// edges, 1 for unrelated ones. x, translation: [N, C, H, W]. Scalar. Unlike
/// metrics::edge_correlation() it has a finite gradient where a picture is flat.
at::Tensor registration_loss(const at::Tensor& x, const at::Tensor& translation);

/// Scalars. Without G_1, vae_1 is its KL only, which still holds z_1 to the prior. Without cycles,
/// cc_1 and cc_2 are undefined.
struct UnitTerms {
  at::Tensor vae_1, vae_2, cc_1, cc_2;
};
/// Computes the terms. cycles: those of `streams`, or null.
UnitTerms unit_terms(const at::Tensor& x_1, const at::Tensor& x_2, const UnitStreams& streams,
                     const UnitCycles* cycles, const UnitWeights& weights);

}  // namespace reprise::models
