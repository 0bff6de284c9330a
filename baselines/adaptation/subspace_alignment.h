// Subspace alignment (Fernando, Habrard, Sebban, Tuytelaars 2013), on pixels.
//
//     X_S, X_T     the d leading principal directions of the source's and of the target's pictures, as columns
//     M = X_S^T X_T   brings the source's subspace to the target's: it minimises |X_S M - X_T|_F
//     a picture of the source is (x - mean_S) X_S M, one of the target (x - mean_T) X_T; a class is the nearest source picture's
// The document's predecessors report it as "SA". Probabilities are 1 for the nearest neighbour's
// class and 0 for the others.
#pragma once
#include <array>

#include "training/adaptation.h"

namespace reprise::baselines {

class SubspaceAlignment : public training::Adapter {
 public:
  /// d: at most as many as there are pixels or pictures are kept.
  explicit SubspaceAlignment(std::int64_t d);
  void fit(const training::AdaptationData& data, std::uint64_t seed,
           training::Progress& progress) override;
  at::Tensor probabilities(const at::Tensor& x, training::Domain of) override;

 private:
  std::int64_t d_;
  std::array<at::Tensor, 2> mean_,
      directions_;                      ///< [1, P], [P, d]; the source's directions are aligned
  at::Tensor known_, classes_, shape_;  ///< [N, d]; [N, K] one-hot; [3]
};

}  // namespace reprise::baselines
