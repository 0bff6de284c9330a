// Encodes a short text as one vector: embeddings of words and positions, one layer of
// self-attention, the mean over words.
//
//     - Embedding: h_t = E[word_t] + P_t.
//     - Layer: h <- h + attention(norm(h)), then h <- h + W_2 SiLU(W_1 norm(h)).
//     - Output: W times the mean over words of norm(h_t).
//
// "red cube" and "cube, red" differ by P only. New texts are combinations of known words. Source of
// the layer: Vaswani et al. 2017, with the norm before each part.
#pragma once
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

namespace reprise::models {

struct TextEncoderOptions {
  std::int64_t words = 0;    ///< vocabulary size; word 0 is no word
  std::int64_t longest = 8;  ///< words per text (maximum)
  std::int64_t width = 64, outputs = 128;
};

class TextEncoderImpl : public torch::nn::Module {
 public:
  explicit TextEncoderImpl(const TextEncoderOptions& options);
  /// tokens: [N, T], int64, T <= longest, 0 for no word. Returns [N, outputs]; a text without words
  /// gives W times 0. UsageError: a word outside the vocabulary; a text that is too long.
  torch::Tensor forward(const torch::Tensor& tokens);

 private:
  TextEncoderOptions options_;
  torch::nn::Embedding words_{nullptr}, places_{nullptr};
  torch::nn::LayerNorm norm0_{nullptr}, norm1_{nullptr}, norm2_{nullptr};
  torch::nn::Linear qkv_{nullptr}, projection_{nullptr}, wide_{nullptr}, narrow_{nullptr},
      out_{nullptr};
};
TORCH_MODULE(TextEncoder);

}  // namespace reprise::models
