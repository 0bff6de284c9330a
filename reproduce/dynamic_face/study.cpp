#include "reproduce/dynamic_face/study.h"

#include "experiments/embedded.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/external.h"
#include "reproduce/dynamic_face/photographs.h"

namespace reprise::reproduce {

Study dynamic_face() {
  using namespace dynamic_face_study;
  return {
      .name = "dynamic_face",
      .title = "Dynamic facial analysis: from Bayesian filters to recurrent networks",
      .document = "US 10,373,332 B2; Gu, Yang, De Mello, Kautz, CVPR 2017",
      .version = dynamic_face_version,
      .profiles = {{"smoke", embedded::file("dynamic_face/smoke.toml")},
                   {"ci", embedded::file("dynamic_face/ci.toml")},
                   {"small", embedded::file("dynamic_face/small.toml")},
                   {"paper", embedded::file("dynamic_face/paper.toml")}},
      .claims = embedded::file("dynamic_face/claims.toml"),
      .published = embedded::file("dynamic_face/published.toml"),
      .findings = embedded::file("dynamic_face/findings.toml"),
      .sample = embedded::file("dynamic_face/sample.toml"),
      .plan = dynamic_face_study::plan,
      .run = run_by_table({{"cnn", run_cnn},
                           {"size", run_cnn},
                           {"clips", run_clips},
                           {"pose", run_method},
                           {"search", run_method},
                           {"photographs", run_photographs}},
                          run_external),
      .seconds = {{"cnn", 80, {"cnn.epochs", "cnn.frames_an_epoch", "image.size", "image.size"}},
                  {"size", 80, {"cnn.epochs", "cnn.frames_an_epoch", "image.size", "image.size"}},
                  {"clips", 63, {"clips.training", "clips.frames", "image.size", "image.size"}},
                  {"search",
                   18,
                   {"clips.training", "clips.frames", "search.epochs", "search_end_to_end.epochs"}},
                  {"pose",
                   34,
                   {"clips.training", "clips.frames", "sequence.epochs", "end_to_end.epochs"}},
                  {"photographs", 240, {"photographs.epochs", "photographs.frames_an_epoch"}}},
      .report = dynamic_face_study::report,
      .methods = dynamic_face_study::listed_methods,
      .other_names = {"heads-2", "heads-6"},  // of table size
      .external = {.tables = dynamic_face_study::external_tables,
                   .exported = dynamic_face_study::exported_frames},
      .metric_inputs = {MetricInput::Pose, MetricInput::Landmarks}};
}

}  // namespace reprise::reproduce
