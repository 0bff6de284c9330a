#include "models/recurrent/recurrent_layer.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "core/error.h"
#include "models/layers/product.h"

namespace reprise::models {

const std::vector<std::string>& gate_names(RecurrentCell cell) {
  static const std::vector<std::string> plain{"h"};
  static const std::vector<std::string> lstm{"i", "f", "o", "c"};
  static const std::vector<std::string> gru{"r", "z", "h"};
  switch (cell) {
    case RecurrentCell::Lstm:
      return lstm;
    case RecurrentCell::Gru:
      return gru;
    case RecurrentCell::Vrnn:
    case RecurrentCell::Elman:
    case RecurrentCell::Linear:
      break;
  }
  return plain;
}

int sigmoid_gates(RecurrentCell cell) {
  // Every cell has one stack without a sigmoid, the last one: h or c.
  return static_cast<int>(gate_names(cell).size()) - 1;
}

torch::Tensor draw_orthogonal(std::int64_t n, double scale, Random& random) {
  auto normal = torch::empty({n, n}, torch::kFloat64);
  auto* values = normal.data_ptr<double>();
  for (std::int64_t i = 0; i < n * n; ++i) values[i] = random.normal();
  auto [q, r] = at::linalg_qr(normal);
  // The signs of r's diagonal make q uniform over orthogonal matrices (Mezzadri 2007).
  return (q * r.diagonal().sign() * scale).to(torch::kFloat32);
}

std::int64_t added_parameters(RecurrentCell cell, InputToHidden input_to_hidden,
                              std::int64_t inputs, std::int64_t units) {
  const std::int64_t gates = gate_names(cell).size();
  const auto copies = input_to_hidden == InputToHidden::PerGate ? gates - 1 : 0;
  return copies * inputs * units + gates * units * units;
}

std::int64_t traditional_parameters(RecurrentCell cell, std::int64_t inputs, std::int64_t units) {
  return static_cast<std::int64_t>(gate_names(cell).size()) * (inputs * units + units * units);
}

RecurrentLayerImpl::RecurrentLayerImpl(RecurrentLayerOptions options, Random& random)
    : options_(options) {
  const auto inputs = options.inputs();
  const auto units = options.units();
  if (inputs < 1 || units < 1)
    throw Error(fmt::format("recurrent layer {} -> {}", inputs, units),
                "give at least one input and one unit");
  const std::int64_t gates = gate_names(options.cell()).size();
  const bool per_gate = options.input_to_hidden() == InputToHidden::PerGate;
  const auto rows = per_gate ? gates * units : units;
  // One number at a time from `random`, so that values do not depend on torch's generators.
  auto start = torch::empty({rows, inputs});
  const auto bound = 1 / std::sqrt(static_cast<double>(inputs));
  auto* values = start.data_ptr<float>();
  for (std::int64_t i = 0; i < rows * inputs; ++i)
    values[i] = static_cast<float>(random.uniform(-bound, bound));
  weight_x = register_parameter("weight_x", start);
  auto zero = torch::zeros({rows});
  // With SIH all gates share one bias, so the forget gate cannot have its own.
  for (std::int64_t g = 0; per_gate && g < gates; ++g)
    if (gate_names(options.cell())[g] == "f")
      zero.narrow(0, g * units, units).fill_(options.forget_bias());
  bias = register_parameter("bias", zero);
  // Each gate has its own orthogonal matrix.
  std::vector<torch::Tensor> blocks;
  for (std::int64_t g = 0; g < gates; ++g)
    blocks.push_back(draw_orthogonal(units, options.hidden_scale(), random));
  weight_h = register_parameter("weight_h", torch::cat(blocks));
}

torch::Tensor RecurrentLayerImpl::input_product(const torch::Tensor& x) const {
  if (x.dim() != 3 || x.size(2) != options_.inputs())
    throw Error(fmt::format("recurrent layer: x is {}", c10::str(x.sizes())),
                fmt::format("give x as [B, T, {}]", options_.inputs()));
  // The inputs of all steps in one product; recurrence() is time-major.
  return linear(x.transpose(0, 1).contiguous(), weight_x, bias);
}

torch::Tensor RecurrentLayerImpl::forward(const torch::Tensor& x) {
  return recurrence(options_.cell(), input_product(x), weight_h).transpose(0, 1);
}

torch::Tensor RecurrentLayerImpl::follow(const torch::Tensor& x, CellState& state) {
  return recurrence_from(state, options_.cell(), input_product(x), weight_h).transpose(0, 1);
}

std::vector<torch::Tensor> RecurrentLayerImpl::gates(const torch::Tensor& x) {
  const torch::NoGradGuard no_gradient;
  const auto stacked = gate_activations(options_.cell(), input_product(x), weight_h);
  if (!stacked.defined()) return {};
  std::vector<torch::Tensor> out;
  for (const auto& g : stacked.split(options_.units(), -1)) out.push_back(g.transpose(0, 1));
  return out;
}

}  // namespace reprise::models
