#include "models/layers/product.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/autograd.h>
#include <torch/torch.h>

#include <optional>
#include <string_view>

namespace reprise::models {
namespace {

using at::Tensor;

using OneDnnLinear = Tensor(const Tensor&, const Tensor&, const std::optional<Tensor>&,
                            c10::string_view, c10::List<std::optional<at::Scalar>>,
                            std::optional<c10::string_view>);

/// Returns LibTorch's oneDNN inner product; null if this build lacks it or it does not support a,
/// b.
const c10::TypedOperatorHandle<OneDnnLinear>* find_one_dnn(const Tensor& a, const Tensor& b) {
  // The operator has no public C++ function, so the dispatcher is asked for it, once.
  static const auto found = []() -> std::optional<c10::TypedOperatorHandle<OneDnnLinear>> {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    if (!schema || !schema->hasKernelForDispatchKey(c10::DispatchKey::CPU)) return std::nullopt;
    return schema->typed<OneDnnLinear>();
  }();
  const bool fits = a.device().is_cpu() && a.scalar_type() == at::kFloat &&
                    b.scalar_type() == at::kFloat && a.numel() > 0 && b.numel() > 0;
  return fits && found ? &*found : nullptr;
}

/// True if passes on the device of x run in bfloat16.
bool uses_bfloat16(const Tensor& x) {
  const auto device = x.device().type();
  return (x.is_cpu() || x.is_cuda()) && x.scalar_type() != at::kDouble &&
         at::autocast::is_autocast_enabled(device);
}

/// x w^T + b with products by multiply_transposed(), forward and backward.
class Linear : public torch::autograd::Function<Linear> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x, const Tensor& w,
                        const Tensor& b) {
    context->save_for_backward({x, w});
    auto shape = x.sizes().vec();
    shape.back() = w.size(0);
    return multiply_transposed(x.reshape({-1, x.size(-1)}), w).add_(b).view(shape);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grads) {
    const auto saved = context->get_saved_variables();
    const auto& x = saved[0];
    const auto& w = saved[1];
    const auto d = grads[0].reshape({-1, w.size(0)});
    Tensor d_x;
    Tensor d_w;
    // Only gradients that are needed cost a product.
    if (context->needs_input_grad(0)) d_x = multiply_transposed(d, w.t()).view(x.sizes());
    if (context->needs_input_grad(1))
      d_w = multiply_transposed(d.t(), x.reshape({-1, x.size(-1)}).t());
    return {d_x, d_w, context->needs_input_grad(2) ? d.sum(0) : Tensor()};
  }
};

}  // namespace

Tensor multiply_transposed(const Tensor& a, const Tensor& b) {
  const torch::NoGradGuard no_gradient;
  // oneDNN's operator above is float32 only.
  if (a.scalar_type() == at::kBFloat16 || b.scalar_type() == at::kBFloat16)
    return at::mm(a.to(at::kBFloat16), b.to(at::kBFloat16).t()).to(at::kFloat);
  const auto* fast = find_one_dnn(a, b);
  if (fast == nullptr) return at::mm(a, b.t());
  return fast->call(a, b, std::nullopt, "none", c10::List<std::optional<at::Scalar>>(), "");
}

Tensor linear_relu(const Tensor& x, const Tensor& w, const Tensor& b) {
  const torch::NoGradGuard no_gradient;
  if (const auto* fast = find_one_dnn(x, w))
    return fast->call(x, w, b, "relu", c10::List<std::optional<at::Scalar>>(), "");
  return at::addmm(b, x, w.t()).relu_();
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& b) {
  return uses_bfloat16(x) ? at::linear(x, w, b).to(at::kFloat) : Linear::apply(x, w, b);
}

Tensor cast_to_pass_precision(const Tensor& x) {
  return uses_bfloat16(x) ? x.to(at::kBFloat16) : x;
}

}  // namespace reprise::models
