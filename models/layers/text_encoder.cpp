#include "models/layers/text_encoder.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "core/error.h"

namespace reprise::models {

TextEncoderImpl::TextEncoderImpl(const TextEncoderOptions& options) : options_(options) {
  if (options.words < 1 || options.longest < 1 || options.width < 1)
    throw UsageError("a text encoder without words, places or width",
                     "give it at least one of each");
  const auto width = options.width;
  words_ = register_module("words", torch::nn::Embedding(options.words, width));
  places_ = register_module("places", torch::nn::Embedding(options.longest, width));
  norm0_ = register_module("norm0", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  qkv_ = register_module("qkv", torch::nn::Linear(width, 3 * width));
  projection_ = register_module("projection", torch::nn::Linear(width, width));
  norm1_ = register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  wide_ = register_module("wide", torch::nn::Linear(width, 2 * width));
  narrow_ = register_module("narrow", torch::nn::Linear(2 * width, width));
  norm2_ = register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  out_ = register_module("out", torch::nn::Linear(width, options.outputs));
}

torch::Tensor TextEncoderImpl::forward(const torch::Tensor& tokens) {
  if (tokens.dim() != 2 || tokens.size(1) > options_.longest)
    throw UsageError(fmt::format("texts of shape {}, expected [N, T] of at most {} words",
                                 c10::str(tokens.sizes()), options_.longest),
                     "shorten the text");
  // On a GPU the check would force a synchronisation; the embedding kernel asserts on out-of-range
  // words.
  if (tokens.is_cpu() && tokens.numel() > 0 &&
      (tokens.min().item<std::int64_t>() < 0 ||
       tokens.max().item<std::int64_t>() >= options_.words))
    throw UsageError(fmt::format("a text has word {}, and the vocabulary words 0 to {}",
                                 tokens.max().item<std::int64_t>(), options_.words - 1),
                     "use words of the vocabulary");
  const auto is_word = tokens > 0;  // [N, T]; 0 is no word
  auto h = words_(tokens) + places_->weight.slice(0, 0, tokens.size(1));
  const auto qkv = qkv_(norm0_(h)).chunk(3, -1);
  auto attention = torch::matmul(qkv[0], qkv[1].transpose(1, 2)) /
                   std::sqrt(static_cast<double>(options_.width));
  // A text without words attends to its positions. That is finite and not part of the mean below.
  attention = attention.masked_fill(is_word.logical_not().unsqueeze(1), -1e9).softmax(-1);
  h = h + projection_(torch::matmul(attention, qkv[2]));
  h = h + narrow_(torch::silu(wide_(norm1_(h))));
  // The mean over words alone; clamp_min keeps a text without words at 0 / 1.
  const auto weight = is_word.to(h.scalar_type()).unsqueeze(-1);
  return out_((norm2_(h) * weight).sum(1) / weight.sum(1).clamp_min(1));
}

}  // namespace reprise::models
