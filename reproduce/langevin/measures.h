// Measures, metrics and pictures that several tables of the study share.
#pragma once
#include <filesystem>
#include <string>

#include "experiments/study.h"
#include "models/backbones/evaluator.h"
#include "models/diffusion/denoiser.h"
#include "models/diffusion/synthesis.h"

namespace reprise::reproduce::langevin_study {

/// Adds a metric to a record. items: number of independent items behind the value; 0: unknown.
void add_metric(records::Record& record, const std::string& name, double value,
                records::Direction direction, const std::string& unit = "",
                const std::string& protocol = "langevin", std::int64_t items = 0);

/// Returns a surrogate of -log p for each item, [N], up to a constant; lower is likelier.
///
/// It is the mean over levels of |x - D(x + sigma eps; sigma)|^2 / sigma^2 / d for network `other`.
at::Tensor denoising_energy(models::Denoiser& other, const at::Tensor& items, std::uint64_t seed);

/// Adds the metric NAME_SIGMA of one noise level.
void add_metric_at(records::Record& record, const std::string& name, double sigma, double value,
                   records::Direction direction = records::Direction::Neither);
/// Adds the mean level of latents and its mean excess over 1. level: [N], measured over requested
/// level; where: "on" or "off" the manifold.
void record_level(records::Record& record, const at::Tensor& level, const std::string& where,
                  double sigma);

/// Returns the mean error of D on clean items at a level, with noise that all methods share. Level
/// measurements need it (models/diffusion/noise_level.h).
double estimate_mmse(models::Denoiser& D, const at::Tensor& clean, double sigma,
                     const CellContext& context);

double average(const at::Tensor& values);
/// Returns the mean PSNR of items in [-1, 1], in dB. Equal items count 60 dB.
double mean_psnr(const at::Tensor& a, const at::Tensor& b);
/// Adds frechet, log_frechet and kernel, each with suffix `when`, from features of the evaluator.
/// A difference of logarithms is the logarithm of a ratio.
void record_distances(const models::Evaluator& evaluator, const at::Tensor& features,
                      const at::Tensor& real, const std::string& when, CellContext& context);
/// Adds the fraction of items whose predicted class is the label. `independent`: the record keeps
/// their number; false for windows or views of a few objects.
void record_agreement(const models::Evaluator& evaluator, const std::string& name,
                      const at::Tensor& probabilities, const at::Tensor& labels, bool independent,
                      records::Record& record,
                      records::Direction direction = records::Direction::HigherIsBetter);
void record_confidence(const models::Evaluator& evaluator, const std::string& name,
                       const at::Tensor& probabilities, records::Record& record);
/// Updates the progress display after a round.
void report_round(const models::SynthesisRound& round, std::int64_t rounds, CellContext& context);

/// Returns the fraction of items whose most likely class is the label.
double agreement(const at::Tensor& probabilities, const at::Tensor& labels);
/// Returns the mean probability of the most likely class.
double confidence(const at::Tensor& probabilities);

/// Writes the first `n` items as a sheet with `columns` per row, each enlarged to at least 64
/// pixels. Frames of a video stand side by side.
void write_sheet(const std::filesystem::path& path, const at::Tensor& items, std::int64_t n,
                 std::int64_t columns);

}  // namespace reprise::reproduce::langevin_study
