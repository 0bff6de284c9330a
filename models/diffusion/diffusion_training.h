// How a denoiser is trained (Karras et al. 2022, eq 8; Ho, Salimans 2022 for the labels that are
// left out):
//
//     a batch: x_0 drawn from the data, ln sigma ~ N(P_mean, P_std^2), epsilon ~ N(0, I), each label dropped with probability p
//     loss = lambda(sigma) |D(x_0 + sigma epsilon; sigma, label) - x_0|^2 / d
// and judged by the same loss on validation items, always at the same levels (evenly spread over
// the distribution) and with the same noise. A network that never learnt anything has a loss of 1.
// The weights' moving average is what is kept.
#pragma once
#include <functional>

#include "models/diffusion/edm.h"
#include "training/fit.h"

namespace reprise::models {

struct LabelledItems {
  at::Tensor x_0;     ///< [N, ...]
  at::Tensor labels;  ///< [N] or [N, words], int64; not defined: none
};

struct DiffusionTask {
  std::function<LabelledItems(std::int64_t n, Random& random)> draw;  ///< n items of the data
  LabelledItems validation;
  std::int64_t batches_per_epoch = 100, batch = 64;
  double learning_rate = 1e-3;
  TrainingNoise noise = {};
  double label_dropout = 0.1;
};

/// Leaves the best weights in D. Errors: as training::fit().
training::FitReport fit_denoiser(PreconditionedDenoiser& D, const DiffusionTask& task,
                                 const training::FitOptions& options, training::Progress& progress);

/// n items of `items`, drawn with replacement.
LabelledItems drawn(const LabelledItems& items, std::int64_t n, Random& random);

/// sigma at the middle of n equally likely parts of the distribution: [n], float32, ascending.
at::Tensor spread_sigma(std::int64_t n, const TrainingNoise& noise);

/// The validation loss above, of all of `items`.
double validation_loss(PreconditionedDenoiser& D, const LabelledItems& items,
                       const TrainingNoise& noise, std::int64_t batch);

}  // namespace reprise::models
