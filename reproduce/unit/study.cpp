#include "reproduce/unit/study.h"

#include "experiments/embedded.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/external.h"

namespace reprise::reproduce {

Study unit() {
  using namespace unit_study;
  return {
      .name = "unit",
      .title = "UNIT: unpaired translation over a shared latent space",
      .document =
          "US 2018/0247201 A1: Systems and methods for image-to-image translation using "
          "variational autoencoders; Liu, Breuel, Kautz, NIPS 2017",
      .version = unit_version,
      .profiles = {{"smoke", embedded::file("unit/smoke.toml")},
                   {"ci", embedded::file("unit/ci.toml")},
                   {"small", embedded::file("unit/small.toml")},
                   {"paper", embedded::file("unit/paper.toml")}},
      .claims = embedded::file("unit/claims.toml"),
      .published = embedded::file("unit/published.toml"),
      .findings = embedded::file("unit/findings.toml"),
      .sample = embedded::file("unit/sample.toml"),
      .plan = unit_study::plan,
      .run = run_by_table({{digits_table, run_digits},
                           {digit_evaluator_table, run_digit_evaluator},
                           {map_table, run_translation},
                           {sweep_table, run_translation},
                           {picture_evaluator_table, run_picture_evaluator},
                           {photos_table, run_translation}},
                          run_external),
      // Seconds per cell of profile small on two cores, with the settings that scale them.
      .seconds =
          {// A closed form.
           {"digits/subspace_alignment", 2, {}},
           {"digits/source_only",
            35,
            {"digits.iterations", "digits.batch", "digits.size", "digits.size", "digits.width_D"}},
           {"digits/dann",
            75,
            {"digits.iterations", "digits.batch", "digits.size", "digits.size", "digits.width_D"}},
           {"digits",
            190,
            {"digits.iterations", "digits.batch", "digits.size", "digits.size", "digits.width_G"}},
           {"reader", 8, {"digit_classifier.steps"}},
           {"map", 230, {"map.iterations", "map.batch", "map.side", "map.side", "map.width"}},
           {"sweep", 110, {"sweep.iterations", "map.batch", "map.side", "map.side", "map.width"}},
           {"judge", 30, {"evaluator.steps"}},
           {"photos",
            190,
            {"photos.iterations", "photos.batch", "photos.side", "photos.side", "photos.width"}}},
      .report = unit_study::report,
      .methods = unit_study::list_methods,
      .other_names = {"picture_judge", "digit_reader", "real"},
      .external = {.tables = unit_study::list_external_tables,
                   .exported = unit_study::export_pictures}};
}

}  // namespace reprise::reproduce
