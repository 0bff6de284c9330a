// Curves of an adversarial run (training/adversarial.h): means over windows of iterations. From
// them follows whether G has collapsed, and whether D has won.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "training/adversarial.h"

namespace reprise::training {

/// Values of one iteration, each on the device of the networks.
struct AdversarialPoint {
  at::Tensor loss_D, loss_G, r1, diversity;  ///< one value each
  at::Tensor accuracy;                       ///< [K]
};

/// Collects points, and adds their means to the curves of a report.
class AdversarialCurves {
 public:
  /// `discriminators`: K. `options` and `report` must outlive it.
  AdversarialCurves(std::int64_t discriminators, const AdversarialOptions& options,
                    AdversarialReport& report);

  void add(const AdversarialPoint& point);

  /// Ends a window: adds one value to each curve, and updates collapsed_since and won_since.
  /// noise: [K], the present standard deviations. Error: a loss diverged (names the iteration).
  void end_window(const at::Tensor& noise);

  /// Returns the last values: ": loss D 1.2, G 0.9, accuracy 0.71, diversity 0.85"; "" before the
  /// first window ends.
  std::string progress_text() const;

 private:
  at::Tensor take_points();
  void check_losses(const at::Tensor& points) const;
  void add_means(const at::Tensor& means, const at::Tensor& noise);

  std::int64_t discriminators_;
  const AdversarialOptions& options_;
  AdversarialReport& report_;
  /// Per iteration, one tensor: loss D, loss G, R1, diversity, K accuracies.
  std::vector<at::Tensor> points_;
};

}  // namespace reprise::training
