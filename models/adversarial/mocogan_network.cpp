#include "models/adversarial/mocogan_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "models/adversarial/decoder.h"
#include "models/adversarial/video_gan.h"
#include "training/precision.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

/// Returns a torch generator seeded by the next number of `random`.
at::Generator seed_generator(Random& random) {
  return training::torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)));
}

/// Refuses codes of another shape, by their name.
void require_codes(const at::Tensor& codes, const char* name,
                   const std::vector<std::int64_t>& shape) {
  if (codes.defined() && codes.sizes() == at::IntArrayRef(shape)) return;
  throw UsageError(fmt::format("MoCoGAN: {} is {}, and [{}] is needed", name,
                               codes.defined() ? fmt::format("[{}]", fmt::join(codes.sizes(), ", "))
                                               : "not given",
                               fmt::join(shape, ", ")),
                   "draw codes with the network's own options");
}

}  // namespace

MocoganNetworkImpl::MocoganNetworkImpl(const MocoganNetworkOptions& options) : options_(options) {
  const auto& o = options;
  if (o.d_C < 1 || o.d_M < 1 || o.d_E < 1 || o.d_A < 0)
    throw UsageError(
        fmt::format("MoCoGAN with d_C {}, d_M {}, d_E {}, d_A {}", o.d_C, o.d_M, o.d_E, o.d_A),
        "use at least 1, and at least 0 actions");
  // z_A enters one of the two networks.
  const auto into_image = o.entry == ActionEntry::IntoImage ? o.d_A : 0;
  recurrent_ = register_module("recurrent", torch::nn::GRUCell(o.d_E + o.d_A - into_image, o.d_M));
  main_ = register_module("main", make_decoder({.inputs = o.d_C + into_image + o.d_M,
                                                .side = o.side,
                                                .channels = o.channels,
                                                .width = o.width,
                                                .depth = o.depth,
                                                .grid = o.grid}));
}

at::Tensor MocoganNetworkImpl::motion(const ClipCodes& codes) {
  const auto& o = options_;
  const auto B = codes.z_C.size(0), K = codes.epsilon.size(1);
  require_codes(codes.h_0, "h_0", {B, o.d_M});
  require_codes(codes.epsilon, "epsilon", {B, K, o.d_E});
  auto e = codes.epsilon;
  if (o.d_A > 0 && o.entry == ActionEntry::IntoMotion)
    e = at::cat({codes.z_A.unsqueeze(1).expand({B, K, o.d_A}), e}, 2);
  const auto weights = recurrence_weights(e.is_cuda());
  // Float32: the path is many small steps, whose errors would add up, and takes little time.
  const training::PrecisionGuard exact(training::Precision::Float32, e.device().type());
  // at::gru multiplies the inputs of all steps at once. cuDNN has no backward pass unless `train`
  // is true.
  return std::get<0>(at::gru(e, codes.h_0.unsqueeze(0).contiguous(), weights, /*has_biases=*/true,
                             /*num_layers=*/1, /*dropout=*/0,
                             /*train=*/at::GradMode::is_enabled(), /*bidirectional=*/false,
                             /*batch_first=*/true));
}

std::vector<at::Tensor> MocoganNetworkImpl::recurrence_weights(bool in_one_piece) const {
  const auto& r = *recurrent_;
  std::vector<at::Tensor> weights{r.weight_ih, r.weight_hh, r.bias_ih, r.bias_hh};
  // If a weight requires a gradient, LibTorch computes the inputs' product in another way with
  // other last bits. Detached weights give the same numbers in sampling with and without training.
  if (!at::GradMode::is_enabled())
    for (auto& weight : weights) weight = weight.detach();
  if (!in_one_piece) return weights;
  // cuDNN takes them as views of one tensor.
  std::vector<at::Tensor> flat;
  for (const auto& weight : weights) flat.push_back(weight.flatten());
  const auto whole = at::cat(flat);
  std::int64_t at = 0;
  for (auto& weight : weights) {
    weight = whole.narrow(0, at, weight.numel()).view(weight.sizes());
    at += weight.numel();
  }
  return weights;
}

void MocoganNetworkImpl::start_rotating(double frames, Random& random) {
  if (!(frames >= 3))
    throw UsageError(fmt::format("MoCoGAN with a rotation period of {} frames", frames),
                     "use at least 3");
  const torch::NoGradGuard no_grad;
  const auto d = options_.d_M;  // gates are stacked as r, s, c
  auto R = at::zeros({d, d});   // zero in the row of an odd last unit, which has no partner
  for (std::int64_t i = 0; i + 1 < d; i += 2) {
    const double angle = 2 * std::numbers::pi / random.uniform(frames, 4 * frames);
    // Each pair of units is a plane that turns by `angle` per frame.
    R[i][i] = R[i + 1][i + 1] = std::cos(angle);
    R[i][i + 1] = -std::sin(angle);
    R[i + 1][i] = std::sin(angle);
  }
  // 1.2 compensates the tanh, which shrinks h. r is open (bias 2) and s nearly shut (bias -2).
  recurrent_->weight_hh.slice(0, 2 * d, 3 * d).copy_(1.2 * R);
  recurrent_->bias_ih.slice(0, 0, d).fill_(2);
  recurrent_->bias_ih.slice(0, d, 2 * d).fill_(-2);
}

at::Tensor MocoganNetworkImpl::forward(const ClipCodes& codes) {
  const auto& o = options_;
  const auto B = codes.z_C.size(0), K = codes.epsilon.size(1);
  require_codes(codes.z_C, "z_C", {B, o.d_C});
  if (o.d_A > 0) require_codes(codes.z_A, "z_A", {B, o.d_A});
  // Content and action are the same in all frames.
  const auto each_frame = [&](const at::Tensor& code) {
    return code.unsqueeze(1).expand({B, K, code.size(1)});
  };
  std::vector<at::Tensor> z{each_frame(codes.z_C)};
  if (o.d_A > 0 && o.entry == ActionEntry::IntoImage) z.push_back(each_frame(codes.z_A));
  z.push_back(motion(codes));
  // G_I sees the frames of all clips as one batch of pictures.
  const auto frames =
      main_->forward(at::cat(z, 2).flatten(0, 1).unsqueeze(-1).unsqueeze(-1)).tanh();
  return frames.unflatten(0, std::vector<std::int64_t>{B, K});
}

ClipCodes draw_codes(const MocoganNetworkOptions& o, std::int64_t count, std::int64_t K,
                     Random content, Random motion, const at::Tensor& actions) {
  const auto of_content = seed_generator(content), of_motion = seed_generator(motion);
  ClipCodes codes{.z_C = torch::randn({count, o.d_C}, of_content),
                  .h_0 = torch::randn({count, o.d_M}, of_motion),
                  .epsilon = {},
                  .z_A = {}};
  if (o.d_A > 0) {
    // Drawn even if given, so that labels do not change the motion.
    const auto drawn = torch::randint(o.d_A, {count}, of_motion, at::kLong);
    const auto chosen = actions.defined() ? actions.to(at::kCPU) : drawn;
    if (chosen.dim() != 1 || chosen.size(0) != count)
      throw UsageError(
          fmt::format("labels of shape [{}] for {} clips", fmt::join(chosen.sizes(), ", "), count),
          "give one label per clip");
    if (count > 0 &&
        (chosen.min().item<std::int64_t>() < 0 || chosen.max().item<std::int64_t>() >= o.d_A))
      throw UsageError(fmt::format("a class beyond 0 to {} was requested", o.d_A - 1),
                       "request a class of the examples");
    codes.z_A = torch::one_hot(chosen, o.d_A).to(at::kFloat);
  }
  // Drawn frame by frame, so that a longer clip begins with the frames of a shorter one.
  std::vector<at::Tensor> epsilon;
  for (std::int64_t k = 0; k < K; ++k) epsilon.push_back(torch::randn({count, o.d_E}, of_motion));
  codes.epsilon = at::stack(epsilon, 1);
  return codes;
}

at::Tensor interpolate_codes(const at::Tensor& a, const at::Tensor& b, std::int64_t count) {
  if (count < 2 || a.dim() < 2 || a.size(0) != 1 || a.sizes() != b.sizes())
    throw UsageError(
        fmt::format("{} codes from {} to {}", count, c10::str(a.sizes()), c10::str(b.sizes())),
        "request both ends at least, between codes of one shape, [1, ...]");
  const auto cosine = at::cosine_similarity(a, b, -1).unsqueeze(-1).clamp(-1, 1);
  const auto theta = cosine.acos(), sine = theta.sin();
  std::vector<std::int64_t> shape(static_cast<std::size_t>(a.dim()), 1);
  shape[0] = count;
  const auto t = torch::linspace(0, 1, count).view(shape);
  // sin(theta) is 0 for parallel codes; they are interpolated on the straight line.
  const auto straight = sine.abs() < 1e-4;
  const auto of_a = at::where(straight, 1 - t, ((1 - t) * theta).sin() / sine);
  const auto of_b = at::where(straight, t, (t * theta).sin() / sine);
  return of_a * a + of_b * b;
}

ClipCodes move_codes(const at::Device& device, const ClipCodes& codes) {
  return transform_codes(codes, [&](const at::Tensor& code) { return code.to(device); });
}

at::Tensor decode_clips(MocoganNetwork G, const ClipCodes& codes) {
  G->eval();
  const auto device = G->parameters().front().device();
  return generate_in_parts(codes.z_C.size(0), [&](std::int64_t first, std::int64_t count) {
    return G->forward(transform_codes(codes, [&](const at::Tensor& code) {
      return code.slice(0, first, first + count).to(device);
    }));
  });
}

}  // namespace reprise::models
