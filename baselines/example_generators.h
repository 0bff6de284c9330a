// Common parts of generators that sample from their examples.
#pragma once
#include "training/generator.h"

namespace reprise::baselines {

/// UsageError: no example; x that is neither pictures nor clips; another number of labels.
void require_examples(const training::Examples& examples);
/// UsageError: fit() was not called.
void require_fitted(const at::Tensor& x);
/// UsageError: the number of requested frames is not that of the examples.
void require_length(const training::SampleRequest& request, const at::Tensor& examples);

/// Chooses the index of an example for each sample, at random by the seed. Without requested labels
/// it can have any class. An example repeats only after all others of its class were chosen.
/// UsageError: no example of a class.
at::Tensor choose_examples(const at::Tensor& labels, std::int64_t examples,
                           const training::SampleRequest& request);

/// Generator whose samples are examples, of the requested class if the examples have labels.
class TrainingItems : public training::Generator {
 public:
  TrainingItems();
  void fit(const training::Examples& examples, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor sample(const training::SampleRequest& request) override;

 protected:
  at::Tensor x_, labels_;
};

}  // namespace reprise::baselines
