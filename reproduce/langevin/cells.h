// The cells of study langevin: which there are, and what each does. DOMAIN: digits, landscapes,
// videos, sounds, solids.
//
//     prior/DOMAIN/edm          D, trained on the prior's part; of digits also "small": D', with fewer weights, and "other": D'', as large
//                              as D but trained on the evaluator's part, which measures likelihood
//     prior/DOMAIN/judge        the evaluator: a classifier that measures realism, trained on its own part
//     quality/DOMAIN/edm        samples of D: how often the evaluator sees the requested class, Fréchet distance; chooses the guidance
//     exact/gaussian/FORM      churns on data known in closed form: the variance they end in, for each form of the noise
//     exact/mixture/METHOD     Algorithm 1 and what it is compared with on a mixture, its exact likelihood round by round
//     inversion/DATA/METHOD    inversions at every level, on the manifold and off it
//     latent/DATA/METHOD       churns of latents at one level: the level before and after, and where many of them lead
//     churn/digits/METHOD      Algorithm 1 from pictures off the manifold, round by round
//     steering/digits/METHOD   Algorithm 1 towards another label than the picture's
//     completion/digits/METHOD half of a digit is known
//     painting/digits/METHOD   digits painted by coordinate networks
//     extension/DOMAIN/METHOD   a landscape wider, a video or a sound longer than what the prior knows
//     object/solids/METHOD     a radiance field made by the 2-D prior of views
//     search_TABLE/...         candidates of a method, METHOD+KEY=VALUE, on validation items of the first seeds; the best is what TABLE runs
//     frontier/DATA/METHOD     of all trials of a method in tables churn and exact: the most realism for what is kept
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

/// The tables of the networks that are trained for all methods, of what they sample, and of data
/// known in closed form.
inline const std::string prior_table = "prior", quality_table = "quality", exact_table = "exact",
                         frontier_table = "frontier";

/// The setting "DOMAIN.KEY" of a network; of the small one "DOMAIN.small_KEY".
std::string setting_of(const std::string& domain, Network network, const std::string& key);

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
/// The cells of one method more, in every table that it runs in and that the profile has, as the
/// study's own are planned.
std::vector<PlannedCell> plan_method(const PriorMethod& method, const Settings& settings);
/// The cells of samples that were made elsewhere: rows of table quality.
std::vector<PlannedCell> plan_samples(const std::string& name, const Domain& domain,
                                      const Settings& settings);
/// What a cell lacks here: recorded data of its domain, and a GPU where the settings ask for one.
std::vector<Missing> missing_for(const records::Cell& cell, const Settings& settings,
                                 const DataFolder& data);
/// The denoisers of a domain that the plan has, D first; the small one, last, where a method needs
/// it.
std::vector<Network> denoisers_of(const Domain& domain, const Settings& settings);
Report report(const Settings& settings);

/// Data known in closed form, and no domain.
struct ExactData {
  std::string name;  ///< "gaussian", "mixture"
  std::vector<std::string> reads =
      {};  ///< sections of tables that its cells read, whatever their own table
};
bool is_exact(const std::string& dataset);
/// UsageError: no such data; lists those there are.
const ExactData& exact_data(const std::string& name);

/// A cell of table prior: a denoiser, or the evaluator.
void run_prior(CellContext& context);
void run_evaluator(CellContext& context);
void run_quality(CellContext& context);
/// Cells whose data are known in closed form.
void run_gaussian(CellContext& context);
void run_mixture(CellContext& context);
void run_mixture_inversion(CellContext& context);
void run_mixture_latent(CellContext& context);
void run_latent(CellContext& context);
void run_frontier(CellContext& context);
void run_inversion(CellContext& context);
void run_churn(CellContext& context);
void run_steering(CellContext& context);
void run_completion(CellContext& context);
void run_painting(CellContext& context);
void run_extension(CellContext& context);
void run_object(CellContext& context);

/// The replicate whose data this cell has (experiments/replicates.h): its own, or 0.
std::int64_t data_seed_of(const CellContext& context);
/// The replicate whose priors it has: of its own data, or, where `prior.seeds` trains fewer, one of
/// those in turn. No prior learns from what any seed is tested on (reproduce/langevin/domains.cpp),
/// so that a seed is fresh where its networks are not.
std::int64_t network_replicate(const Settings& settings, std::int64_t seed);
/// The seed of what all methods of a domain and replicate see alike: items drawn for a measure, its
/// noise.
std::uint64_t shared_seed(const CellContext& context, const std::string& purpose);
/// The domain of that replicate.
DomainData domain_data(const CellContext& context);
/// What the priors that this cell uses learnt from: of `domain`, its own, or of the replicate whose
/// networks it has.
models::LabelledItems prior_part(const DomainData& domain, const CellContext& context);
/// Of this cell, which trains a network.
std::uint64_t network_seed(const CellContext& context);
/// The file that the setting prior.weights names for a network of this cell's domain; empty where
/// the cell of table prior has it.
std::filesystem::path kept_network(const CellContext& context, Network network);
/// A denoiser of this cell's domain and of that replicate, on its device.
models::Prior trained_prior(const CellContext& context, Network network);
/// The evaluator of this cell's domain: one for all seeds.
models::Evaluator trained_evaluator(const CellContext& context, const DomainData& domain);
/// D' of a method; D is the one that is loaded already.
std::shared_ptr<models::Denoiser> auxiliary(const PriorMethod& method, const models::Prior& D,
                                            const CellContext& context);

inline at::Device device_of_context(const CellContext& context) {
  return at::Device(context.device);
}

}  // namespace reprise::reproduce::langevin_study
