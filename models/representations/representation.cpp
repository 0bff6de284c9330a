#include "models/representations/representation.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/error.h"
#include "training/module_state.h"

namespace reprise::models {

void check_finite_views(const at::Tensor& x, const char* what) {
  const auto whole = at::isfinite(x).flatten(1).all(1);
  if (whole.all().item<bool>()) return;
  const auto first = at::nonzero(whole.logical_not())[0].item<std::int64_t>();
  throw Error(fmt::format("the {} of view {} is not finite", what, first),
              "lower the rate of the fit, the step h of the churn or the first sigma");
}

at::Tensor rows_for_views(const at::Tensor& per_object, const at::Tensor& psi) {
  return per_object.defined()
             ? per_object.index_select(0, psi.select(1, 0).to(per_object.device(), at::kLong))
             : per_object;
}

void check_conditions(const at::Tensor& conditions, std::int64_t objects) {
  if (conditions.defined() && conditions.size(0) != objects)
    throw UsageError(fmt::format("{} conditions for {} objects", conditions.size(0), objects),
                     "give one an object");
}

weights::StateDict Representation::state() const { return training::module_state(*this); }

// Made at the first use: the weights are registered by the constructor of the derived class.
training::Adam& LearnedRepresentation::adam() const {
  if (!adam_)
    adam_ = std::make_unique<training::Adam>(
        std::vector<training::ParameterGroup>{{parameters(), steps_.rate}}, 0.0);
  return *adam_;
}

weights::StateDict LearnedRepresentation::state() const {
  auto all = Representation::state();
  // With Adam's moments a resumed fit continues as an uninterrupted one.
  for (const auto& [name, tensor] : adam().state()) all.emplace_back("adam." + name, tensor);
  return all;
}

std::pair<at::Tensor, at::Tensor> LearnedRepresentation::select_fit_pair(const at::Tensor& psi,
                                                                         const at::Tensor& target) {
  return {render(psi), target};
}

void LearnedRepresentation::fit(const at::Tensor& psi, const at::Tensor& target) {
  check_finite_views(target, "target");
  const torch::AutoGradMode grad(true);  // callers run under NoGradGuard
  for (std::int64_t step = 0; step < steps_.steps; ++step) {
    adam().zero_grad();
    const auto [rendered, wanted] = select_fit_pair(psi, target);
    at::mse_loss(rendered, wanted).backward();
    adam().step(1);
  }
}

}  // namespace reprise::models
