#include "reproduce/mocogan/study.h"

#include "experiments/embedded.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/external.h"

namespace reprise::reproduce {

Study mocogan() {
  using namespace mocogan_study;
  return {
      .name = "mocogan",
      .title = "MoCoGAN: content and motion of generated clips",
      .document =
          "US 2018/0288431 A1: System and method for content and motion controlled action video "
          "generation; Tulyakov, Liu, Yang, Kautz, CVPR 2018",
      .version = mocogan_version,
      .profiles = {{"smoke", embedded::file("mocogan/smoke.toml")},
                   {"ci", embedded::file("mocogan/ci.toml")},
                   {"small", embedded::file("mocogan/small.toml")},
                   {"paper", embedded::file("mocogan/paper.toml")}},
      .claims = embedded::file("mocogan/claims.toml"),
      .published = embedded::file("mocogan/published.toml"),
      .findings = embedded::file("mocogan/findings.toml"),
      .sample = embedded::file("mocogan/sample.toml"),
      .plan = mocogan_study::plan,
      .run = run_by_table({{evaluator_table, run_evaluator},
                           {controls_table, run_negative_control},
                           {generated_table, run_generation},
                           {actions_table, run_generation},
                           {lengths_table, run_lengths},
                           {control_table, run_control},
                           {image_table, run_image_to_video}},
                          run_external),
      // Seconds per cell of profile small on two cores, with the settings that scale them.
      .seconds =
          {{"generated",
            640,
            {"recipe.iterations", "recipe.batch", "clips.frames", "clips.size", "clips.size"}},
           {"actions",
            410,
            {"recipe.iterations_of_actions", "recipe.batch", "clips.frames", "clips.size",
             "clips.size"}},
           {"lengths",
            390,
            {"lengths.iterations", "recipe.batch", "lengths.longest", "clips.size", "clips.size"}},
           {"image_to_video",
            13,
            {"image_to_video.steps", "image_to_video.batch", "clips.size", "clips.size"}},
           {"judge", 3, {"evaluator.steps"}},
           {"*", 5}},
      .report = mocogan_study::report,
      .methods = mocogan_study::list_methods,
      .other_names = {"clip_judge"},
      .external = {.tables = mocogan_study::list_external_tables,
                   .exported = mocogan_study::export_clips}};
}

}  // namespace reprise::reproduce
