#include "training/scripted_denoiser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "core/error.h"
#include "training/torch_script.h"

namespace reprise::training {

struct ScriptedDenoiser::Script {
  torch::jit::Module module;
};

ScriptedDenoiser::ScriptedDenoiser(const std::filesystem::path& file, at::Device device)
    : script_(std::make_unique<Script>(Script{read_script(file, device)})),
      name_(file.filename().string()) {
  script_->module.eval();
  for (const auto& parameter : script_->module.parameters())
    at::Tensor(parameter).requires_grad_(false);
}

ScriptedDenoiser::~ScriptedDenoiser() = default;

at::Tensor ScriptedDenoiser::forward(const at::Tensor& x, const at::Tensor& sigma,
                                     const at::Tensor& labels) {
  if (labels.defined())
    throw UsageError(name_ + ": a denoiser from a file is unconditional, but labels are given",
                     "leave them out");
  // The script gets one level per item, also where all are equal.
  const auto levels = sigma.to(at::kFloat).expand({x.size(0)}).contiguous();
  auto y = call_script(script_->module, {x, levels}, name_);
  const auto good = y.isfinite().reshape({y.size(0), -1}).all(1);
  if (!good.all().item<bool>()) {
    const auto first = good.logical_not().nonzero()[0][0].item<std::int64_t>();
    throw Error(
        fmt::format(
            "{}: forward gives values that are not finite for item {} of a batch of {}, at sigma = "
            "{}",
            name_, first, x.size(0), levels[first].item<float>()),
        "check the network at this level; it must work at every level of the profile");
  }
  return y;
}

void ScriptedDenoiser::check_items(const std::vector<std::int64_t>& item) {
  std::vector<std::int64_t> shape{2};
  shape.insert(shape.end(), item.begin(), item.end());
  const auto text = [](at::IntArrayRef sizes) {
    return fmt::format("[{}]", fmt::join(sizes, ", "));
  };
  const auto contract = fmt::format("forward(x {}, sigma [2]) must give D(x; sigma), float {}",
                                    text(shape), text(shape));
  // Inversion differentiates D, so the check needs a gradient in x.
  const auto x = torch::zeros(shape).requires_grad_();
  at::Tensor y;
  try {
    y = call_script(script_->module, {x, torch::ones({2})}, name_);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("{}: forward fails on x of shape {} and sigma of shape [2]: {}",
                                 name_, text(shape), torchscript_reason(error)),
                     contract);
  }
  if (y.sizes() != x.sizes() || y.scalar_type() != at::kFloat)
    throw UsageError(
        fmt::format("{}: forward maps x of shape {} to {} {}, expected float {}", name_,
                    text(shape), c10::toString(y.scalar_type()), text(y.sizes()), text(shape)),
        contract);
  if (!y.requires_grad())
    throw UsageError(name_ + ": the result of forward has no gradient in x",
                     "compute it from x without torch.no_grad; inversion needs its gradient");
}

}  // namespace reprise::training
