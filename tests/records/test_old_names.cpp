// Results of version 0.1 are read with today's names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records/old_names.h"
#include "records/record.h"

namespace reprise {
namespace {

using nlohmann::json;

const json old_settings = {{"purpose", "wiring"},
                           {"replicates", "weights"},
                           {"judge.batch", 32},
                           {"clips.films", 8},
                           {"digits.watched", 200},
                           {"digits.watch_every", 100},
                           {"worthless.methods", {"real"}},
                           {"seeds", 3}};
const json settings_of_today = {{"purpose", "smoke_test"},
                                {"resampled", "weights"},
                                {"evaluator.batch", 32},
                                {"clips.versions", 8},
                                {"digits.evaluated", 200},
                                {"digits.evaluate_every", 100},
                                {"negative_controls.methods", {"real"}},
                                {"seeds", 3}};

TEST(OldNames, SettingsOfAnOldRecordHaveTodaysKeysAndValues) {
  EXPECT_EQ(records::current_settings(old_settings), settings_of_today);
  EXPECT_EQ(records::current_settings(settings_of_today), settings_of_today);
}

TEST(OldNames, AnOldRecordIsReadWithTodaysSettings) {
  records::Record record;
  record.cell = {.study = "mocogan", .table = "generated", .dataset = "d", .method = "m"};
  record.profile = "small";
  auto stored = records::to_json(record);
  stored["profile"] = "desk";
  stored["options"] = old_settings;
  const auto read = records::record_from_json(stored, "record.json", "remake it");
  EXPECT_EQ(read.profile, "small");
  EXPECT_EQ(*read.options, settings_of_today);
}

}  // namespace
}  // namespace reprise
