// What document langevin's Algorithm 1 improves: phi, be it pixels, a network that paints an image,
// or one that fills space, as long as it can be rendered and made to follow a target.
//
//     step 1   x_0 = render(phi, psi)                                psi: what is looked at: which crop, from which camera
//     step 5   phi <- argmin |render(phi, psi) - x^_0|^2
//
// A representation may hold several objects at once (the images of a batch), none of which sees
// another. psi: [V, 1 + k], float64, a row a view; column 0 is the object's number, the others are
// the representation's own (canvas.h, coordinate_images.h, radiance_field.h).
#pragma once
#include <torch/nn/module.h>

#include <memory>

#include "core/random.h"
#include "training/adam.h"

namespace reprise::models {

class Representation : public torch::nn::Module {
 public:
  virtual std::int64_t objects() const = 0;
  /// The views of a round, drawn: over the rounds, all of every object is seen.
  virtual at::Tensor views(Random& random) const = 0;
  /// [V, ...]: items as the prior knows them. Differentiable in parameters().
  virtual at::Tensor render(const at::Tensor& psi) = 0;
  /// target: as render(psi). Error: it is not finite (the first such view is named).
  virtual void fit(const at::Tensor& psi, const at::Tensor& target) = 0;
  /// All that a run needs to go on: parameters and buffers, and what fit() remembers.
  virtual weights::StateDict state() const;
};

struct FitSteps {
  std::int64_t steps = 15;  ///< of Adam, in one fit()
  double rate = 3e-3;
};

/// A representation with weights: fit() is a few steps of one Adam that lasts as long as the
/// object.
class LearnedRepresentation : public Representation {
 public:
  explicit LearnedRepresentation(FitSteps steps) : steps_(steps) {}
  void fit(const at::Tensor& psi, const at::Tensor& target) override;
  weights::StateDict state() const override;

 protected:
  /// What one step of the fit looks at: a part of `target` and the rendering of just that, of one
  /// shape. The default is all of both; where a rendering costs much, it is a draw.
  virtual std::pair<at::Tensor, at::Tensor> fitted(const at::Tensor& psi, const at::Tensor& target);

 private:
  training::Adam& adam() const;  ///< made at the first use, when the weights are there

  FitSteps steps_;
  mutable std::unique_ptr<training::Adam> adam_;
};

/// The rows of per_object ([objects, ...], or not defined) of what each view shows.
at::Tensor of_views(const at::Tensor& per_object, const at::Tensor& psi);
/// UsageError: conditions, where they are, that are not one an object.
void check_conditions(const at::Tensor& conditions, std::int64_t objects);

/// Error: a view of x is not finite; `what` is it of.
void check_finite_views(const at::Tensor& x, const char* what);

}  // namespace reprise::models
