// References: their file, their updates, and what they are not made from.
#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Reference, SurvivesItsFileWithEveryField) {
  const TemporaryFolder folder;
  auto reference = make_reference(
      both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  reference.informational = {"saturation_*"};
  reference = update_reference(
      reference,
      both(make_seeds({.method = "cnn"}, {0.7, 0.71}), make_seeds({.method = "pre"}, usual)),
      "better crops", {.drop = {"*"}});
  write_reference(folder.path() / "reference.json", reference);
  EXPECT_EQ(to_json(read_reference(folder.path() / "reference.json")), to_json(reference));
}

TEST(Reference, AnUpdateSaysWhatMovedAndWhy) {
  auto old = make_reference(
      both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)), "first");
  const auto updated = update_reference(
      old, both(make_seeds({.method = "cnn"}, {0.7, 0.72}), make_seeds({.method = "pre"}, usual)),
      "better crops", {.drop = {"*cnn auc", "*sih auc"}});
  ASSERT_EQ(updated.history.size(), 2u);
  EXPECT_EQ(updated.history[0].reason, "first");
  const Revision& revision = updated.history[1];
  ASSERT_EQ(revision.moved.size(), 3u);
  EXPECT_DOUBLE_EQ(*revision.moved[0].old_value, 0.61);
  EXPECT_DOUBLE_EQ(*revision.moved[0].new_value, 0.71);
  EXPECT_THAT(revision_text(revision, updated.entries.size()),
              AllOf(StartsWith("3 of 2 quantities moved: better crops"),
                    HasSubstr("table1/faces/cnn auc: 0.61 -> 0.71"),
                    HasSubstr("pre auc: none -> 0.61"), HasSubstr("sih auc: 0.61 -> none")));
  EXPECT_TRUE(update_reference(
                  old,
                  both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)),
                  "again")
                  .history[1]
                  .moved.empty());
}

TEST(Reference, IsNotMadeFromResultsThatCannotGuard) {
  auto records = make_seeds({.method = "cnn"}, usual);
  EXPECT_THAT([] { make_reference({}, "first"); }, ThrowsError(HasSubstr("no record")));
  EXPECT_THAT([&] { make_reference(records, ""); }, ThrowsError(HasSubstr("reason")));
  EXPECT_THAT([] { make_reference(make_seeds({.method = "cnn"}, {0.5}), "first"); },
              ThrowsError(HasSubstr("one seed only"), HasSubstr("cnn auc")));
  EXPECT_EQ(
      make_reference(both(records, make_seeds({.method = "trial"}, {0.5})), "first").entries.size(),
      make_reference(records, "first").entries.size());
  records[1].status = Status::Running;
  EXPECT_THAT([&] { make_reference(records, "first"); },
              ThrowsError(HasSubstr("1 cells are not done: table1/faces/cnn/seed1")));
  records[1] = make({.method = "sih", .seed = 1});
  records[1].profile = "small";
  EXPECT_THAT([&] { make_reference(records, "first"); },
              ThrowsError(HasSubstr("one study and profile")));
}

TEST(Reference, ADamagedFileIsNamedWithItsField) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "reference.json";
  write_file(path, "{");
  EXPECT_THAT([&] { read_reference(path); }, ThrowsUsageError(HasSubstr("reference.json")));
  const auto whole = to_json(make_reference(make_seeds({.method = "cnn"}, usual), "first"));
  auto json = whole;
  json["schema"] = 7;
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("version 7")));
  json = whole;
  json["entries"][0]["seeds"] = {0};
  EXPECT_THAT([&] { reference_from_json(json, "r"); },
              ThrowsError(HasSubstr("entries[0]"), HasSubstr("at least two")));
  json = whole;
  json["entries"][0]["values"][0] = {0.5};
  EXPECT_THAT([&] { reference_from_json(json, "r"); },
              ThrowsError(HasSubstr("entries[0]"), HasSubstr("lists of 3 numbers")));
  json = whole;
  json["arithmetics"] = nlohmann::json::array();
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("arithmetics")));
  json = whole;
  json["history"][0]["moved"].push_back({{"table", "t"}});
  EXPECT_THAT([&] { reference_from_json(json, "r"); },
              ThrowsError(HasSubstr("r, history[0], moved["), HasSubstr("\"dataset\"")));
  json = whole;
  json["entries"].push_back(json["entries"][0]);
  EXPECT_THAT([&] { reference_from_json(json, "r"); }, ThrowsError(HasSubstr("twice")));
}

}  // namespace
}  // namespace reprise::records
