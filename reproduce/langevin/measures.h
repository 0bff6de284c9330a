// What several tables of the study measure, note and draw alike.
#pragma once
#include <filesystem>
#include <string>

#include "experiments/study.h"
#include "models/backbones/evaluator.h"
#include "models/diffusion/denoiser.h"
#include "models/diffusion/synthesis.h"

namespace reprise::reproduce::langevin_study {

void note(records::Record& record, const std::string& name, double value,
          records::Direction direction, const std::string& unit = "",
          const std::string& protocol = "langevin", std::int64_t items = 0);

/// -log p bound up to a constant: mean over levels of |x - D(x + sigma eps; sigma)|^2 / sigma^2 /
/// d, by the network `other`: [N]. Lower is likelier.
at::Tensor denoising_energy(models::Denoiser& other, const at::Tensor& items, std::uint64_t seed);

/// A metric at a level: NAME_SIGMA.
void note_at(records::Record& record, const std::string& name, double sigma, double value,
             records::Direction direction = records::Direction::Neither);
/// Of latents at a place, "on" or "off" the manifold: the mean level, found over asked, and how
/// much of it is too much. level: [N].
void note_level(records::Record& record, const at::Tensor& level, const std::string& where,
                double sigma);

/// What D errs by on clean items, at this level with noise that all methods share: what readings of
/// a level stand on (noise_level.h).
double least_error(models::Denoiser& D, const at::Tensor& clean, double sigma,
                   const CellContext& context);

double average(const at::Tensor& values);
/// In dB, the mean over items of values in [-1, 1]; an item that is equal counts 60.
double mean_psnr(const at::Tensor& a, const at::Tensor& b);
/// frechet + `when`, its logarithm (a difference of these is what one distance is over another),
/// and kernel + `when`, of features by the evaluator.
void note_distances(const models::Evaluator& evaluator, const at::Tensor& features,
                    const at::Tensor& real, const std::string& when, CellContext& context);
/// The share of items in which the evaluator sees the label. `independent`: they are items of their
/// own, whose number the record keeps, and not windows or views of few.
void note_agreement(const models::Evaluator& evaluator, const std::string& name,
                    const at::Tensor& probabilities, const at::Tensor& labels, bool independent,
                    records::Record& record,
                    records::Direction direction = records::Direction::HigherIsBetter);
void note_confidence(const models::Evaluator& evaluator, const std::string& name,
                     const at::Tensor& probabilities, records::Record& record);
void show_round(const models::Round& round, std::int64_t rounds, CellContext& context);

/// Share of items whose most likely class is the label, and the mean probability of the most likely
/// class.
double agreement(const at::Tensor& probabilities, const at::Tensor& labels);
double confidence(const at::Tensor& probabilities);

/// First `n`, `columns` a row, each enlarged to at least 64 pixels; items of videos show their
/// frames side by side.
void write_sheet(const std::filesystem::path& path, const at::Tensor& items, std::int64_t n,
                 std::int64_t columns);

}  // namespace reprise::reproduce::langevin_study
