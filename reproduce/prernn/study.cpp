#include "reproduce/prernn/study.h"

#include "baselines/methods.h"
#include "experiments/embedded.h"
#include "models/methods.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce {

namespace {

std::vector<ListedMethod> list_methods() {
  std::vector<ListedMethod> all;
  for (const auto* methods :
       {&baselines::methods(), &models::methods(), &models::convolutional_methods()})
    for (const auto& method : *methods)
      all.push_back(
          {training::Contract::Sequence, method.info, models::describe_traits(method.traits)});
  return all;
}

Runs cell_functions() {
  using namespace prernn_study;
  Runs runs{{"cnn", run_cnn},
            {"features", run_features},
            {"table1", run_sequence},
            {"nomemory", run_sequence},
            {short_table, run_sequence},
            {"search", run_sequence},
            {"search_nomemory", run_sequence},
            {"clips", run_video_clips},
            {"networks_*", run_video_networks}};
  for (const auto& table : start_tables()) runs.emplace_back(table, run_sequence);
  for (const auto& network : network_kinds())
    runs.emplace_back(search_table(network.kind), run_video_method);
  for (const auto& task : video_tasks()) runs.emplace_back(task.name + "_*", run_video_method);
  for (const auto& set : study_datasets())
    runs.emplace_back("selection/" + set.name, set.faces() ? run_sequence : run_video_method);
  return runs;
}

}  // namespace

Study prernn() {
  return {
      .name = "prernn",
      .title = "Making convolutional networks recurrent: faces, gestures, actions",
      .document = "US 2018/0373985 A1; Yang, Molchanov, Kautz, CVPR 2018",
      .version = prernn_version,
      .profiles = {{"smoke", embedded::file("prernn/smoke.toml")},
                   {"ci", embedded::file("prernn/ci.toml")},
                   {"small", embedded::file("prernn/small.toml")},
                   {"paper", embedded::file("prernn/paper.toml")}},
      .claims = embedded::file("prernn/claims.toml"),
      .published = embedded::file("prernn/published.toml"),
      .findings = embedded::file("prernn/findings.toml"),
      .sample = embedded::file("prernn/sample.toml"),
      .plan = prernn_study::plan,
      .run = run_by_table(cell_functions()),
      .seconds = {{"cnn", 140, {"cnn.epochs", "cnn.frames_an_epoch", "image.size", "image.size"}},
                  {"features", 33, {"clips.training", "image.size", "image.size"}},
                  {"search_nomemory", 7, {"clips.training", "search.epochs"}},
                  {"search", 9, {"clips.training", "search.epochs"}},
                  {"short", 17, {"clips.training", "search.epochs"}},
                  {"clips", 22, {"videos.training", "videos.frames", "videos.size", "videos.size"}},
                  {"networks_*",
                   120,
                   {"video_networks.epochs", "video_networks.steps_an_epoch", "videos.size",
                    "videos.size"}},
                  {"search_*", 3, {"videos.training", "video_search.epochs"}},
                  {"selection",
                   20,
                   {"clips.training", "sequence.epochs", "videos.training",
                    "video_sequence.epochs"}},
                  {"gestures_*", 7, {"videos.training", "video_sequence.epochs"}},
                  {"actions_*", 7, {"videos.training", "video_sequence.epochs"}},
                  {"*", 45, {"clips.training", "sequence.epochs"}}},
      .report = prernn_study::report,
      .methods = list_methods,
      .other_names = {"lstm_fc", "gru_fc", "lstm_conv", "gru_conv"},  // methods of table selection
      .external = {.tables = prernn_study::external_tables,
                   .exported = prernn_study::exported_clips},
      .metric_inputs = {MetricInput::Landmarks, MetricInput::Labels}};
}

}  // namespace reprise::reproduce
