#include "models/diffusion/diffusion_training.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "training/data_parallel.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

/// Seed of the validation noise. It is fixed, so that losses of all networks and epochs compare.
constexpr std::uint64_t validation_noise = 20220601;

/// Replaces each label by -1 (none) with probability p; a row of words counts as one label.
at::Tensor drop_labels(const at::Tensor& labels, double p, const at::Generator& generator) {
  if (!labels.defined() || p <= 0) return labels;
  auto dropped = at::rand({labels.size(0)}, generator) < p;
  if (labels.dim() == 2) dropped = dropped.unsqueeze(1);
  return labels.masked_fill(dropped.to(labels.device()), -1);
}

/// The current batch of fit_denoiser().
struct NoisyBatch {
  LabelledItems items;
  at::Tensor sigma;
  at::Tensor epsilon;
};

}  // namespace

LabelledItems draw_items(const LabelledItems& items, std::int64_t n, Random& random) {
  auto index = torch::empty({n}, at::kLong);
  for (std::int64_t i = 0; i < n; ++i)
    index.data_ptr<std::int64_t>()[i] = random.below(items.x_0.size(0));
  index = index.to(items.x_0.device());
  return {items.x_0.index_select(0, index),
          items.labels.defined() ? items.labels.index_select(0, index) : items.labels};
}

at::Tensor validation_sigma(std::int64_t n, const TrainingNoise& noise) {
  const auto fraction = (torch::arange(n, at::kDouble) + 0.5) / static_cast<double>(n);
  // Equally likely levels in place of drawn ones: the loss has less noise from few items.
  return (torch::special::ndtri(fraction) * noise.P_std + noise.P_mean).exp().to(at::kFloat);
}

double validation_loss(PreconditionedDenoiser& D, const LabelledItems& items,
                       const TrainingNoise& noise, std::int64_t batch) {
  const torch::NoGradGuard no_grad;
  const auto n = items.x_0.size(0);
  const auto generator = training::torch_generator(validation_noise);
  // Items may be sorted by class; shuffled levels reach all classes.
  const auto order = torch::randperm(n, generator, at::TensorOptions(at::kLong));
  const auto sigma = validation_sigma(n, noise).index_select(0, order).to(items.x_0.device());
  const auto epsilon = draw_unit_noise(items.x_0, generator);
  double sum = 0;
  for (std::int64_t i = 0; i < n; i += batch) {
    const auto end = std::min(i + batch, n);
    const auto part = [&](const at::Tensor& all) {
      return all.defined() ? all.slice(0, i, end) : all;
    };
    sum += training_loss(D, part(items.x_0), part(sigma), part(epsilon), D.sigma_data(),
                         part(items.labels))
               .item<double>() *
           // training_loss() is a mean, and the last batch can be smaller.
           static_cast<double>(end - i);
  }
  return sum / static_cast<double>(n);
}

training::FitReport fit_denoiser(PreconditionedDenoiser& D, const DiffusionTask& task,
                                 const training::FitOptions& options,
                                 training::Progress& progress) {
  if (!task.validation.x_0.defined() || task.validation.x_0.size(0) < 1)
    throw Error("a denoiser's training has no validation items",
                "split some off the training data");
  // The loop draws a batch in one call and uses it in the next, so the noise is kept here.
  NoisyBatch now;
  const training::Task loop{
      .batches_per_epoch = task.batches_per_epoch,
      .batch = [&](std::int64_t, std::int64_t, Random& random) -> training::Batch {
        now.items = task.draw(task.batch, random);
        const auto generator = training::torch_generator(random.split("noise").below(INT64_MAX));
        now.sigma = training_sigma(task.batch, task.noise, generator).to(now.items.x_0.device());
        now.epsilon = draw_unit_noise(now.items.x_0, generator);
        now.items.labels = drop_labels(now.items.labels, task.label_dropout, generator);
        return {now.items.x_0, now.items.labels};
      },
      .forward =
          [&](const torch::Tensor& x_0) {
            // fit() passes the rows of this rank; sigma and epsilon belong to the complete batch.
            const auto own = [](const at::Tensor& rows) {
              return training::data_parallel::slice(rows);
            };
            return training_loss(D, x_0, own(now.sigma), own(now.epsilon), D.sigma_data(),
                                 own(now.items.labels));
          },
      .loss = [](const torch::Tensor& loss, const torch::Tensor&) { return loss; },
      .validate = [&] { return validation_loss(D, task.validation, task.noise, task.batch); }};
  return training::fit(D, {{D.parameters(), task.learning_rate}}, loop, options, progress);
}

}  // namespace reprise::models
