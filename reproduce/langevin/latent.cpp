// Table latent: churns at one level ([0024] to [0026]), without the loop around them.
// It measures whether a churn keeps the level, and whether many churns lead to p(x; sigma) from any
// start.
#include <torch/torch.h>

#include <algorithm>
#include <cstddef>

#include "core/text.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/noise_level.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/corruptions.h"
#include "reproduce/langevin/measures.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// Calibration of D's level measurement. Data with noise q sigma are measured for several q. This
/// is needed because D measures about 1 at a low sigma whatever q is
/// (models/diffusion/noise_level.h).
class LevelScale {
 public:
  LevelScale(models::Denoiser& D, const at::Tensor& clean, double sigma,
             const at::Generator& generator)
      : D_(D), sigma_(sigma) {
    const auto epsilon = models::draw_unit_noise(clean, generator);
    error_ = models::mmse(D, clean, sigma, epsilon);
    // Fractions of the level, denser around 1.
    for (const double q : {0.0, 0.25, 0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.6, 2.0, 3.0}) {
      const auto found = read_level(clean + q * sigma * epsilon);
      // Only rising measurements can be inverted.
      if (!readings_.empty() && found <= readings_.back()) continue;
      levels_.push_back(q);
      readings_.push_back(found);
    }
  }
  /// Returns the level of latents over sigma, by linear interpolation between the calibrated
  /// levels.
  double find_level(const at::Tensor& x) const {
    const auto found = read_level(x);
    // An untrained network gives no rising measurements.
    if (readings_.size() < 2) return found;
    const auto above =
        std::upper_bound(readings_.begin(), readings_.end(), found) - readings_.begin();
    const auto i =
        static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above, 1, std::ssize(readings_) - 1));
    // Extrapolates beyond the last calibrated level.
    const double fraction = (found - readings_[i - 1]) / (readings_[i] - readings_[i - 1]);
    return std::max(0.0, levels_[i - 1] + fraction * (levels_[i] - levels_[i - 1]));
  }

 private:
  double read_level(const at::Tensor& x) const {
    return average(models::map_batches(x.size(0), 64,
                                       [&](const auto& part) {
                                         return models::noise_level(D_, part(x), sigma_, error_);
                                       })) /
           sigma_;
  }
  models::Denoiser& D_;
  double sigma_;
  double error_ = 0;
  std::vector<double> levels_;
  std::vector<double> readings_;
};

}  // namespace

void run_latent(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto config = cell_configuration(context);
  const auto options = inversion_options(config, settings);
  const auto churning = churn_options(config, "latent", settings);
  const auto domain = load_cell_domain(context);
  const auto D = load_trained_prior(context, Network::Main);
  const auto D_aux = load_auxiliary_denoiser(config.method, D, context);
  models::Denoiser& denoiser = *D.D;
  const auto evaluator = load_trained_evaluator(context, domain);
  const auto n = std::min(settings.integer("latent.items"), domain.test.x_0.size(0));
  const auto clean = domain.test.x_0.slice(0, 0, n).to(cell_device(context));
  const auto labels = class_indices(domain, domain.test.labels.slice(0, 0, n));
  const auto off = corrupt_items(
      clean, seed_of({"langevin", "latent", std::to_string(cell_data_seed(context))}));
  const auto validation = domain.validation.x_0.to(clean.device());
  const auto generator =
      training::torch_generator(seed_of({"langevin", "latent", std::to_string(record.cell.seed)}));
  for (const auto sigma : settings.numbers("latent.sigmas")) {
    const LevelScale scale(denoiser, validation, sigma,
                           training::torch_generator(shared_seed(context, "mmse")));
    const auto denoised = [&](const at::Tensor& x) {
      const torch::NoGradGuard no_grad;
      return models::map_batches(n, 64, [&](const auto& part) { return denoiser(part(x), sigma); });
    };
    // Reference: denoised latents of p(x; sigma).
    const auto real =
        evaluator.features(denoised(clean + sigma * models::draw_unit_noise(clean, generator)));
    // Control: likely but empty, noise on blank pictures.
    const auto blank = torch::full_like(clean, -1);
    record_distances(
        evaluator,
        evaluator.features(denoised(blank + sigma * models::draw_unit_noise(clean, generator))),
        real, "_blank_" + number_text(sigma), context);
    // Starts on the manifold and off it.
    for (const std::string where : {"on", "off"}) {
      const auto& x_0 = where == "on" ? clean : off;
      auto x = models::map_batches(n, 64, [&](const auto& part) {
        return models::invert(*D_aux, part(x_0), sigma, options,
                              models::draw_unit_noise(part(x_0), generator));
      });
      const auto record_pictures = [&](const std::string& when) {
        const auto picture = denoised(x);
        const auto at = when + "_" + where + "_" + number_text(sigma);
        record_distances(evaluator, evaluator.features(picture), real, "_" + at, context);
        record_agreement(evaluator, "label_" + at, evaluator.probabilities(picture), labels, true,
                         record, Direction::Neither);
      };
      add_metric_at(record, "level_before_" + where, sigma, scale.find_level(x));
      record_pictures("start");
      // Many churns at the same level.
      for (std::int64_t i = 0; i < settings.integer("latent.rounds"); ++i) {
        context.progress.update(static_cast<double>(i + 1) / settings.number("latent.rounds"),
                                "sigma " + number_text(sigma));
        const auto epsilon = models::draw_unit_noise(x, generator);
        x = models::map_batches(n, 64, [&](const auto& part) {
          return models::churn(denoiser, part(x), sigma, churning, part(epsilon));
        });
        // The level after one churn is compared with that before it.
        if (i == 0) add_metric_at(record, "level_after_" + where, sigma, scale.find_level(x));
      }
      add_metric_at(record, "level_end_" + where, sigma, scale.find_level(x));
      record_pictures("end");
    }
  }
}

}  // namespace reprise::reproduce::langevin_study
