// The cells of study langevin. DOMAIN: digits, landscapes, videos, sounds, solids.
//
// - prior/DOMAIN/edm trains the denoiser D on the prior's split.
// - prior/DOMAIN/small trains D', with fewer weights (digits).
// - prior/DOMAIN/other trains D'' on the evaluator's split: likelihood (digits).
// - prior/DOMAIN/judge trains the evaluator, a classifier that measures realism.
// - quality/DOMAIN/edm samples D: agreement, Fréchet distance, choice of the guidance.
// - exact/gaussian/FORM: stationary variance of churns on Gaussian data, per form of noise.
// - exact/mixture/METHOD: Algorithm 1 and its baselines on a mixture, with exact likelihood.
// - inversion/DATA/METHOD: inversions at every level, from clean and corrupted items.
// - latent/DATA/METHOD: churns of latents at one level.
// - churn/digits/METHOD: Algorithm 1 on corrupted digits, round by round.
// - steering/digits/METHOD: Algorithm 1 towards another label.
// - completion/digits/METHOD completes a digit from its left half.
// - painting/digits/METHOD paints digits with pixels or coordinate networks.
// - extension/DOMAIN/METHOD extends a landscape, a video or a sound beyond the prior's window.
// - object/solids/METHOD fits a radiance field to the 2-D prior of views.
// - search_TABLE/...: a trial METHOD+KEY=VALUE on validation items of the first seeds.
// - frontier/DATA/METHOD: Pareto front of a method's trials in tables churn and exact.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/evaluator_cell.h"
#include "experiments/study.h"
#include "models/diffusion/prior.h"
#include "reproduce/langevin/domains.h"
#include "reproduce/langevin/methods.h"

namespace reprise::reproduce::langevin_study {

inline records::Cell cell(const std::string& table, const std::string& dataset,
                          const std::string& method, std::int64_t seed) {
  return {.study = "langevin", .table = table, .dataset = dataset, .method = method, .seed = seed};
}

/// Tables without a section in method_tables().
inline const std::string prior_table = "prior";
inline const std::string quality_table = "quality";
inline const std::string exact_table = "exact";
inline const std::string pareto_front_table = "frontier";

/// Returns the setting "DOMAIN.KEY" of a network, or "DOMAIN.small_KEY" of the small one.
std::string network_setting(const std::string& domain, Network network, const std::string& key);

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
/// Plans the cells of one more method, in each of its tables that the profile has.
std::vector<PlannedCell> plan_method(const PriorMethod& method, const Settings& settings);
/// Plans the cells of external samples: rows of table quality.
std::vector<PlannedCell> plan_samples(const std::string& name, const Domain& domain,
                                      const Settings& settings);
/// Lists what a cell lacks on this machine: recorded data of its domain, or a GPU that the settings
/// request.
std::vector<Missing> find_missing(const records::Cell& cell, const Settings& settings,
                                  const DataFolder& data);
/// Lists the denoisers of a domain that the plan has: D first, the small one last if any method
/// needs it.
std::vector<Network> list_denoisers(const Domain& domain, const Settings& settings);
Report report(const Settings& settings);

/// Data with a density in closed form. They belong to no domain.
struct ExactData {
  std::string name;                     ///< "gaussian", "mixture"
  std::vector<std::string> reads = {};  ///< sections of settings that its cells read in any table
};
bool is_exact(const std::string& dataset);
/// Finds data by name. UsageError: no such data; lists the known ones.
const ExactData& find_exact_data(const std::string& name);

/// Runs a cell of table prior: trains a denoiser, or the evaluator.
void run_prior(CellContext& context);
void run_evaluator(CellContext& context);
void run_quality(CellContext& context);
/// Runs cells of data in closed form.
void run_gaussian(CellContext& context);
void run_mixture(CellContext& context);
void run_mixture_inversion(CellContext& context);
void run_mixture_latent(CellContext& context);
void run_latent(CellContext& context);
void run_pareto_front(CellContext& context);
void run_inversion(CellContext& context);
void run_churn(CellContext& context);
void run_steering(CellContext& context);
void run_completion(CellContext& context);
void run_painting(CellContext& context);
void run_extension(CellContext& context);
void run_object(CellContext& context);

/// Returns the seed that the cell's data come from: its own, or 0 where seeds share their data.
std::int64_t cell_data_seed(const CellContext& context);
/// Returns the seed whose priors a cell uses. If `prior.seeds` trains fewer, seeds take them in
/// turn. No prior learns from test items of any seed (reproduce/langevin/domains.cpp).
std::int64_t prior_seed(const Settings& settings, std::int64_t seed);
/// Returns the random seed that all methods of a domain and data seed share for `purpose`.
std::uint64_t shared_seed(const CellContext& context, const std::string& purpose);
/// Loads the cell's domain, with the splits of its data seed.
DomainData load_cell_domain(const CellContext& context);
/// Loads the training items of the priors that this cell uses. They are those of `domain`, or of
/// the seed whose priors the cell shares.
models::LabelledItems load_prior_items(const DomainData& domain, const CellContext& context);
/// Returns the random seed of a cell that trains a network.
std::uint64_t network_seed(const CellContext& context);
/// Returns the file that the setting prior.weights names for a network. Empty: the network is
/// trained by its cell of table prior.
std::filesystem::path committed_checkpoint(const CellContext& context, Network network);
/// Loads a denoiser of the cell's domain and prior seed, on the cell's device.
models::Prior load_trained_prior(const CellContext& context, Network network);
/// Loads the evaluator of the cell's domain. All seeds share one.
models::Evaluator load_trained_evaluator(const CellContext& context, const DomainData& domain);
/// Loads D' of a method. It is the given D, another trained network, or an external TorchScript.
std::shared_ptr<models::Denoiser> load_auxiliary_denoiser(const PriorMethod& method,
                                                          const models::Prior& D,
                                                          const CellContext& context);

inline at::Device cell_device(const CellContext& context) { return at::Device(context.device); }

}  // namespace reprise::reproduce::langevin_study
