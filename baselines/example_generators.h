// Common parts of generators that sample from their examples.
#pragma once
#include "training/generator.h"

namespace reprise::baselines {

/// UsageError: no example; x that is neither pictures nor clips; another number of labels.
void require_examples(const training::Examples& examples);
/// UsageError: fit() was not called.
void require_fitted(const at::Tensor& x);
/// UsageError: a request for a number of frames that the examples do not have.
void require_length(const training::SampleRequest& request, const at::Tensor& examples);

/// Chooses an example for each sample: any, or one of the requested class. The seed draws the
/// order.
/// Each example of a class is chosen once before any repeats. UsageError: no example of a class.
at::Tensor choose_examples(const at::Tensor& labels, std::int64_t examples,
                           const training::SampleRequest& request);

/// Returns examples, of the requested class if they have labels.
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
