// Every kind of file that this room reads, damaged in 300 ways from a fixed seed: reading it gives a value or our error with the file's
// name.
#include "records/claims_file.h"
#include "records/reference.h"
#include "records/store.h"
#include "tests/damage.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

struct DamagedRecordFile : testing::Test {
  TemporaryFolder folder;
  const Store store{folder.path()};
  const Record record = make({.method = "cnn", .value = 0.5});
  std::filesystem::path file(const std::string& name) const { return store.folder(record.cell) / name; }
};

TEST_F(DamagedRecordFile, ARecordGivesItsCellOrOurError) {
  store.write(record);
  const int refused = read_damaged_copies(file("record.json"), read_file(file("record.json")), [&](const auto&) {
    for (const auto& found : store.all()) EXPECT_EQ(found.cell.id(), record.cell.id());
    store.find(record.cell);
  });
  EXPECT_GE(refused, 75);
}

TEST_F(DamagedRecordFile, CurvesGiveSeriesOrOurError) {
  store.write_curves(record.cell, {{"loss", {3, 2.5, 1e-3}}, {"validation", {NAN, 0.25}}});
  EXPECT_GE(read_damaged_copies(file("curves.json"), read_file(file("curves.json")), [&](const auto&) { store.curves(record.cell); }), 75);
}

TEST_F(DamagedRecordFile, AReferenceGivesBandsOrOurError) {
  const auto path = folder.path() / "reference.json";
  write_reference(path, make_reference(make_seeds({.method = "cnn"}, {0.5, 0.6, 0.7}), "the first"));
  EXPECT_GE(read_damaged_copies(path, read_file(path), [](const auto& damaged) { read_reference(damaged); }), 75);
}

TEST_F(DamagedRecordFile, ClaimsAreReadOrRefused) {
  const std::string text = R"([[claim]]
id = "1"
says = "pre beats trad"
source = "document, table 1"
level = 0.05
[[claim.test]]
kind = "better"
metric = "auc"
table = "table1"
methods = "(pre|sih)_[a-z]+"
than = "trad"
comparisons = 15
[[claim]]
id = "2"
says = "as many parameters"
source = "document, section 3"
kind = "parameters"
left = 375390208
right = { table = "table1", dataset = "faces", method = "pre", count = "recurrent" }
fraction = 0.5
tolerance = 0.05
)";
  const int refused =
      read_damaged_copies(folder.path() / "claims.toml", text, [](const auto& path) { read_claims(read_file(path), path.string()); });
  EXPECT_GE(refused, 75);
}

TEST(ClaimsFile, ANumberOfComparisonsThatNoFamilyHasIsRefused) {
  for (const char* count : {"0", "-3", "1.5", "1e300", "9223372036854775807"})
    EXPECT_THAT(
        [&] {
          read_claims(std::string("[[claim]]\nid = \"1\"\nsays = \"s\"\nsource = \"d\"\nkind = \"better\"\nmetric = \"auc\"\n"
                                  "table = \"t\"\nmethods = \"a\"\nthan = \"b\"\ncomparisons = ") +
                          count,
                      "claims.toml");
        },
        ThrowsUsageError(testing::HasSubstr("claims.toml"), testing::HasSubstr("comparisons")));
}

}  // namespace
}  // namespace reprise::records
