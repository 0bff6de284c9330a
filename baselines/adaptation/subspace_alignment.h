// Subspace alignment (Fernando, Habrard, Sebban, Tuytelaars 2013), on pixels.
//
//     X_S, X_T     d leading principal directions of the source's and target's pictures, as columns
//     M = X_S^T X_T   maps the source's subspace to the target's: it minimises |X_S M - X_T|_F
//     source picture: (x - mean_S) X_S M       target picture: (x - mean_T) X_T
// The predicted class is that of the nearest source picture. The document's predecessors report
// this as "SA". Probabilities are 1 for that class and 0 for the others.
#pragma once
#include <array>

#include "training/adaptation.h"

namespace reprise::baselines {

class SubspaceAlignment : public training::Adapter {
 public:
  /// d: at most the number of pixels and of pictures.
  explicit SubspaceAlignment(std::int64_t d);
  void fit(const training::AdaptationData& data, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor probabilities(const at::Tensor& x, training::Domain of) override;

 private:
  std::int64_t d_;
  std::array<at::Tensor, 2> mean_;        ///< [1, P]
  std::array<at::Tensor, 2> directions_;  ///< [P, d]; those of the source are aligned
  at::Tensor known_, classes_, shape_;    ///< [N, d]; [N, K] one-hot; [3]
};

}  // namespace reprise::baselines
