// A representation phi, the object that document langevin's Algorithm 1 improves: pixels, networks
// that make images, or networks that fill space. It can be rendered and fitted to a target.
//
//     step 1   x_0 = render(phi, psi)                          psi: the view, a crop or a camera
//     step 5   phi <- argmin |render(phi, psi) - x^_0|^2
//
// A representation may hold several independent objects (the images of a batch). psi: [V, 1 + k],
// float64, one row per view. Column 0 is the object's number; the other columns depend on the
// representation (canvas.h, coordinate_images.h, radiance_field.h).
#pragma once
#include <torch/nn/module.h>

#include <memory>

#include "core/random.h"
#include "training/adam.h"

namespace reprise::models {

class Representation : public torch::nn::Module {
 public:
  virtual std::int64_t objects() const = 0;
  /// Draws the views of a round. Over the rounds they cover all of every object.
  virtual at::Tensor views(Random& random) const = 0;
  /// Renders items for the prior: [V, ...]. Differentiable in parameters().
  virtual at::Tensor render(const at::Tensor& psi) = 0;
  /// Fits to a target like render(psi). Error: a target that is not finite (the first such view is
  /// named).
  virtual void fit(const at::Tensor& psi, const at::Tensor& target) = 0;
  /// State to resume from: parameters, buffers, and the optimiser of fit().
  virtual weights::StateDict state() const;
};

struct FitSteps {
  std::int64_t steps = 15;  ///< Adam's steps per fit()
  double rate = 3e-3;
};

/// A representation with weights. fit() makes a few steps of one Adam, which keeps its state.
class LearnedRepresentation : public Representation {
 public:
  explicit LearnedRepresentation(FitSteps steps) : steps_(steps) {}
  void fit(const at::Tensor& psi, const at::Tensor& target) override;
  weights::StateDict state() const override;

 protected:
  /// Selects the data of one step of the fit: a part of `target` and its rendering, in one shape.
  /// The default selects all; costly renderings draw a sample.
  virtual std::pair<at::Tensor, at::Tensor> select_fit_pair(const at::Tensor& psi,
                                                            const at::Tensor& target);

 private:
  training::Adam& adam() const;  ///< made at the first use, when the weights exist

  FitSteps steps_;
  mutable std::unique_ptr<training::Adam> adam_;
};

/// Rows of per_object ([objects, ...], or undefined) for the object that each view shows.
at::Tensor rows_for_views(const at::Tensor& per_object, const at::Tensor& psi);
/// UsageError: conditions that are defined and not one per object.
void check_conditions(const at::Tensor& conditions, std::int64_t objects);

/// Error: a view of x is not finite. `what` names the tensor in the message.
void check_finite_views(const at::Tensor& x, const char* what);

}  // namespace reprise::models
