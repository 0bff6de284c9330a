#include "models/representations/volume_rendering.h"

#include <torch/torch.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "models/layers/product.h"

namespace reprise::models {
namespace {

using torch::Tensor;

/// Samples per pass: few enough for the layers' values to stay in the L2 cache, enough for
/// efficient matrix products.
constexpr std::int64_t kChunk = 2048;
/// Samples up to which layers are kept for the backward pass: 1 kB per sample at a width of 64.
constexpr std::int64_t kKept = 1 << 17;

/// Calls use(rays, count) for every few rays.
template <typename Use>
void in_chunks(const RaySamples& all, const Use& use) {
  const auto n = all.distance.size(0);
  const auto S = all.distance.size(1);
  const auto step = all.distance.is_cpu() ? std::max<std::int64_t>(1, kChunk / S) : n;
  for (std::int64_t i = 0; i < n; i += step) {
    const auto part = [&](const Tensor& x) { return x.slice(0, i, std::min(i + step, n)); };
    use(RaySamples{part(all.origin), part(all.direction), part(all.distance), part(all.delta)}, i);
  }
}

/// gamma, then the outputs of the hidden layers: L tensors [n S, ...].
std::vector<Tensor> compute_hidden_layers(const RaySamples& rays, const FieldForm& form,
                                          at::TensorList layers) {
  const auto places =
      at::addcmul(rays.origin.unsqueeze(1), rays.distance.unsqueeze(2), rays.direction.unsqueeze(1))
          .view({-1, 3});
  std::vector<Tensor> h{at::addmm(form.phases, places, form.waves).sin_()};
  for (std::size_t i = 0; i + 2 < layers.size(); i += 2)
    h.push_back(linear_relu(h.back(), layers[i].t(), layers[i + 1]));
  return h;
}

/// The field's raw output [4, n, S], with each of the four contiguous in memory.
Tensor compute_raw(const Tensor& h, at::TensorList layers, at::IntArrayRef n_S) {
  const auto raw = at::addmm(layers.back().unsqueeze(1), layers[layers.size() - 2].t(), h.t());
  return raw.view({4, n_S[0], n_S[1]});
}

/// The quantities between raw and pixel.
struct Shading {
  Tensor depth, left, colour;  ///< density delta, A_1 .. A_S: [n, S]; colour: [3, n, S]
};

/// Depths, remaining light and colours along each ray.
Shading shade(const Tensor& raw, const RaySamples& rays, const FieldForm& form) {
  auto depth = at::softplus(raw[0]).mul_(form.density_scale * rays.delta.unsqueeze(1));
  // A_i, the light that passes the first i pieces.
  auto left = depth.cumsum(1).neg_().exp_();
  return {std::move(depth), std::move(left), (raw.slice(0, 1) / 2).tanh_()};
}

/// Weights A_{i-1} - A_i [n, S], and A_S [n].
std::pair<Tensor, Tensor> blend_weights(const Tensor& left) {
  const auto S = left.size(1);
  auto weight = left.neg();
  weight.slice(1, 1).add_(left.slice(1, 0, S - 1));
  weight.select(1, 0).add_(1);  // A_0 = 1
  return {weight, left.select(1, S - 1)};
}

/// Pixels from colours and remaining light: the last equation.
Tensor blend(const Tensor& colour, const Tensor& left, double background) {
  const auto [weight, rest] = blend_weights(left);
  return (colour * weight).sum(2) + background * rest;
}

/// Gradient in raw, given the gradient in the pixels [3, n].
Tensor raw_gradient(const Tensor& gradient, const Tensor& raw, const RaySamples& rays,
                    const FieldForm& form) {
  const auto [depth, left, colour] = shade(raw, rays, form);
  const auto weight = blend_weights(left).first;
  const auto g = gradient.unsqueeze(2);
  auto result = at::empty_like(raw);
  // colour = tanh(raw / 2): its derivative is (1 - colour^2) / 2.
  auto of_colour = result.slice(0, 1);
  at::mul_out(of_colour, colour, colour).neg_().add_(1).mul_(weight).mul_(g / 2);
  // The pixel contains A_i (colour_{i+1} - colour_i), where the last colour is the background. A_i
  // depends on every depth up to i, hence the sum over later pieces below.
  const auto S = left.size(1);
  const auto seen = (g * colour).sum(0);
  auto of_left = seen.neg();
  of_left.slice(1, 0, S - 1).add_(seen.slice(1, 1));
  of_left.select(1, S - 1).add_(gradient.sum(0), form.background);
  of_left.mul_(left);
  const auto sum = of_left.cumsum(1);
  auto of_depth = (sum - of_left).sub_(sum.slice(1, S - 1));
  auto of_density = result[0];
  at::sigmoid_out(of_density, raw[0])
      .mul_(of_depth.mul_(form.density_scale * rays.delta.unsqueeze(1)));
  return result;
}

/// Values of the forward pass of some rays: gamma, the hidden layers, raw.
std::vector<Tensor> compute_values(const RaySamples& rays, const FieldForm& form,
                                   at::TensorList layers) {
  auto values = compute_hidden_layers(rays, form, layers);
  values.push_back(compute_raw(values.back(), layers, rays.distance.sizes()));
  return values;
}

/// Rendering as one differentiable operation over small parts of the rays.
class RenderRays : public torch::autograd::Function<RenderRays> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const RaySamples& rays,
                        const FieldForm& form, bool with_gradient, at::TensorList layers) {
    auto pixels = at::empty({3, rays.distance.size(0)}, rays.distance.options());
    const bool keep = with_gradient && rays.distance.numel() <= kKept;
    torch::autograd::variable_list saved{rays.origin, rays.direction, rays.distance,
                                         rays.delta,  form.waves,     form.phases};
    saved.insert(saved.end(), layers.begin(), layers.end());
    in_chunks(rays, [&](const RaySamples& some, std::int64_t first) {
      auto values = compute_values(some, form, layers);
      const auto passed = shade(values.back(), some, form);
      pixels.slice(1, first, first + some.delta.size(0))
          .copy_(blend(passed.colour, passed.left, form.background));
      if (keep) std::move(values.begin(), values.end(), std::back_inserter(saved));
    });
    if (with_gradient) context->save_for_backward(saved);
    context->saved_data["layers"] = static_cast<std::int64_t>(layers.size());
    context->saved_data["kept"] = keep;
    context->saved_data["density_scale"] = form.density_scale;
    context->saved_data["background"] = form.background;
    return pixels;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const RaySamples rays{saved[0], saved[1], saved[2], saved[3]};
    const FieldForm form{saved[4], saved[5], context->saved_data["density_scale"].toDouble(),
                         context->saved_data["background"].toDouble()};
    auto next = saved.begin() + 6 + context->saved_data["layers"].toInt();
    const std::vector<Tensor> layers(saved.begin() + 6, next);
    const bool kept = context->saved_data["kept"].toBool();
    const auto depth = static_cast<std::int64_t>(layers.size()) / 2;
    torch::autograd::variable_list result(3);  // rays, form and with_gradient have no gradient
    for (const auto& layer : layers) result.push_back(at::zeros_like(layer));
    in_chunks(rays, [&](const RaySamples& some, std::int64_t first) {
      // Values are read back if they were kept, else computed a second time.
      const auto values =
          kept ? std::vector<Tensor>(next, next + depth + 1) : compute_values(some, form, layers);
      if (kept) next += depth + 1;
      const auto gradient = gradients[0].slice(1, first, first + some.delta.size(0));
      // g is [n S, values of a layer], from the last layer to the first.
      auto g = raw_gradient(gradient, values.back(), some, form).view({4, -1}).t();
      for (auto layer = depth - 1; layer >= 0; --layer) {
        result[3 + 2 * layer].add_(multiply_transposed(values[layer].t(), g.t()));
        result[4 + 2 * layer].add_(g.sum(0));
        if (layer == 0) break;
        g = multiply_transposed(g, layers[2 * layer]);
        at::threshold_backward_out(g, g, values[layer], 0);  // ReLU
      }
    });
    return result;
  }
};

}  // namespace

Tensor render_rays(const RaySamples& rays, const FieldForm& form, at::TensorList layers) {
  return RenderRays::apply(rays, form, at::GradMode::is_enabled(), layers);
}

Tensor composite(const Tensor& density, const Tensor& colour, const Tensor& delta,
                 double background) {
  return blend(colour, (density * delta.unsqueeze(1)).cumsum(1).neg().exp(), background);
}

}  // namespace reprise::models
