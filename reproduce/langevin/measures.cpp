// Measures and pictures that tables of study langevin share.
#include "reproduce/langevin/measures.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>

#include "core/text.h"
#include "datasets/formats/images.h"
#include "metrics/frechet.h"
#include "metrics/image_quality.h"
#include "models/diffusion/noise_level.h"
#include "reproduce/langevin/cells.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {

void add_metric(records::Record& record, const std::string& name, double value,
                records::Direction direction, const std::string& unit, const std::string& protocol,
                std::int64_t items) {
  record.metrics.push_back({.name = name,
                            .value = value,
                            .unit = unit,
                            .direction = direction,
                            .protocol = protocol,
                            .items = items});
}

at::Tensor denoising_energy(models::Denoiser& other, const at::Tensor& items, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const auto generator = training::torch_generator(seed);
  at::Tensor sum = torch::zeros({items.size(0)});
  // The document has no such measure: these levels are the study's choice.
  const std::vector<double> levels{0.1, 0.2, 0.5, 1.0};
  for (const auto sigma : levels) {
    const auto epsilon = models::draw_unit_noise(items, generator);
    sum += models::map_batches(items.size(0), 128, [&](const auto& part) {
      return models::denoising_error(other, part(items), part(epsilon), sigma).cpu();
    });
  }
  return sum / static_cast<double>(levels.size());
}

void add_metric_at(records::Record& record, const std::string& name, double sigma, double value,
                   records::Direction direction) {
  add_metric(record, name + "_" + number_text(sigma), value, direction);
}

void record_level(records::Record& record, const at::Tensor& level, const std::string& where,
                  double sigma) {
  add_metric_at(record, "level_" + where, sigma, average(level));
  add_metric_at(record, "excess_" + where, sigma, average((level - 1).clamp_min(0)),
                records::Direction::LowerIsBetter);
}

double estimate_mmse(models::Denoiser& D, const at::Tensor& clean, double sigma,
                     const CellContext& context) {
  return models::mmse(
      D, clean, sigma,
      models::draw_unit_noise(clean, training::torch_generator(shared_seed(context, "mmse"))));
}

double average(const at::Tensor& values) { return values.to(at::kDouble).mean().item<double>(); }

double mean_psnr(const at::Tensor& a, const at::Tensor& b) {
  return average(metrics::psnr(a, b, 2).clamp_max(60));
}

void record_distances(const models::Evaluator& evaluator, const at::Tensor& features,
                      const at::Tensor& real, const std::string& when, CellContext& context) {
  auto& record = context.record;
  const auto n = features.size(0);
  const auto frechet = metrics::frechet_distance(features, real);
  add_metric(record, "frechet" + when, frechet, records::Direction::LowerIsBetter, "",
             evaluator.protocol("frechet", n));
  add_metric(record, "log_frechet" + when, std::log(frechet), records::Direction::LowerIsBetter, "",
             evaluator.protocol("frechet", n));
  add_metric(record, "kernel" + when, metrics::kernel_distance(features, real),
             records::Direction::LowerIsBetter, "", evaluator.protocol("kernel", n));
  // Metrics that the user added to features.
  add_named_metrics(MetricInput::Features, {.predicted = features, .truth = real},
                    when.empty() ? "" : when.substr(1), evaluator.protocol("features", n),
                    context.settings, record);
}

void record_agreement(const models::Evaluator& evaluator, const std::string& name,
                      const at::Tensor& probabilities, const at::Tensor& labels, bool independent,
                      records::Record& record, records::Direction direction) {
  add_metric(record, name, agreement(probabilities, labels), direction, "",
             evaluator.protocol("agreement"), independent ? labels.size(0) : 0);
}

void record_confidence(const models::Evaluator& evaluator, const std::string& name,
                       const at::Tensor& probabilities, records::Record& record) {
  add_metric(record, name, confidence(probabilities), records::Direction::HigherIsBetter, "",
             evaluator.protocol("confidence"));
}

void report_round(const models::SynthesisRound& round, std::int64_t rounds, CellContext& context) {
  context.progress.update(static_cast<double>(round.number + 1) / static_cast<double>(rounds),
                          fmt::format("round {}, sigma {:.2g}", round.number + 1, round.sigma));
}

double agreement(const at::Tensor& probabilities, const at::Tensor& labels) {
  return average(probabilities.argmax(1) == labels.cpu());
}

double confidence(const at::Tensor& probabilities) {
  return average(std::get<0>(probabilities.max(1)));
}

void write_sheet(const std::filesystem::path& path, const at::Tensor& items, std::int64_t n,
                 std::int64_t columns) {
  auto x = items.slice(0, 0, n).cpu();
  // Items of videos show their frames side by side.
  if (x.size(1) > 3) {
    const auto frames = x.size(1) / 3;
    // [N, T 3, H, W] -> [N, 3, H, T W].
    x = x.unflatten(1, std::vector<std::int64_t>{frames, 3}).permute({0, 2, 3, 1, 4}).flatten(3, 4);
  }
  const auto pictures = to_pictures(x);
  const auto count = pictures.size(0);
  const auto height = pictures.size(1);
  const auto width = pictures.size(2);
  const auto rows = (count + columns - 1) / columns;
  // Pictures are separated by grey lines of one pixel.
  auto sheet = torch::full({rows * (height + 1), columns * (width + 1), 3}, 128, at::kByte);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto top = i / columns * (height + 1);
    const auto left = i % columns * (width + 1);
    sheet.slice(0, top, top + height).slice(1, left, left + width).copy_(pictures[i]);
  }
  // Small items are enlarged to at least 64 pixels.
  const auto scale = std::max<std::int64_t>(1, (64 + height - 1) / height);
  // Grey sheets need one channel only.
  if (x.size(1) == 1) sheet = sheet.select(2, 0);
  datasets::write_png(path,
                      sheet.repeat_interleave(scale, 0).repeat_interleave(scale, 1).contiguous());
}

}  // namespace reprise::reproduce::langevin_study
