// What generators share that draw from the examples they were given.
#pragma once
#include "training/generator.h"

namespace reprise::baselines {

/// UsageError: no example; x of another shape than pictures or clips; another number of labels.
void require_examples(const training::Examples& examples);
/// UsageError: nothing was fitted.
void require_fitted(const at::Tensor& x);
/// UsageError: a number of frames was asked for that the examples do not have.
void require_length(const training::SampleRequest& request, const at::Tensor& examples);

/// An example for each sample: any, or one of the class asked for. In an order drawn by the seed;
/// each of its class is drawn once before any is drawn again. UsageError: no example has that
/// class.
at::Tensor chosen_examples(const at::Tensor& labels, std::int64_t examples,
                           const training::SampleRequest& request);

/// Gives examples back, those of the class asked for.
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
