// Shipped profiles of all studies: each can be planned, or reports everything that this machine
// lacks.
#include <torch/cuda.h>

#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "experiments/run/own_profile.h"
#include "experiments/run/plan.h"
#include "experiments/run/request.h"
#include "experiments/run/results.h"
#include "reproduce/studies.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

/// Calls check(study, name, TOML text, settings to plan with) for each profile.
template <typename Check>
void for_each_profile(const Check& check) {
  for (const auto& study : studies())
    for (const auto& [name, text] : study.profiles) {
      SCOPED_TRACE(study.name + ", " + name);
      const RunRequest request{.profile = name};
      check(study, name, text, planned_seeds(settings_of(study, request), request).settings);
    }
}

TEST(ShippedProfiles, ArePlannedUnchangedAndEveryNeedOfACellIsPlanned) {
  for_each_profile(
      [](const Study& study, const std::string&, std::string_view, const Settings& settings) {
        const auto cells = study.plan(settings, DataFolder());
        EXPECT_EQ(steps_to_run(cells, std::vector<bool>(cells.size(), true),
                               std::vector<Standing>(cells.size(), Standing::Missing))
                      .size(),
                  cells.size());
        EXPECT_GT(cells.size(), 20U);
      });
}

// A caption names settings, and some profiles show tables that no other one shows (recorded data,
// photographs).
TEST(ShippedProfiles, HaveEveryCaptionOfTheirReportsFilled) {
  for_each_profile(
      [](const Study& study, const std::string&, std::string_view, const Settings& settings) {
        const auto report = study.report(settings);
        EXPECT_FALSE(report.tables.empty());
        for (const auto& table : report.tables) EXPECT_NE(table.caption, "") << table.id;
        for (const auto& gallery : report.galleries)
          if (gallery.id != "opening") EXPECT_NE(gallery.caption, "") << gallery.id;
      });
}

TEST(ShippedProfiles, SayAtOnceAllThatTheyNeedAndThisMachineLacks) {
  const std::map<std::string, std::vector<std::string>> needs{
      {"prernn small", {"faces_300w", "ytf_keypoints"}},
      {"prernn paper", {"300vw", "vgg16.pth", "resnet50.pth", "nvgesture", "ucf101", "hmdb51"}},
      {"dynamic_face small", {"biwi_tracks/biwi_plus.csv", "faces_300w", "ytf_keypoints"}},
      {"dynamic_face paper",
       {"biwi_tracks/biwi_plus.csv", "vgg16.pth", "faces_300w", "ytf_keypoints"}},
      {"langevin small", {"mnist", "day_night", "fsdd"}},
      {"langevin paper", {"mnist", "day_night", "shapes", "fsdd"}},
      {"unit small", {"mnist", "usps", "day_night"}},
      {"unit paper", {"svhn", "mnist", "usps", "day_night"}}};
  for_each_profile(
      [&](const Study& study, const std::string& name, std::string_view, const Settings& settings) {
        std::string said;
        try {
          require_present(study.plan(settings, ""));
        } catch (const UsageError& error) {
          said = error.what();
        }
        const auto needed = needs.find(study.name + " " + name);
        if (needed == needs.end()) {
          EXPECT_EQ(said, "") << "it needs nothing";
          return;
        }
        for (const auto& what : needed->second) EXPECT_THAT(said, HasSubstr(what));
        EXPECT_THAT(said, HasSubstr("--dry-run"));
        const bool large = name == "paper" && study.name != "unit";
        EXPECT_EQ(said.find("a CUDA device") != std::string::npos,
                  large && !torch::cuda::is_available());
      });
}

// A setting is explained once, with its default and range; other profiles state only other values.
TEST(ShippedProfiles, StateWhatDiffersFromTheirBaseAlone) {
  for_each_profile(
      [](const Study& study, const std::string& name, std::string_view text, const Settings&) {
        const auto base = base_in(text, name);
        EXPECT_EQ(base.has_value(), name != "small");
        if (!base) return;
        const auto beneath = profile_settings(study, *base).all();
        const auto stated = Settings(text, name).all();
        for (const auto& [key, value] : stated.items())
          if (key != base_key) EXPECT_NE(value, beneath.at(key)) << key;
      });
}

TEST(Profiles, AreFoundUnderTheNameThatTheyHadInVersion01) {
  for (const auto& study : studies()) {
    EXPECT_EQ(profile_settings(study, "desk").all(), profile_settings(study, "small").all());
    EXPECT_EQ(profile_settings(study, "gate").all(), profile_settings(study, "ci").all());
  }
}

// A record stores the settings that its cell reads. If a list of PlannedCell::reads changes,
// committed cells would run again. Records may be older than a setting, or than a list that got
// shorter.
TEST(CommittedRecords, AreRecognisedByThePlanAndHoldWhatTheirCellsReadSlow) {
  for (const auto& study : studies()) {
    const auto results = committed_results(study.name);
    const auto description = read_description(results);
    const RunRequest request{.profile = description.profile};
    const auto plan = study.plan(planned_seeds(settings_of(study, request), request).settings,
                                 DataFolder::assume_complete());
    EXPECT_NO_THROW(expect_same_run(results, description, plan));
    std::map<std::string, PlannedCell> cells;
    for (const auto& planned : plan) cells[planned.cell.id()] = planned;
    std::size_t compared = 0;
    const bool as_old_as_its_lists = study.name == "mocogan" || study.name == "unit";
    for (const auto& record : cells_in(results).all()) {
      const auto planned = cells.find(record.cell.id());
      if (planned == cells.end()) continue;
      ++compared;
      auto options = *record.options;
      options.erase("rounding");  // no setting any more
      if (as_old_as_its_lists)
        EXPECT_EQ(options, description.options(planned->second.reads))
            << study.name << " " << record.cell.id();
    }
    EXPECT_GT(compared, 100U) << study.name;
  }
}

}  // namespace
}  // namespace reprise::reproduce
