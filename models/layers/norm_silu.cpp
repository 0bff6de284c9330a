#include "models/layers/norm_silu.h"

#include <ATen/TensorIterator.h>
#include <torch/torch.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.h"

namespace reprise::models {
namespace {

using torch::Tensor;

/// Calls use(n) for every item on torch's threads. at::parallel_for() runs them in parallel only if
/// the compiler has OpenMP.
template <typename Use>
void for_items(std::int64_t items, const Use& use) {
  const auto numbers = at::arange(items, at::kLong);
  auto iterator = at::TensorIteratorConfig()
                      .add_output(numbers)
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .build();
  iterator.for_each(
      [&use](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          use(*reinterpret_cast<const std::int64_t*>(data[0] + i * strides[0]));
      },
      1);
}

enum class Activation : std::int64_t { None, Silu, Relu };

double sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

/// Sigmoid to about two units in the last place, in a form that compilers vectorise: e^-z = 2^n
/// e^r, |r| <= ln(2) / 2.
float sigmoid(float z) {
  const float x = std::max(-87.0F, std::min(87.0F, -z));  // e^87 is near float's maximum
  // Adding 1.5 * 2^23 rounds to a whole number, which stands in the low bits of the sum.
  constexpr float round = 12582912.0F;
  const float shifted = x * 1.44269504F + round;  // 1 / ln 2
  const float n = shifted - round;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;  // ln 2 in two parts
  // Polynomial of e^r (Cephes expf).
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1;
  return 1 / (1 + p * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 127U) << 23U));
}

/// Sizes and weights for all passes. Values of an item: [places, C].
template <typename T>
struct Form {
  std::int64_t C;       ///< channels
  std::int64_t places;  ///< positions of an item: height x width
  std::int64_t groups;
  const T* gamma;
  const T* beta;
  const T* scale_shift;  ///< may be null
  double eps;

  std::int64_t width() const { return C / groups; }
  T gain(std::int64_t n, std::int64_t c) const {
    return scale_shift == nullptr ? T(1) : 1 + scale_shift[n * 2 * C + c];
  }
  T shift(std::int64_t n, std::int64_t c) const {
    return scale_shift == nullptr ? T(0) : scale_shift[n * 2 * C + C + c];
  }
};

/// Computes mean and 1 / standard deviation of each group: [2, groups]. Sums are relative to each
/// channel's first value, so that a large mean costs no precision.
template <typename T>
void compute_statistics(const Form<T>& form, const T* x, T* result) {
  const auto C = form.C;
  std::vector<T> sums(2 * C);
  T* __restrict sum = sums.data();
  T* __restrict square = sum + C;
  for (std::int64_t place = 1; place < form.places; ++place) {
    const T* row = x + place * C;
    for (std::int64_t c = 0; c < C; ++c) {
      const T away = row[c] - x[c];
      sum[c] += away;
      square[c] += away * away;
    }
  }
  const auto places = static_cast<double>(form.places);
  const auto width = static_cast<double>(form.width());
  for (std::int64_t g = 0; g < form.groups; ++g) {
    double mean = 0, variance = 0;
    // The channels' means give the group's mean; variances within and between channels add up.
    for (auto c = g * form.width(); c < (g + 1) * form.width(); ++c)
      mean += (x[c] + sum[c] / places) / width;
    for (auto c = g * form.width(); c < (g + 1) * form.width(); ++c) {
      const double away = sum[c] / places;
      const double between = x[c] + away - mean;
      // Rounding can make a variance slightly negative.
      variance += (std::max(0.0, square[c] / places - away * away) + between * between) / width;
    }
    result[g] = static_cast<T>(mean);
    // If squares overflow the result is NaN: 1 / infinity would be 0 and hide it.
    result[form.groups + g] = std::isfinite(variance)
                                  ? static_cast<T>(1 / std::sqrt(variance + form.eps))
                                  : std::numeric_limits<T>::quiet_NaN();
  }
}

/// Returns slope and offset of z = slope x + offset per channel: [2, C].
template <typename T>
std::vector<T> compute_line(const Form<T>& form, std::int64_t n, const T* statistics) {
  std::vector<T> line(2 * form.C);
  for (std::int64_t c = 0; c < form.C; ++c) {
    const auto g = c / form.width();
    const T inverse = statistics[form.groups + g];
    const T gain = form.gain(n, c);
    line[c] = inverse * form.gamma[c] * gain;
    line[form.C + c] =
        (form.beta[c] - statistics[g] * inverse * form.gamma[c]) * gain + form.shift(n, c);
  }
  return line;
}

/// Computes y = activation(slope x + offset) of an item: the second pass of the forward pass.
template <Activation activation, typename T>
void apply_line(const Form<T>& form, const T* x, const std::vector<T>& line, T* y) {
  const auto C = form.C;
  const T* slope = line.data();
  const T* offset = slope + C;
  for (std::int64_t place = 0; place < form.places; ++place) {
    const T* __restrict in = x + place * C;
    T* __restrict out = y + place * C;
    for (std::int64_t c = 0; c < C; ++c) {
      const T z = slope[c] * in[c] + offset[c];
      if constexpr (activation == Activation::Silu)
        out[c] = z * sigmoid(z);
      else if constexpr (activation == Activation::Relu)
        out[c] = z < T(0) ? T(0) : z;  // keeps NaN
      else
        out[c] = z;
    }
  }
}

/// Computes the gradient dx of item n from dy. sums [2, C] get sum dz and sum dz xhat of the item.
template <Activation activation, typename T>
void compute_gradient(const Form<T>& form, std::int64_t n, const T* x, const T* dy,
                      const T* statistics, T* dx, T* sums) {
  const auto C = form.C;
  const auto line = compute_line(form, n, statistics);
  // xhat = first x + second per channel. Later they hold the group's part of dx.
  std::vector<T> factors(2 * C);
  T* first = factors.data();
  T* second = first + C;
  for (std::int64_t c = 0; c < C; ++c) {
    const auto g = c / form.width();
    first[c] = statistics[form.groups + g];
    second[c] = -statistics[g] * statistics[form.groups + g];
  }
  const T* slope = line.data();
  const T* offset = slope + C;
  T* __restrict sum = sums;
  T* __restrict product = sums + C;
  std::fill(sums, sums + 2 * C, T(0));
  // First pass: dz into dx, and its sums.
  for (std::int64_t place = 0; place < form.places; ++place) {
    const T* in = x + place * C;
    const T* above = dy + place * C;
    T* __restrict out = dx + place * C;
    for (std::int64_t c = 0; c < C; ++c) {
      T dz = above[c];
      if constexpr (activation == Activation::Silu) {
        const T z = slope[c] * in[c] + offset[c];
        const T s = sigmoid(z);
        dz *= s * (1 + z * (1 - s));
      } else if constexpr (activation == Activation::Relu) {
        dz = slope[c] * in[c] + offset[c] > T(0) ? dz : T(0);
      }
      out[c] = dz;
      sum[c] += dz;
      product[c] += dz * (first[c] * in[c] + second[c]);
    }
  }
  // The group's mean gradient and its mean product with xhat, both to be subtracted.
  const auto values = static_cast<double>(form.places * form.width());
  for (std::int64_t g = 0; g < form.groups; ++g) {
    double mean = 0, with_xhat = 0;
    for (auto c = g * form.width(); c < (g + 1) * form.width(); ++c) {
      const double weight = static_cast<double>(form.gamma[c]) * form.gain(n, c);
      mean += weight * sum[c] / values;
      with_xhat += weight * product[c] / values;
    }
    const double inverse = statistics[form.groups + g];
    for (auto c = g * form.width(); c < (g + 1) * form.width(); ++c) {
      first[c] = static_cast<T>(-inverse * inverse * with_xhat);
      second[c] = static_cast<T>(inverse * (inverse * with_xhat * statistics[g] - mean));
    }
  }
  // Second pass: dx = slope dz + the group's part.
  for (std::int64_t place = 0; place < form.places; ++place) {
    const T* in = x + place * C;
    T* __restrict out = dx + place * C;
    for (std::int64_t c = 0; c < C; ++c)
      out[c] = slope[c] * out[c] + (first[c] * in[c] + second[c]);
  }
}

template <typename T>
Form<T> make_form(const Tensor& x, std::int64_t groups, double eps, const Tensor& gamma,
                  const Tensor& beta, const Tensor& scale_shift) {
  return {.C = x.size(1),
          .places = x.size(2) * x.size(3),
          .groups = groups,
          .gamma = gamma.const_data_ptr<T>(),
          .beta = beta.const_data_ptr<T>(),
          .scale_shift = scale_shift.defined() ? scale_shift.const_data_ptr<T>() : nullptr,
          .eps = eps};
}

/// Calls use with the activation as a compile-time constant.
template <typename Use>
void with_constant(Activation activation, const Use& use) {
  switch (activation) {
    case Activation::Silu:
      return use(std::integral_constant<Activation, Activation::Silu>());
    case Activation::Relu:
      return use(std::integral_constant<Activation, Activation::Relu>());
    case Activation::None:
      return use(std::integral_constant<Activation, Activation::None>());
  }
}

/// Returns y and the statistics [N, 2, groups]. x is channels-last; the other tensors are
/// contiguous.
std::pair<Tensor, Tensor> run_forward(Activation activation, const Tensor& x, std::int64_t groups,
                                      double eps, const Tensor& gamma, const Tensor& beta,
                                      const Tensor& scale_shift) {
  auto y = at::empty_like(x);
  auto kept = at::empty({x.size(0), 2, groups}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "norm_silu", [&] {
    const auto form = make_form<scalar_t>(x, groups, eps, gamma, beta, scale_shift);
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = y.data_ptr<scalar_t>();
    auto* statistic = kept.data_ptr<scalar_t>();
    with_constant(activation, [&](auto constant) {
      for_items(x.size(0), [&](std::int64_t n) {
        const auto item = n * form.C * form.places;
        compute_statistics(form, from + item, statistic + n * 2 * groups);
        apply_line<constant()>(form, from + item, compute_line(form, n, statistic + n * 2 * groups),
                               to + item);
      });
    });
  });
  return {y, kept};
}

/// Returns dx and the sums [N, 2, C].
std::pair<Tensor, Tensor> run_backward(Activation activation, const Tensor& dy, const Tensor& x,
                                       const Tensor& kept, double eps, const Tensor& gamma,
                                       const Tensor& beta, const Tensor& scale_shift) {
  auto dx = at::empty_like(x);
  auto sums = at::empty({x.size(0), 2, x.size(1)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "norm_silu", [&] {
    const auto form = make_form<scalar_t>(x, kept.size(2), eps, gamma, beta, scale_shift);
    const auto* from = x.const_data_ptr<scalar_t>();
    const auto* above = dy.const_data_ptr<scalar_t>();
    const auto* statistic = kept.const_data_ptr<scalar_t>();
    auto* to = dx.data_ptr<scalar_t>();
    auto* sum = sums.data_ptr<scalar_t>();
    with_constant(activation, [&](auto constant) {
      for_items(x.size(0), [&](std::int64_t n) {
        const auto item = n * form.C * form.places;
        compute_gradient<constant()>(form, n, from + item, above + item,
                                     statistic + n * 2 * form.groups, to + item,
                                     sum + n * 2 * form.C);
      });
    });
  });
  return {dx, sums};
}

/// The CPU implementation with its backward pass.
class NormActivation : public torch::autograd::Function<NormActivation> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, Activation activation,
                        const Tensor& x, const Tensor& gamma, const Tensor& beta,
                        const std::optional<Tensor>& given, std::int64_t groups, double eps) {
    const auto scale_shift = given.value_or(Tensor());
    auto [y, kept] = run_forward(activation, x, groups, eps, gamma, beta, scale_shift);
    context->save_for_backward({x, gamma, beta, scale_shift, kept});
    context->saved_data["activation"] = static_cast<std::int64_t>(activation);
    context->saved_data["eps"] = eps;
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& above) {
    if (at::GradMode::is_enabled())
      throw Error("a norm with activation has no second derivative",
                  "differentiate without create_graph");
    const auto saved = context->get_saved_variables();
    const auto &x = saved[0], &gamma = saved[1], &beta = saved[2], &scale_shift = saved[3];
    const auto [dx, sums] =
        run_backward(static_cast<Activation>(context->saved_data["activation"].toInt()),
                     above[0].contiguous(at::MemoryFormat::ChannelsLast), x, saved[4],
                     context->saved_data["eps"].toDouble(), gamma, beta, scale_shift);
    // Sums over positions, [N, C]; the header has the gradients that they form.
    const auto of_shift = sums.select(1, 0);
    const auto with_xhat = sums.select(1, 1);
    if (!scale_shift.defined()) return {{}, dx, with_xhat.sum(0), of_shift.sum(0), {}, {}, {}};
    const auto gain = scale_shift.slice(1, 0, x.size(1)) + 1;
    const auto of_scale = at::addcmul(of_shift * beta, with_xhat, gamma);
    return {{},
            dx,
            (gain * with_xhat).sum(0),
            (gain * of_shift).sum(0),
            at::cat({of_scale, of_shift}, 1),
            {},
            {}};
  }
};

/// Weights of a norm: a group norm, or an instance norm, which has one channel per group and no
/// weights.
struct Norm {
  std::int64_t groups;
  double eps;
  Tensor gamma, beta;
};

/// Computes the same by torch's operations, for other devices and types.
Tensor apply_composed(Activation activation, const Norm& norm, const Tensor& x,
                      const Tensor& scale_shift) {
  auto y = at::group_norm(x, norm.groups, norm.gamma, norm.beta, norm.eps);
  if (scale_shift.defined()) {
    const auto parts = scale_shift.unsqueeze(-1).unsqueeze(-1).chunk(2, 1);
    y = at::addcmul(parts[1], y, parts[0] + 1);
  }
  switch (activation) {
    case Activation::Silu:
      return at::silu(y);
    case Activation::Relu:
      return at::relu(y);
    case Activation::None:
      break;
  }
  return y;
}

/// Chooses the implementation for the device and the gradient mode.
Tensor apply_norm(Activation activation, const Norm& norm, const Tensor& x,
                  const Tensor& scale_shift) {
  if (!x.is_cpu() || (x.scalar_type() != at::kFloat && x.scalar_type() != at::kDouble))
    return apply_composed(activation, norm, x, scale_shift);
  const auto last = x.contiguous(at::MemoryFormat::ChannelsLast);
  const auto given = scale_shift.defined() ? scale_shift.contiguous() : scale_shift;
  if (!at::GradMode::is_enabled())
    return run_forward(activation, last, norm.groups, norm.eps, norm.gamma, norm.beta, given).first;
  // Function::apply() accepts an undefined tensor only as an optional.
  return NormActivation::apply(activation, last, norm.gamma, norm.beta,
                               given.defined() ? std::optional<Tensor>(given) : std::nullopt,
                               norm.groups, norm.eps);
}

Norm make_norm(const torch::nn::GroupNorm& norm) {
  return {.groups = norm->options.num_groups(),
          .eps = norm->options.eps(),
          .gamma = norm->weight,
          .beta = norm->bias};
}

Norm make_instance_norm(const Tensor& x) {
  const auto channels = x.size(1);
  return {.groups = channels,
          .eps = 1e-5,  // PyTorch's default of instance norm
          .gamma = at::ones({channels}, x.options()),
          .beta = at::zeros({channels}, x.options())};
}

}  // namespace

Tensor norm_silu(const torch::nn::GroupNorm& norm, const Tensor& x, const Tensor& scale_shift) {
  return apply_norm(Activation::Silu, make_norm(norm), x, scale_shift);
}

Tensor apply_group_norm(const torch::nn::GroupNorm& norm, const Tensor& x) {
  return apply_norm(Activation::None, make_norm(norm), x, {});
}

Tensor instance_norm(const Tensor& x) {
  return apply_norm(Activation::None, make_instance_norm(x), x, {});
}

Tensor instance_norm_relu(const Tensor& x) {
  return apply_norm(Activation::Relu, make_instance_norm(x), x, {});
}

}  // namespace reprise::models
