#include "models/recurrent/recurrent_stage.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "models/layers/product.h"

namespace reprise::models {
namespace {

using torch::Tensor;

/// Copies a part of a stage into modules below `root`. with_map: W and b too, not only the norm.
StagePart copy_part(const StagePart& part, bool with_map, torch::nn::Module& root,
                    const std::string& name) {
  StagePart same;
  if (with_map && part.map) {
    const auto& weight = part.map->weight;
    same.map =
        LinearMap(weight.size(1), weight.size(0), part.map->window(), part.map->bias.defined());
    root.register_module(name, same.map.ptr());
  }
  if (part.norm) {
    same.norm = BatchNorm(part.norm->weight.numel());
    root.register_module(name + "_norm", same.norm.ptr());
  }
  same.copy_values(part);
  return same;
}

/// Copies a stage without its last W, which becomes weight_x. Batch norm is fixed.
Stage copy_stage(const Stage& trained, torch::nn::Module& root) {
  if (trained.parts.empty() || trained.options().activation == Activation::None)
    throw Error(
        trained.options().name + " cannot be made recurrent: it has no weights, or no activation",
        "take a convolutional or fully connected layer before the output layer");
  Stage same = trained;
  const auto last = same.parts.size() - 1;
  for (std::size_t i = 0; i < last; ++i)
    same.parts[i] = copy_part(trained.parts[i], true, root, fmt::format("before{}", i + 1));
  same.parts[last] = copy_part(trained.parts[last], false, root, "layer");
  same.projection = copy_part(trained.projection, true, root, "projection");
  same.fix_statistics();  // eq 6: "pre-computed"
  return same;
}

/// Returns the matrix [k, size] of one dimension. Row j is 1 / positions where element j of the
/// window meets the image.
Tensor position_weights(std::int64_t size, std::int64_t k, std::int64_t stride,
                        std::int64_t padding) {
  const auto count = (size + 2 * padding - k) / stride + 1;  // window positions
  auto matrix = torch::zeros({k, size}, torch::kFloat64);
  auto* values = matrix.data_ptr<double>();
  for (std::int64_t j = 0; j < k; ++j)
    for (std::int64_t p = 0; p < count; ++p)
      if (const auto at = p * stride + j - padding; at >= 0 && at < size)
        values[j * size + at] = 1.0 / static_cast<double>(count);
  return matrix;
}

}  // namespace

Tensor window_means(const Tensor& x, const Window& window) {
  // The mean over a box of positions is one matrix product per dimension.
  auto s = x;
  for (std::size_t d = 0; d < window.size.size(); ++d) {
    const auto dimension = static_cast<std::int64_t>(d) + 2;  // behind N and C
    const auto matrix =
        position_weights(x.size(dimension), window.size[d], window.stride[d], window.padding[d]);
    s = s.transpose(dimension, -1).matmul(matrix.to(x.options()).t()).transpose(dimension, -1);
  }
  return s;
}

RecurrentStageImpl::RecurrentStageImpl(const Stage& trained, const RecurrentStageOptions& options,
                                       Random& random)
    : options_(options), trained_(copy_stage(trained, *this)) {
  const auto& map = trained.parts.back().map;
  const auto units = map->weight.size(0);
  const auto gates = static_cast<std::int64_t>(gate_names(options.cell).size());
  // Every gate starts as a copy of the trained layer; SIH has one copy for all.
  const auto copies = options.input_to_hidden == InputToHidden::PerGate ? gates : 1;
  const torch::NoGradGuard no_gradient;
  auto repeats = std::vector<std::int64_t>(map->weight.dim(), 1);
  repeats[0] = copies;
  weight_x = register_parameter("weight_x", map->weight.detach().contiguous().repeat(repeats));
  const bool with_bias = map->bias.defined();
  bias = register_parameter("bias", with_bias ? map->bias.detach().repeat({copies}) : Tensor(),
                            /*requires_grad=*/with_bias);
  if (options.open_gates) open_gates();
  std::vector<Tensor> blocks;
  for (std::int64_t g = 0; g < gates; ++g)
    blocks.push_back(draw_orthogonal(units, options.hidden_scale, random));
  weight_h = register_parameter("weight_h", torch::cat(blocks));
}

void RecurrentStageImpl::open_gates() {
  if (options_.input_to_hidden == InputToHidden::Shared || !bias.defined())
    throw Error(trained_.options().name + ": its gates cannot start open",
                "give every gate its own weights, of a layer with a bias");
  constexpr double open = 2;  // sigma(2) = 0.88: mostly open
  const auto units = trained_.options().outputs;
  const auto& names = gate_names(options_.cell);
  for (std::int64_t g = 0; g < sigmoid_gates(options_.cell); ++g) {
    weight_x.narrow(0, g * units, units).zero_();
    // Input, output and update gates are open; the forget gate is shut; the reset gate is neutral.
    double start = open;
    if (names[g] == "f") start = -open;
    if (names[g] == "r") start = 0;
    bias.narrow(0, g * units, units).fill_(start);
  }
}

Tensor RecurrentStageImpl::input_product(const Tensor& x) const {
  if (x.dim() < 3)
    throw Error(fmt::format("{}: x is {}", trained_.options().name, c10::str(x.sizes())),
                "give x as [B, T, ...], the frames of clips");
  const auto batch = x.size(0);
  const auto steps = x.size(1);
  const auto units = weight_h.size(1);
  const auto copies = weight_x.size(0) / units;  // of W_xy: one per gate, or one for all (SIH)
  const auto frames = x.flatten(0, 1);
  trained_.check_input(frames);
  const auto time_major = [&](const Tensor& y) {
    return y.reshape({batch, steps, -1}).transpose(0, 1).contiguous();
  };
  const auto& last = trained_.parts.back();
  const bool convolution = weight_x.dim() > 2;
  const auto seen = trained_.input_of_map(frames);
  // P(B(W * x)) = B(W s): one matrix product with the means over windows.
  const auto s = time_major(convolution ? window_means(seen, trained_.window_of_map()) : seen);
  auto u = linear(s, weight_x.flatten(1),
                  bias.defined() ? bias : torch::zeros({copies * units}, weight_x.options()));
  if (!last.norm && !convolution) return u;
  // B and γ act on each copy alike.
  u = u.view({steps, batch, copies, units});
  if (last.norm) {
    const auto [scale, shift] = last.norm->scale_and_shift();
    u = u * scale + shift;
  }
  if (const auto gamma = trained_.residual(frames); gamma.defined())
    u = u + time_major(gamma.flatten(2).mean(-1)).unsqueeze(2);
  return u.reshape({steps, batch, copies * units});
}

Tensor RecurrentStageImpl::forward(const Tensor& x, const Tensor& mask) {
  return recurrence(options_.cell, input_product(x), weight_h, mask).transpose(0, 1);
}

Tensor RecurrentStageImpl::follow(const Tensor& x, CellState& state) {
  return recurrence_from(state, options_.cell, input_product(x), weight_h).transpose(0, 1);
}

std::vector<Tensor> RecurrentStageImpl::gates(const Tensor& x) {
  const torch::NoGradGuard no_gradient;
  const auto stacked = gate_activations(options_.cell, input_product(x), weight_h);
  if (!stacked.defined()) return {};
  std::vector<Tensor> out;
  for (const auto& g : stacked.split(weight_h.size(1), -1)) out.push_back(g.transpose(0, 1));
  return out;
}

std::int64_t RecurrentStageImpl::added_parameters() const {
  const auto copies = weight_x.size(0) / weight_h.size(1);
  // One copy replaces the trained W_xy; the others and all W_h* are new.
  return weight_x.numel() / copies * (copies - 1) + weight_h.numel();
}

}  // namespace reprise::models
