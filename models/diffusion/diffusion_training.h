// Training of a denoiser (Karras et al. 2022, eq 8; label dropout: Ho, Salimans 2022).
//
//     batch: x_0 drawn from the data, ln sigma ~ N(P_mean, P_std^2), epsilon ~ N(0, I),
//            each label dropped with probability p
//     loss = lambda(sigma) |D(x_0 + sigma epsilon; sigma, label) - x_0|^2 / d
// The validation loss is the same on validation items, always at the same levels (evenly spread
// over the distribution) and with the same noise. An untrained network has a loss of 1. The result
// is the moving average of the weights.
#pragma once
#include <functional>

#include "models/diffusion/edm.h"
#include "training/fit.h"

namespace reprise::models {

struct LabelledItems {
  at::Tensor x_0;     ///< [N, ...]
  at::Tensor labels;  ///< [N] or [N, words], int64; undefined: none
};

struct DiffusionTask {
  std::function<LabelledItems(std::int64_t n, Random& random)> draw;  ///< draws n training items
  LabelledItems validation;
  std::int64_t batches_per_epoch = 100;
  std::int64_t batch = 64;
  double learning_rate = 1e-3;
  TrainingNoise noise = {};
  double label_dropout = 0.1;
};

/// Trains D and leaves the best weights in it. Errors: as training::fit().
training::FitReport fit_denoiser(PreconditionedDenoiser& D, const DiffusionTask& task,
                                 const training::FitOptions& options, training::Progress& progress);

/// Draws n of `items` with replacement.
LabelledItems draw_items(const LabelledItems& items, std::int64_t n, Random& random);

/// sigma at the median of n equally likely intervals of the distribution: [n], float32, ascending.
at::Tensor validation_sigma(std::int64_t n, const TrainingNoise& noise);

/// The validation loss above over all of `items`.
double validation_loss(PreconditionedDenoiser& D, const LabelledItems& items,
                       const TrainingNoise& noise, std::int64_t batch);

}  // namespace reprise::models
