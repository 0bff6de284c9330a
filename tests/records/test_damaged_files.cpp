// Every kind of file that records reads, damaged in 300 ways from a fixed seed: reading it gives a
// value or our error with the file's name.
#include "records/claims/claims_file.h"
#include "records/regression/reference.h"
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
  std::filesystem::path file(const std::string& name) const {
    return store.folder(record.cell) / name;
  }
};

TEST_F(DamagedRecordFile, ARecordGivesItsCellOrOurErrorSlow) {
  store.write(record);
  const int refused =
      read_damaged_copies(file("record.json"), read_file(file("record.json")), [&](const auto&) {
        for (const auto& found : store.all()) EXPECT_EQ(found.cell.id(), record.cell.id());
        store.find(record.cell);
      });
  EXPECT_GE(refused, 75);
}

TEST_F(DamagedRecordFile, CurvesGiveSeriesOrOurErrorSlow) {
  store.write_curves(record.cell, {{"loss", {3, 2.5, 1e-3}}, {"validation", {NAN, 0.25}}});
  EXPECT_GE(read_damaged_copies(file("curves.json"), read_file(file("curves.json")),
                                [&](const auto&) { store.curves(record.cell); }),
            75);
}

TEST_F(DamagedRecordFile, AReferenceGivesBandsOrOurErrorSlow) {
  const auto path = folder.path() / "reference.json";
  write_reference(path,
                  make_reference(make_seeds({.method = "cnn"}, {0.5, 0.6, 0.7}), "the first"));
  EXPECT_GE(read_damaged_copies(path, read_file(path),
                                [](const auto& damaged) { read_reference(damaged); }),
            75);
}

TEST_F(DamagedRecordFile, ClaimsAreReadOrRefusedSlow) {
  const std::string text = R"([lists]
kinds = [{ row = "clean", metric = "auc" }, { row = "blurred", metric = "auc_blur" }]
[[resampling]]
table = "table1"
resamples = 0.55
[[requirement]]
id = "works"
statement = "it works"
kind = "every"
methods = "trad"
metric = "auc"
at_least = 0.5
[[claim]]
id = "1"
statement = "pre beats trad"
source = "document, table 1"
needs = ["works"]
[[claim.row]]
for_each = "kinds"
kind = "better"
metric = "{metric}"
table = "table1"
methods = "(pre|sih)_[a-z]+"
than = "trad"
margin = 0.01
[[claim.row]]
id = "parameters"
further = true
kind = "ratio"
metric = "parameters.recurrent"
table = "table1"
methods = "pre_[a-z]+"
than = "trad"
at_most = 0.5
)";
  const int refused =
      read_damaged_copies(folder.path() / "claims.toml", text, [](const auto& path) {
        read_claims(read_file(path), path.string());
        read_resampling_rules(read_file(path), path.string());
      });
  EXPECT_GE(refused, 75);
}

}  // namespace
}  // namespace reprise::records
