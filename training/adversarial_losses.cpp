#include <torch/torch.h>

#include "training/adversarial.h"

namespace reprise::training {
namespace {

/// Adds tensors one after another.
at::Tensor add_all(const std::vector<at::Tensor>& parts) {
  auto sum = parts.at(0);
  for (std::size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
  return sum;
}

}  // namespace

at::Tensor discriminator_loss(AdversarialLoss loss, const DiscriminatorOutput& real,
                              const DiscriminatorOutput& generated) {
  std::vector<at::Tensor> parts;
  for (std::size_t k = 0; k < real.logits.size(); ++k) {
    const auto& a = real.logits[k];
    const auto& b = generated.logits[k];
    // softplus(-a) = -log sigmoid(a), without its overflow.
    parts.push_back(loss == AdversarialLoss::Wasserstein
                        ? b.mean() - a.mean()
                        : at::softplus(-a).mean() + at::softplus(b).mean());
  }
  return add_all(parts);
}

at::Tensor generator_loss(AdversarialLoss loss, const DiscriminatorOutput& generated) {
  std::vector<at::Tensor> parts;
  for (const auto& b : generated.logits) switch (loss) {
      case AdversarialLoss::Minimax:
        parts.push_back(-at::softplus(b).mean());
        break;
      case AdversarialLoss::NonSaturating:
        parts.push_back(at::softplus(-b).mean());
        break;
      case AdversarialLoss::Wasserstein:
        parts.push_back(-b.mean());
        break;
    }
  return add_all(parts);
}

at::Tensor discriminator_accuracy(AdversarialLoss loss, const at::Tensor& real,
                                  const at::Tensor& generated) {
  // The Wasserstein loss does not fix the zero of the logits, so the midpoint replaces it.
  const auto threshold = loss == AdversarialLoss::Wasserstein ? (real.mean() + generated.mean()) / 2
                                                              : at::zeros({}, real.options());
  return ((real > threshold).to(at::kFloat).mean() +
          (generated < threshold).to(at::kFloat).mean()) /
         2;
}

at::Tensor gradient_penalty(const Items& items, const DiscriminatorOutput& output) {
  std::vector<at::Tensor> inputs, mean_logits;
  for (const auto& item : items)
    if (item.requires_grad()) inputs.push_back(item);
  // An item's logits depend on this item only, so one sum has the gradients of all items.
  for (const auto& logits : output.logits)
    mean_logits.push_back(logits.reshape({logits.size(0), -1}).mean(1).sum());
  const auto slopes =
      torch::autograd::grad({add_all(mean_logits)}, inputs, {}, /*retain_graph=*/true,
                            /*create_graph=*/true,
                            /*allow_unused=*/true);
  std::vector<at::Tensor> parts;
  // An input that no discriminator uses has no gradient.
  for (const auto& slope : slopes)
    if (slope.defined()) parts.push_back(slope.square().sum() / static_cast<double>(slope.size(0)));
  return add_all(parts);
}

}  // namespace reprise::training
