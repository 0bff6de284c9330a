// The study of document dynamic_face as a description: its profiles, plan and claims.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "experiments/sequence_training.h"
#include "records/claims/claims.h"
#include "records/claims/claims_file.h"
#include "reports/published.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/study.h"
#include "tests/reproduce/dynamic_face_settings.h"
#include "tests/reproduce/run_cells.h"
#include "tests/support.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {
namespace {

using dynamic_face_study::methods;
using testing::HasSubstr;

TEST(DynamicFaceStudy, EveryNeedIsInThePlanAndOfTheSameSeedOrATrial) {
  std::map<std::string, PlannedCell> cells;
  for (const auto& cell : dynamic_face().plan(faces_profile("smoke"), ""))
    EXPECT_TRUE(cells.emplace(cell.cell.id(), cell).second) << cell.cell.id();
  for (const auto& [id, cell] : cells)
    for (const auto& need : cell.needs) {
      EXPECT_TRUE(cells.contains(need.id())) << id << " needs " << need.id();
      EXPECT_TRUE(need.seed == cell.cell.seed || need.table == "search") << id;
    }
  const auto last = "/seed" + std::to_string(faces_profile("smoke").integer("seeds") - 1);
  for (const auto& method : methods())
    EXPECT_TRUE(cells.contains("pose/synhead/" + method.info.id + last)) << method.info.id;
}

TEST(DynamicFaceStudy, ASearchOfOneRateHasNoTrials) {
  const auto searched = [](const std::vector<std::string>& changes) {
    std::set<std::string> methods;
    for (const auto& cell : dynamic_face().plan(faces_profile("smoke", changes), "")) {
      if (cell.cell.table == "search")
        methods.insert(records::parse_trial(cell.cell.method).method);
      for (const auto& need : cell.needs)
        if (need.table == "search") methods.insert(records::parse_trial(need.method).method);
    }
    return methods;
  };
  const auto of_quick = searched({});
  EXPECT_TRUE(of_quick.contains("fc_gru"));
  EXPECT_FALSE(of_quick.contains("fc_gru_end_to_end")) << "its section has one rate";
  EXPECT_EQ(searched({"search.learning_rates=[1e-3]"}), std::set<std::string>{});
  EXPECT_EQ(searched({"search.learning_rates=[1e-3]", "search.joint_weights=[1, 3]"}),
            std::set<std::string>{"fc_gru_joint"});
  EXPECT_TRUE(searched({"search.learning_rates=[1e-3]", "search.dropouts=[0, 0.1]"})
                  .contains("cnn_continued"));
  EXPECT_EQ(
      searched({"search.learning_rates=[1e-3]", "search_end_to_end.learning_rates=[1e-3, 1e-4]"}),
      (std::set<std::string>{"cnn_continued_end_to_end", "fc_rnn_end_to_end", "fc_lstm_end_to_end",
                             "fc_gru_end_to_end"}));
  // every combination, named by its hyperparameters, on each seed of the search
  std::set<std::string> trials;
  for (const auto& cell :
       dynamic_face().plan(faces_profile("smoke", {"search.learning_rates=[1e-3, 1e-2]",
                                                   "search.dropouts=[0, 0.25]", "search.seeds=2",
                                                   "methods=[\"fc_rnn\"]"}),
                           ""))
    if (cell.cell.table == "search")
      trials.insert(cell.cell.method + "/" + std::to_string(cell.cell.seed));
  EXPECT_EQ(trials.size(), 8U);
  EXPECT_TRUE(trials.contains("fc_rnn+lr=0.01+dropout=0.25/1"));
}

// A CI profile requires this: all seeds of a method are measured on the same items, and start from
// the same per-frame networks.
TEST(DynamicFaceStudy, WithReplicatesWeightsDataAndPerFrameNetworksAreThoseOfSeedZero) {
  std::map<std::string, PlannedCell> cells;
  for (const auto& cell : dynamic_face().plan(faces_profile("smoke", {"replicates=weights"}), ""))
    cells.emplace(cell.cell.id(), cell);
  const auto seeds = faces_profile("smoke").integer("seeds");
  std::map<std::string, int> counts;
  for (const auto& [id, cell] : cells) {
    if (cell.cell.table != "pose") EXPECT_EQ(cell.cell.seed, 0) << id;
    ++counts[cell.cell.table + "/" + cell.cell.method];
    for (const auto& need : cell.needs) {
      EXPECT_TRUE(cells.contains(need.id())) << id << " needs " << need.id();
      EXPECT_EQ(need.seed, need.table == "pose" ? cell.cell.seed : 0)
          << id << " needs " << need.id();
    }
  }
  for (const auto& network : dynamic_face_study::frame_networks())
    EXPECT_EQ(counts["cnn/" + network.name], 1) << network.name;
  for (const auto& method : methods())
    EXPECT_EQ(counts["pose/" + method.info.id], seeds) << method.info.id;
  // With replicates = "everything" each seed has its own.
  int networks = 0;
  for (const auto& cell : dynamic_face().plan(faces_profile("smoke"), ""))
    networks += cell.cell.table == "cnn";
  EXPECT_EQ(networks, seeds * static_cast<int>(dynamic_face_study::frame_networks().size()));
}

TEST(DynamicFaceStudy, WithReplicatesWeightsSeedsShareTheirGroundTruthSlow) {
  CellsInProcess run(dynamic_face(), tiny({"replicates=weights", "cnn.frames_an_epoch=64",
                                           "methods=[\"cnn\", \"fc_rnn\"]",
                                           "search.learning_rates=[1e-3]", "size.heads=[]"}));
  const auto estimates = [&](const std::string& cell) {
    run(cell);
    std::map<std::string, at::Tensor> parts;
    for (const auto& [part, poses] :
         weights::read_safetensors(run.folder(cell) / "estimates.safetensors").tensors)
      parts[part] = poses;
    return parts;
  };
  // The per-frame network is deterministic: equal estimates and ground truth give equal errors.
  const auto first = estimates("pose/synhead/cnn/seed0"),
             second = estimates("pose/synhead/cnn/seed1");
  ASSERT_TRUE(first.contains("gaps") && second.contains("gaps"));
  EXPECT_TRUE(first.at("gaps").equal(second.at("gaps")));
  for (const auto* metric : {"error_clean", "error_gaps", "jitter_gaps", "error_validation"})
    EXPECT_EQ(run("pose/synhead/cnn/seed0").metric(metric),
              run("pose/synhead/cnn/seed1").metric(metric))
        << metric;
  // A recurrent network has another order of clips and other dropout masks.
  EXPECT_NE(run("pose/synhead/fc_rnn/seed0").metric("error_gaps"),
            run("pose/synhead/fc_rnn/seed1").metric("error_gaps"));
}

// CI's time is bounded, and no search may turn out otherwise on another machine.
TEST(DynamicFaceStudy, TheCiProfileHasNoSearchAndSharesItsData) {
  const auto settings = faces_profile("ci");
  EXPECT_EQ(settings.text("resampled"), "weights");
  EXPECT_EQ(settings.integer("seeds"), 5);
  for (const auto& cell : dynamic_face().plan(settings, "")) {
    EXPECT_NE(cell.cell.table, "search") << cell.cell.id();
    EXPECT_NE(cell.cell.table, "size") << cell.cell.id();
    EXPECT_TRUE(cell.cell.table == "pose" || cell.cell.seed == 0) << cell.cell.id();
    for (const auto& need : cell.needs)
      EXPECT_NE(need.table, "cnn") << cell.cell.id() << ": its networks come with the project";
  }
  EXPECT_THAT(
      [] {
        dynamic_face().plan(faces_profile("ci", {"cnn.weights=tests/accuracy/networks/none"}), "");
      },
      ThrowsUsageError(HasSubstr("none_pose.safetensors")));
}

// A committed network of another trunk would fail in every cell of a run.
TEST(DynamicFaceStudy, TheNetworksOfTheCiProfileFitItsSettings) {
  const auto settings = faces_profile("ci");
  auto names = dynamic_face_study::fold_networks();
  names.emplace_back("pose");
  for (const auto& name : names) {
    auto network =
        dynamic_face_study::new_network(dynamic_face_study::Output::Pose, settings, name, 0);
    EXPECT_NO_THROW(
        training::load_weights(*network, dynamic_face_study::committed_network(settings, name, "")))
        << name;
  }
}

TEST(DynamicFaceStudy, AFilterAloneBringsWhatItFilters) {
  std::set<std::string> poses;
  for (const auto& cell :
       dynamic_face().plan(faces_profile("smoke", {"methods=[\"kalman_continued\"]"}), ""))
    if (cell.cell.table == "pose") poses.insert(cell.cell.method);
  EXPECT_EQ(poses, (std::set<std::string>{"cnn_continued", "kalman_continued"}));
}

TEST(DynamicFaceStudy, ClaimsAndPublishedFiguresCanBeRead) {
  const TemporaryFolder folder;
  const auto study = dynamic_face();
  EXPECT_GE(records::judge(study.claims, "claims.toml", records::Store(folder.path())).size(), 15U);
  const reports::Published published(study.published, "published.toml");
  ASSERT_NE(published.find("tracking", "FC-RNN, end to end", "yaw"), nullptr);
  EXPECT_EQ(published.find("tracking", "FC-RNN, end to end", "yaw")->value, 3.14);
}

// A misspelt name, or a kind that a profile lacks, would pass as a row that is not run.
TEST(DynamicFaceStudy, EveryProfileThatTestsClaimsMeasuresWhatTheirRowsCompare) {
  const std::set<std::string> measures{"error", "jitter", "auc"};
  const auto all_kinds = faces_profile("small").texts("test.kinds");
  int profiles = 0, compared = 0;
  for (const auto& [name, text] : dynamic_face().profiles) {
    const auto settings = faces_profile(name);
    if (settings.text("purpose") != "full_experiment") continue;
    ++profiles;
    const auto kinds = settings.texts("test.kinds");
    std::map<std::string, std::vector<std::string>> measured;  // table -> its methods
    for (const auto& method : methods()) measured["pose"].push_back(method.info.id);
    for (const auto heads : settings.numbers("size.heads"))
      measured["size"].push_back(dynamic_face_study::size_name(static_cast<std::int64_t>(heads)));
    for (const auto& row : records::read_claims(dynamic_face().claims, "claims.toml"))
      for (const auto& test : row.tests) {
        const auto where = name + ", claim " + row.id + ": " + test.metric;
        const auto kind = test.metric.substr(test.metric.rfind('_') + 1);
        EXPECT_TRUE(measures.contains(test.metric.substr(0, test.metric.find('_')))) << where;
        EXPECT_EQ(std::count(all_kinds.begin(), all_kinds.end(), kind), 1) << where;
        // BIWI's tracks require --data: rows about them are not run in profiles without them.
        if (kind != dynamic_face_study::recorded_kind)
          EXPECT_EQ(std::count(kinds.begin(), kinds.end(), kind), 1) << where;
        const auto& ones = measured[test.table];
        const auto& others = measured[test.than_table.empty() ? test.table : test.than_table];
        EXPECT_TRUE(std::any_of(ones.begin(), ones.end(), [&](const auto& id) {
          return std::regex_match(id, test.methods);
        })) << where;
        EXPECT_EQ(std::count(others.begin(), others.end(), test.than), 1)
            << where << " against " << test.than;
        ++compared;
      }
  }
  EXPECT_EQ(profiles, 2) << "desk and paper";
  EXPECT_GT(compared, 100);
}

TEST(DynamicFaceStudy, RefusesWhatCannotRun) {
  const auto plan = [](const std::string& change) {
    dynamic_face().plan(faces_profile("smoke", {change}), "");
  };
  EXPECT_THAT([&] { plan("strength.kinds=[\"blur\"]"); },
              ThrowsUsageError(HasSubstr("test.kinds lacks it")));
  EXPECT_THAT([&] { plan("test.kinds=[\"fog\"]"); }, ThrowsUsageError(HasSubstr("'fog'")));
}

}  // namespace
}  // namespace reprise::reproduce
