#include "reproduce/langevin/study.h"

#include "experiments/embedded.h"
#include "models/diffusion/churn.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/external.h"
#include "reproduce/langevin/methods.h"

namespace reprise::reproduce {
namespace {

/// Lists names that claims require: methods of tables prior and quality, and forms of the noise.
std::vector<std::string> other_names() {
  std::vector<std::string> names{"judge", "edm"};
  for (const auto& form : models::churn_forms()) names.push_back(form.id);
  return names;
}

/// Lists the mean seconds per cell on one core with the settings of profile small, and the settings
/// that scale them. Each also scales with the pixels of an item.
std::vector<TableSeconds> seconds() {
  std::vector<TableSeconds> all{
      {.tables = "prior",
       .seconds = 1000,
       .per = {"prior.steps_an_epoch", "prior.batch", "digits.epochs", "landscapes.epochs",
               "videos.epochs", "sounds.epochs", "solids.epochs"}},
      {.tables = "quality", .seconds = 230, .per = {"quality.samples", "quality.steps"}},
      {.tables = "*exact", .seconds = 20, .per = {"exact.mixture_items"}},
      {.tables = "inversion", .seconds = 75, .per = {"inversion.items"}},
      {.tables = "latent", .seconds = 55, .per = {"latent.items", "latent.rounds"}},
      {.tables = "*churn", .seconds = 100, .per = {"churn.items", "churn.rounds"}},
      {.tables = "*steering", .seconds = 80, .per = {"steering.items", "steering.rounds"}},
      {.tables = "*completion", .seconds = 60, .per = {"completion.items", "completion.rounds"}},
      {.tables = "*painting", .seconds = 600, .per = {"painting.items", "painting.rounds"}},
      {.tables = "*extension", .seconds = 85, .per = {"extension.objects", "extension.rounds"}},
      {.tables = "*object", .seconds = 200, .per = {"object.objects", "object.rounds"}},
      {.tables = "frontier", .seconds = 0.1}};
  // The side of an item scales its cell twice: an item has size x size pixels.
  for (auto& line : all)
    for (const auto* domain : {"digits", "landscapes", "videos", "solids"})
      line.per.insert(line.per.end(), 2, std::string(domain) + ".size");
  return all;
}

}  // namespace

Study langevin() {
  using namespace langevin_study;
  return {.name = "langevin",
          .title = "A general prior from Langevin dynamics",
          .document = "US 2025/0259277 A1: General data prior based on Langevin diffusion",
          .version = langevin_version,
          .profiles = {{"smoke", embedded::file("langevin/smoke.toml")},
                       {"ci", embedded::file("langevin/ci.toml")},
                       {"small", embedded::file("langevin/small.toml")},
                       {"paper", embedded::file("langevin/paper.toml")}},
          .claims = embedded::file("langevin/claims.toml"),
          .published = embedded::file("langevin/published.toml"),
          .findings = embedded::file("langevin/findings.toml"),
          .sample = embedded::file("langevin/sample.toml"),
          .plan = langevin_study::plan,
          .run = run_by_table({{pareto_front_table, run_pareto_front},
                               {"exact/gaussian", run_gaussian},
                               {"*exact/mixture", run_mixture},
                               {"inversion/mixture", run_mixture_inversion},
                               {"latent/mixture", run_mixture_latent},
                               {prior_table, run_prior},
                               {quality_table, run_quality},
                               {"latent", run_latent},
                               {"inversion", run_inversion},
                               {"*churn", run_churn},
                               {"*steering", run_steering},
                               {"*completion", run_completion},
                               {"*painting", run_painting},
                               {"*extension", run_extension},
                               {"*object", run_object}}),
          .seconds = seconds(),
          .report = langevin_study::report,
          .methods = langevin_study::list_methods,
          .other_names = other_names(),
          .external = {.tables = langevin_study::list_external_tables,
                       .exported = langevin_study::export_pictures},
          .metric_inputs = {MetricInput::Features}};
}

}  // namespace reprise::reproduce
