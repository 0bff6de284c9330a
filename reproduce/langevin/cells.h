// The cells of study langevin: which there are, and what each does. WORLD: digits, landscapes, videos, sounds, solids.
//
//     prior/WORLD/edm          D, trained on the prior's part; of digits also "small": D', with fewer weights, and "other": D'', as large
//     as
//                              D but trained on the judge's part, which judges likelihood
//     prior/WORLD/judge        the classifier that judges realism, trained on the judge's part
//     quality/WORLD/edm        samples of D: how often the judge sees the class asked for, Fréchet distance; chooses the guidance
//     exact/gaussian/FORM      churns on data known in closed form: the variance they end in, for each form of the noise
//     exact/mixture/INVERSION  Algorithm 1 on a mixture, its exact likelihood round by round
//     inversion/digits/METHOD  inversions at every level, on the manifold and off it
//     churn/digits/METHOD      Algorithm 1 from pictures off the manifold, round by round
//     steering/digits/METHOD   Algorithm 1 towards another label than the picture's
//     completion/digits/METHOD half of a digit is known
//     painting/digits/METHOD   digits painted by coordinate networks
//     extension/WORLD/METHOD   a landscape wider, a video or a sound longer than what the prior knows
//     object/solids/METHOD     a radiance field made by the 2-D prior of views
//     search_TABLE/...         candidates of a method, METHOD+KEY=VALUE, on seed 0's validation items; the best is what TABLE runs
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/backbones/backbone.h"
#include "models/diffusion/prior.h"
#include "models/diffusion/synthesis.h"
#include "reproduce/langevin/worlds.h"
#include "reproduce/study.h"

namespace reprise::reproduce::langevin_study {

inline records::Cell cell(const std::string& table, const std::string& dataset, const std::string& method, std::int64_t seed) {
  return {.study = "langevin", .table = table, .dataset = dataset, .method = method, .seed = seed};
}

std::vector<PlannedCell> plan(const Settings& settings, const std::filesystem::path& data);
/// The priors of a world that the plan has: "small" where a method needs it.
std::vector<std::string> prior_names(const std::string& world, const Settings& settings);
void run(CellContext& context);

void run_prior(CellContext& context);
void run_judge(CellContext& context);
void run_quality(CellContext& context);
void run_exact(CellContext& context);
void run_inversion(CellContext& context);
void run_churn(CellContext& context);
void run_steering(CellContext& context);
void run_completion(CellContext& context);
void run_painting(CellContext& context);
void run_extension(CellContext& context);
void run_object(CellContext& context);

/// The replicate whose data, priors and judge this cell has (reproduce/replicates.h): its own, or 0.
std::int64_t data_seed_of(const CellContext& context);
/// The world of that replicate.
World world_of(const CellContext& context);
/// "edm", "small", "other" of this cell's world and of that replicate, on its device.
models::Prior trained_prior(const CellContext& context, const std::string& name);

/// The classifier of this cell's world and of that replicate.
class Judge {
 public:
  explicit Judge(const CellContext& context, const World& world);
  /// Probabilities of the classes: [N, K]. items: [N, C, H, W] in [-1, 1], clamped to it.
  at::Tensor probabilities(const at::Tensor& items);
  /// What it sees: [N, d], on the CPU, for Fréchet distances.
  at::Tensor features(const at::Tensor& items);
  /// The protocol of a Fréchet distance by it: its weights' hash and the number of items.
  std::string protocol(const std::string& metric, std::int64_t n) const;

 private:
  models::Backbone network_;
  std::string hash_;
};

/// A method's name with what it changes: "backprop_small+langevin=0.3+first=5" is inversion "backprop", D' "small" and two settings.
struct Variant {
  std::string base;                         ///< "backprop_small"
  std::map<std::string, double> changes{};  ///< "langevin", "balanced": h of a churn; "first", "last": levels; "guidance", ...
  double or_else(const std::string& key, double otherwise) const;
};
/// UsageError: it cannot be read.
Variant variant_of(const std::string& name);

/// What a method may be changed by before it is compared: "TABLE.search" of the profile; "TABLE.repaint_search", "TABLE.sds_search" and
/// "TABLE.sampler_search" (crops, MultiDiffusion) for these. As many candidates for each; what a name says already is not among them. One
/// alone is taken without a trial.
std::vector<std::string> candidates(const std::string& method, const std::string& table, const Settings& settings);
/// The method of this cell with the candidate that had the best `metric`; of a search cell, the candidate itself.
Variant chosen_variant(const CellContext& context, const std::string& metric,
                       records::Direction better = records::Direction::HigherIsBetter);
/// The table that a cell is of: "completion" for "search_completion".
std::string searched_table(const std::string& table);
/// What a cell is judged on: validation items in a search, else test items.
const models::LabelledItems& judged_part(const World& world, const records::Cell& cell);

/// A base name as an inversion and the network that is D'.
struct InversionMethod {
  models::InversionOptions options;
  std::string aux = "edm";
};
/// UsageError: no such inversion.
InversionMethod inversion_method(const std::string& base, const Settings& settings);
/// A base name is one of an inversion's.
bool is_inversion(const std::string& base);

/// Algorithm 1 as a section of the profile has it (rounds, first, last, churn), with the variant's changes.
models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section, const Settings& settings,
                                           std::uint64_t seed);
/// A churn by a setting: "langevin 0.3", "balanced 1". UsageError: it cannot be read.
models::ChurnOptions churn_options(const std::string& text);

void note(records::Record& record, const std::string& name, double value, records::Direction direction, const std::string& unit = "",
          const std::string& protocol = "langevin");

/// Pictures off the manifold made of items: "occluded" (a grey rectangle), "inverted", "blurred", "texture" (a foreign pattern laid over).
const std::vector<std::string>& corruptions();
at::Tensor corrupted(const std::string& kind, const at::Tensor& items, Random& random);
/// Each of these ways' share of items, in their order; fewer items than ways leave the last out.
std::vector<at::Tensor> shares(const at::Tensor& items);
/// Items with each share corrupted in its way.
at::Tensor off_manifold(const at::Tensor& clean, std::uint64_t seed);

/// -log p bound up to a constant: mean over levels of |x - D(x + sigma eps; sigma)|^2 / sigma^2 / d, by the network `other`: [N]. Lower is
/// likelier.
at::Tensor denoising_energy(models::Denoiser& other, const at::Tensor& items, std::uint64_t seed);

double average(const at::Tensor& values);
/// In dB, the mean over items of values in [-1, 1]; an item that is equal counts 60.
double mean_psnr(const at::Tensor& a, const at::Tensor& b);
/// frechet + `when` and kernel + `when`, of features by the judge.
void note_distances(const Judge& judge, const at::Tensor& features, const at::Tensor& real, const std::string& when,
                    records::Record& record);
void show_round(const models::Round& round, std::int64_t rounds, CellContext& context);

/// Share of items whose most likely class is the label, and the mean probability of the most likely class.
double agreement(const at::Tensor& probabilities, const at::Tensor& labels);
double confidence(const at::Tensor& probabilities);

/// First `n`, `columns` a row, each enlarged to at least 64 pixels; items of videos show their frames side by side.
void write_sheet(const std::filesystem::path& path, const at::Tensor& items, std::int64_t n, std::int64_t columns);

inline at::Device device_of_context(const CellContext& context) { return at::Device(context.device); }

}  // namespace reprise::reproduce::langevin_study
