#include "models/adversarial/image_encoder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "models/adversarial/convolution.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

// Validation happens once per epoch. One part of held_out_parts is held out for it.
constexpr std::int64_t epochs = 10;
constexpr std::int64_t held_out_parts = 8;

/// Generates the first frame of each code, [N, C, S, S].
at::Tensor first_frames(MocoganNetwork& G, const ClipCodes& codes) {
  return G->forward(codes).select(1, 0);
}

/// Draws the codes of a first frame that E does not predict: epsilon and, in networks with actions,
/// z_A. `generator` belongs to `device`; none: torch's default.
ClipCodes draw_rest(const MocoganNetworkOptions& o, std::int64_t n, const at::Device& device,
                    std::optional<at::Generator> generator = {}) {
  ClipCodes codes{
      .z_C = {}, .h_0 = {}, .epsilon = torch::randn({n, 1, o.d_E}, generator, device), .z_A = {}};
  if (o.d_A > 0)
    codes.z_A = torch::one_hot(torch::randint(o.d_A, {n}, generator,
                                              at::TensorOptions(device).dtype(at::kLong)),
                               o.d_A)
                    .to(at::kFloat);
  return codes;
}

/// Disables gradients of G's weights during its lifetime. Gradients still pass to the codes.
class Frozen {
 public:
  explicit Frozen(MocoganNetwork& G) {
    G->eval();
    for (auto& parameter : G->parameters())
      if (parameter.requires_grad()) learning_.push_back(parameter.requires_grad_(false));
  }
  ~Frozen() {
    for (auto& parameter : learning_) parameter.requires_grad_(true);
  }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  std::vector<at::Tensor> learning_;
};

void require_images(const MocoganNetworkOptions& o, const at::Tensor& images) {
  const std::vector<std::int64_t> frame{o.channels, o.side, o.side};
  if (images.dim() != 4 || images.sizes().slice(1) != at::IntArrayRef(frame))
    throw UsageError(fmt::format("an encoder of frames [{}] was given images [{}]",
                                 fmt::join(frame, ", "), fmt::join(images.sizes(), ", ")),
                     "give [N, C, S, S] of the generator's own size");
  if (images.size(0) < held_out_parts)
    throw UsageError(
        fmt::format("{} images for an encoder, of which it holds an eighth out", images.size(0)),
        fmt::format("give at least {}", held_out_parts));
}

/// Draws pairs of a generated and a real image, and the content codes of the generated ones.
training::Batch encoder_batch(MocoganNetwork& G, const at::Tensor& real, std::int64_t n,
                              Random& random) {
  const torch::NoGradGuard no_grad;
  const auto codes =
      move_codes(real.device(),
                 draw_codes(G->options(), n, 1, random.split("content"), random.split("motion")));
  auto chosen = at::empty({n}, at::kLong);
  for (std::int64_t i = 0; i < n; ++i)
    chosen.data_ptr<std::int64_t>()[i] = random.below(real.size(0));
  return {at::stack({first_frames(G, codes), real.index_select(0, chosen.to(real.device()))}, 1),
          codes.z_C};
}

/// Returns the first term of E's objective on held-out images. The seed of epsilon is fixed.
double held_out_error(ImageEncoder& E, MocoganNetwork& G, const at::Tensor& images) {
  double sum = 0;
  auto generator = training::torch_generator(0);
  // Parts of 64 images bound the memory.
  for (const auto& part : images.split(64)) {
    const auto rest =
        move_codes(part.device(), draw_rest(G->options(), part.size(0), at::kCPU, generator));
    // Only E changes between epochs: epsilon and z_A are the same.
    sum += (first_frames(G, start_codes_from(E->forward(part), rest)) - part)
               .abs()
               .mean()
               .item<double>() *
           static_cast<double>(part.size(0));
  }
  return sum / static_cast<double>(images.size(0));
}

}  // namespace

ImageEncoderImpl::ImageEncoderImpl(const MocoganNetworkOptions& of,
                                   const ImageEncoderOptions& options)
    : options_(options),
      d_C_(of.d_C),
      network_(DiscriminatorOptions{.side = of.side,
                                    .channels = of.channels,
                                    .width = options.width,
                                    .outputs = of.d_C + of.d_M}) {
  register_module("network", network_);
}

EncodedImages ImageEncoderImpl::forward(const at::Tensor& x) {
  const auto codes = network_->forward(x);
  return {.z_C = codes.slice(1, 0, d_C_), .h_0 = codes.slice(1, d_C_)};
}

ClipCodes start_codes_from(const EncodedImages& images, ClipCodes drawn) {
  drawn.z_C = images.z_C;
  drawn.h_0 = images.h_0;
  return drawn;
}

training::FitReport fit_encoder(ImageEncoder& E, MocoganNetwork& G, const at::Tensor& images,
                                const EncoderFitOptions& options, std::uint64_t seed,
                                training::Progress& progress) {
  require_images(G->options(), images);
  // The last images are held out, so that the split does not depend on the seed.
  const auto held_out = images.size(0) / held_out_parts;
  const auto learned = images.slice(0, 0, images.size(0) - held_out);
  const auto seen = images.slice(0, images.size(0) - held_out);
  Random random = Random(seed).split("weights");
  draw_adversarial_weights(*E, random);
  E->to(images.device());
  const Frozen frozen(G);
  training::Task task{.batches_per_epoch = std::max<std::int64_t>(1, options.steps / epochs)};
  task.batch = [&](std::int64_t, std::int64_t, Random& of_batch) {
    return encoder_batch(G, learned, options.batch, of_batch);
  };
  // Prediction [2 N, C S S + d_C]: differences of pixels, then content codes; generated images
  // first.
  task.forward = [&](const at::Tensor& pairs) {
    const auto x = pairs.transpose(0, 1).flatten(0, 1);
    const auto codes = E->forward(x);
    const auto frames =
        first_frames(G, start_codes_from(codes, draw_rest(G->options(), x.size(0), x.device())));
    return at::cat({(frames - x).flatten(1), codes.z_C}, 1);
  };
  const auto values = images[0].numel();
  // The first N rows belong to generated images, whose content codes are known.
  task.loss = [&](const at::Tensor& prediction, const at::Tensor& z_C) {
    const auto drawn = prediction.slice(1, values).slice(0, 0, z_C.size(0));
    return prediction.slice(1, 0, values).abs().mean() + options.lambda * at::mse_loss(drawn, z_C);
  };
  task.validate = [&] { return held_out_error(E, G, seen); };
  return training::fit(
      *E, {{.parameters = E->parameters(), .learning_rate = options.learning_rate}}, task,
      {.epochs = epochs, .seed = seed, .checkpoint = options.checkpoint}, progress);
}

}  // namespace reprise::models
