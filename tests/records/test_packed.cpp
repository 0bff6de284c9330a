// Packed records: the same records, curves and files as in the cells' folders, and damage that
// costs one cell.
#include <zlib.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "core/compression.h"
#include "core/sha256.h"
#include "core/text.h"
#include "records/claims/claims.h"
#include "records/packed.h"
#include "tests/damage.h"
#include "tests/full_disk.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();

std::vector<std::string> ids(const std::vector<Record>& records) {
  std::vector<std::string> all;
  for (const auto& record : records) all.push_back(record.cell.id());
  return all;
}

std::vector<std::string> problems(const Store& store) {
  std::vector<std::string> all;
  for (const auto& error : store.skipped_files()) all.push_back(error.problem());
  return all;
}

/// Two tables of a run, and the same packed into another folder.
struct Packed : testing::Test {
  TemporaryFolder folder;
  const fs::path run = folder.path() / "run", travels = folder.path() / "travels",
                 table1 = travels / "records" / "table1.jsonl.gz",
                 curves1 = travels / "records" / "table1.curves.jsonl.gz";
  const std::string picture = "a picture", weights = "weights";

  void SetUp() override {
    const Store cells(run);
    for (const char* table : {"table1", "figure2"})
      for (const int seed : {10, 2, 0}) {
        auto record =
            make({.method = "cnn", .seed = seed, .value = 0.1 + 0.2 * seed, .table = table});
        record.metrics.push_back({.name = "tiny",
                                  .value = -std::numeric_limits<double>::denorm_min(),
                                  .unit = "px",
                                  .protocol = ""});
        record.metrics.push_back({.name = "zero", .value = -0.0, .unit = "", .protocol = "π"});
        record.seconds["odd"] = 1.0 / 3;
        cells.write(record);
        cells.write_curves(record.cell, {{"loss", {3, 1.0 / 3, nan, inf, -inf}}, {"empty", {}}});
      }
    auto failed = make({.method = "sih", .value = 7});
    failed.status = Status::Failed;
    failed.error = "loss is NaN\n  fix: \"lower\" rate";
    cells.write(failed);
    const auto cell = make({.method = "cnn", .seed = 2}).cell;
    write_file(cells.folder(cell) / "best.png", picture);
    write_file(cells.folder(cell) / "weights.safetensors", weights);
    write(pack(cells, {sha256(picture)}));
    write_file(travels / "pictures" / "gallery-1.png", picture);
  }
  void write(const std::map<fs::path, std::string>& files) const {
    for (const auto& [path, bytes] : files) write_file(travels / path, bytes);
  }
  static std::string text_of(const fs::path& file) {
    return decompress(read_file(file), file.string(), "");
  }
  /// The lines of table1.jsonl.gz are cnn0, cnn2, cnn10, sih0.
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::istringstream text(text_of(table1));
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
  void put(const std::vector<std::string>& lines) const {
    write_file(table1, join(lines, "\n") + "\n");
  }
  static std::string text(const Store& store, const Record& record) {
    return to_json(record).dump() + nlohmann::json(store.curves(record.cell)).dump();
  }
};

TEST_F(Packed, EveryFieldAndCurveComesBackAsItWasSlow) {
  const Store cells(run), packed(travels);
  const auto before = cells.all(), after = packed.all();
  ASSERT_EQ(before.size(), 7U);
  ASSERT_EQ(ids(before), ids(after));
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(text(cells, before[i]), text(packed, after[i]));
    EXPECT_EQ(text(packed, *packed.find(before[i].cell)), text(packed, after[i]));
  }
  EXPECT_EQ(after[3].metric("tiny"), -std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::signbit(after[3].metric("zero").value()));
  // JSON has no infinity either: in both forms it reads back as NaN.
  const auto loss = packed.curves(after[3].cell).at("loss");
  EXPECT_EQ(loss[1], 0.3333333);
  EXPECT_TRUE(std::isnan(loss[2]) && std::isnan(loss[3]) && std::isnan(loss[4]));
  EXPECT_THAT(packed.curves(after[3].cell).at("empty"), IsEmpty());
  EXPECT_THAT(packed.curves(make({.method = "sih"}).cell), IsEmpty());
  EXPECT_EQ(packed.find(make({.method = "none"}).cell), std::nullopt);
  EXPECT_EQ(packed.find(make({.method = "cnn", .table = "table7"}).cell), std::nullopt);
}

// By zlib alone and a JSON parser, as pandas and DuckDB read them.
TEST_F(Packed, AnyProgramReadsThemSlow) {
  for (const auto& [file, expected] : {std::pair{table1, 4}, {curves1, 3}}) {
    auto* packed = gzopen(file.c_str(), "rb");
    ASSERT_NE(packed, nullptr);
    std::string text(std::size_t{1} << 20, '\0');
    const int count = gzread(packed, text.data(), static_cast<unsigned>(text.size()));
    EXPECT_EQ(gzclose(packed), Z_OK) << "the check sum is right";
    ASSERT_GT(count, 0);
    text.resize(static_cast<std::size_t>(count));
    std::istringstream lines(text);
    int found = 0;
    for (std::string line; std::getline(lines, line); ++found)
      EXPECT_EQ(nlohmann::json::parse(line).at("schema"), 1);
    EXPECT_EQ(found, expected);
  }
}

TEST_F(Packed, ALineIsARecordAsInTheCellsFolderSlow) {
  ASSERT_EQ(lines().size(), 4U);
  for (const auto& line : lines()) {
    const auto record = record_from_json(nlohmann::json::parse(line), "line");
    EXPECT_EQ(to_json(record), to_json(*Store(run).find(record.cell)));
  }
  EXPECT_THAT(lines()[0], AllOf(HasSubstr("\"schema\":1"), HasSubstr("\"seed\":0")));
  EXPECT_THAT(
      text_of(curves1),
      testing::StartsWith(R"({"cell":"table1/faces/cnn/seed0","curves":{"empty":[],"loss":[)"));
}

// What is committed must be made again from a commit; what was packed before that was asked for may
// stay.
TEST_F(Packed, RecordsOfAChangedCheckoutAreRefusedUnlessTheyArePackedThereAlreadySlow) {
  const Store cells(run);
  EXPECT_NO_THROW(refuse_uncommitted(cells, travels)) << "all were packed there";
  EXPECT_NO_THROW(refuse_uncommitted(Store(travels), travels));
  EXPECT_THAT(
      [&] { refuse_uncommitted(cells, folder.path() / "elsewhere"); },
      ThrowsUsageError(AllOf(HasSubstr("7 records are of a checkout with uncommitted changes"),
                             HasSubstr("first figure2/faces/cnn/seed0")),
                       AllOf(HasSubstr("commit the changes"), HasSubstr("--redo"))));
  auto again = make({.method = "cnn", .seed = 2, .value = 0.25});
  cells.write(again);
  EXPECT_THAT(
      [&] { refuse_uncommitted(cells, travels); },
      ThrowsUsageError(AllOf(HasSubstr("1 record is"), HasSubstr("first table1/faces/cnn/seed2")),
                       HasSubstr("--redo")));
  again.environment.edit().dirty = false;
  cells.write(again);
  EXPECT_NO_THROW(refuse_uncommitted(cells, travels));
}

TEST_F(Packed, TheSameRecordsGiveTheSameBytesFromEitherFormSlow) {
  const auto shown = std::set{sha256(picture)};
  const auto files = pack(Store(run), shown);
  std::vector<std::string> names;
  for (const auto& [path, bytes] : files) names.push_back(path);
  EXPECT_THAT(names, ElementsAre("records/figure2.curves.jsonl.gz", "records/figure2.jsonl.gz",
                                 "records/table1.curves.jsonl.gz", "records/table1.jsonl.gz"));
  EXPECT_EQ(files, pack(Store(run), shown));
  EXPECT_EQ(files, pack(Store(travels), shown));
}

TEST_F(Packed, FilesThatThePageShowsAreFoundByTheirContentWhateverTheirNamesSlow) {
  const auto cell = make({.method = "cnn", .seed = 2}).cell;
  EXPECT_THAT(Store(run).files(cell), ElementsAre("best.png", "weights.safetensors"));
  EXPECT_THAT(Store(travels).files(cell), ElementsAre("best.png"));
  EXPECT_EQ(Store(run).file(cell, "best.png"), Store(run).folder(cell) / "best.png");
  EXPECT_EQ(Store(travels).file(cell, "best.png"), travels / "pictures/gallery-1.png");
  EXPECT_EQ(Store(travels).file(cell, "weights.safetensors"), std::nullopt);
  fs::rename(travels / "pictures/gallery-1.png", travels / "pictures/gallery-4.png");
  EXPECT_EQ(Store(travels).file(cell, "best.png"), travels / "pictures/gallery-4.png");
  write_file(travels / "pictures/gallery-4.png", "another picture");
  EXPECT_THAT([&] { Store(travels).file(cell, "best.png"); },
              ThrowsError(HasSubstr("table1.jsonl.gz, line 2"), HasSubstr("best.png")));
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(store.file(cell, "best.png"), std::nullopt);
  EXPECT_THAT(problems(store),
              ElementsAre(HasSubstr(
                  "records/table1.jsonl.gz, line 2: no file in pictures is the best.png")));
}

// A run that goes on with packed records writes some of their cells again.
TEST_F(Packed, CellsAreTakenOutAndTheOthersStayAsTheyAreSlow) {
  const Store packed(travels);
  const auto before = packed.all();
  const auto cell = make({.method = "cnn", .seed = 2}).cell;
  const auto kept = packed.curves(make({.method = "cnn", .seed = 10}).cell);
  EXPECT_TRUE(packed.is_packed(cell));
  EXPECT_FALSE(packed.is_packed(make({.method = "none"}).cell));
  packed.unpack({cell.id()});
  EXPECT_FALSE(packed.is_packed(cell));
  EXPECT_EQ(packed.find(cell), std::nullopt);
  EXPECT_THAT(packed.curves(cell), IsEmpty());
  EXPECT_EQ(packed.all().size(), before.size() - 1);
  EXPECT_EQ(Store(travels).all().size(), before.size() - 1) << "on disk, too";
  EXPECT_EQ(nlohmann::json(packed.curves(make({.method = "cnn", .seed = 10}).cell)).dump(),
            nlohmann::json(kept).dump());

  packed.write(*Store(run).find(cell));
  EXPECT_EQ(ids(packed.all()), ids(before)) << "the two forms side by side";
  std::set<std::string> all;
  for (const auto& record : before) all.insert(record.cell.id());
  packed.unpack(all);
  EXPECT_FALSE(fs::exists(table1)) << "a file without lines would be a broken one";
  EXPECT_FALSE(fs::exists(curves1));
  EXPECT_THAT(ids(packed.all()), ElementsAre(cell.id()));
}

// Curves without a record would collide with those that the cell's next run writes.
TEST_F(Packed, ACellWhoseCurvesCannotBeTakenOutKeepsItsRecordSlow) {
  const auto cell = make({.method = "cnn", .seed = 2}).cell;
  const auto bytes = read_file(curves1);
  write_file(curves1, bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT([&] { Store(travels).unpack({cell.id()}); },
              ThrowsUsageError(HasSubstr(curves1.string())));
  EXPECT_TRUE(Store(travels).find(cell));
}

TEST_F(Packed, FilesWithoutTheCellsAreNeitherReadNorWrittenSlow) {
  const auto failed = make({.method = "sih"}).cell;
  const auto other_table = travels / "records/figure2.jsonl.gz";
  write_file(other_table, "damaged");
  // Would be compressed where it is written; has no curves of the cell.
  const auto plain = text_of(curves1);
  write_file(curves1, plain);
  Store(travels).unpack({failed.id()});
  EXPECT_EQ(read_file(other_table), "damaged");
  EXPECT_EQ(read_file(curves1), plain);
  EXPECT_EQ(lines().size(), 3U);
}

TEST_F(Packed, ABrokenLineIsNamedAndCostsThatRecordAloneSlow) {
  const auto whole = lines();
  const auto all = ids(Store(travels).all());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto schema = nlohmann::json::parse(whole[i]), field = schema, name = schema;
    schema["schema"] = 99;
    field.erase("metrics");
    name["dataset"] = "../..";
    const std::pair<std::string, std::string> damages[] = {
        {whole[i].substr(0, whole[i].size() / 2), "not complete JSON: character"},
        {"no JSON", "not complete JSON: character 2"},
        {"", "the line is empty"},
        {"[]", "an object was expected"},
        {schema.dump(), "schema version 99"},
        {field.dump(), "the field \"metrics\" is missing"},
        {name.dump(), "'../..' cannot be the name of a dataset"}};
    for (const auto& [line, problem] : damages) {
      auto broken = whole;
      broken[i] = line;
      put(broken);
      auto rest = all;
      rest.erase(rest.begin() + 3 + static_cast<long>(i));  // figure2 has three
      const Store store(travels, Damage::Skip);
      EXPECT_EQ(ids(store.all()), rest);
      EXPECT_THAT(problems(store),
                  ElementsAre(AllOf(testing::StartsWith("records/table1.jsonl.gz, line " +
                                                        std::to_string(i + 1) + ": "),
                                    HasSubstr(problem))));
      EXPECT_THAT([&] { Store(travels).all(); },
                  ThrowsError(HasSubstr(table1.string() + ", line " + std::to_string(i + 1))));
      const auto lost = make({.method = i == 3 ? "sih" : "cnn",
                              .seed = i == 1   ? 2
                                      : i == 2 ? 10
                                               : 0})
                            .cell;
      EXPECT_EQ(store.find(lost), std::nullopt);
      EXPECT_TRUE(store.find(make({.method = "cnn", .table = "figure2"}).cell));
    }
  }
}

TEST_F(Packed, WhatWasCutShortLosesItsLastLineAloneSlow) {
  const auto bytes = text_of(table1);
  write_file(table1, bytes.substr(0, bytes.size() - 20));
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(store.all().size(), 6U);
  EXPECT_THAT(problems(store), ElementsAre(AllOf(HasSubstr("table1.jsonl.gz, line 4"),
                                                 HasSubstr("not complete JSON"))));
  // The line end alone is no loss.
  write_file(table1, bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(Store(travels).all().size(), 7U);
}

TEST_F(Packed, AnEmptyFileAndALineTooManyAreNamedSlow) {
  write_file(table1, "");
  const Store empty(travels, Damage::Skip);
  EXPECT_EQ(empty.all().size(), 3U);
  EXPECT_THAT(problems(empty),
              ElementsAre(HasSubstr("records/table1.jsonl.gz: the file is empty")));
  write(pack(Store(run), {}));
  write_file(table1, text_of(table1) + "\n");
  const Store longer(travels, Damage::Skip);
  EXPECT_EQ(longer.all().size(), 7U);
  EXPECT_THAT(problems(longer),
              ElementsAre(HasSubstr("records/table1.jsonl.gz, line 5: the line is empty")));
}

TEST_F(Packed, OfTwoLinesOfACellNeitherIsReadSlow) {
  auto twice = lines();
  twice.insert(twice.begin() + 2, twice[0]);
  put(twice);
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(store.all().size(), 6U);
  EXPECT_EQ(store.find(make({.method = "cnn"}).cell), std::nullopt);
  EXPECT_THAT(problems(store), ElementsAre(AllOf(HasSubstr("line 3: cell table1/faces/cnn/seed0"),
                                                 HasSubstr("line 1"))));
}

TEST_F(Packed, ARecordInAnotherTablesFileIsNamedSlow) {
  fs::rename(table1, travels / "records" / "table2.jsonl.gz");
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(store.all().size(), 3U);
  EXPECT_THAT(problems(store),
              testing::Contains(HasSubstr(
                  "table2.jsonl.gz, line 4: the record is of cell table1/faces/sih/seed0")));
}

TEST_F(Packed, ACellInBothFormsIsReadFromNeitherSlow) {
  const auto record = make({.method = "cnn", .value = 0.9});
  Store(travels).write(record);
  Store(travels).write_curves(record.cell, {{"loss", {1}}});
  const auto names = AllOf(HasSubstr("cells/table1/faces/cnn/seed0/record.json"),
                           HasSubstr("records/table1.jsonl.gz, line 1"));
  EXPECT_THAT([&] { Store(travels).all(); }, ThrowsError(names));
  EXPECT_THAT([&] { Store(travels).find(record.cell); }, ThrowsError(names));
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(store.all().size(), 6U);
  EXPECT_THAT(store.curves(record.cell), IsEmpty());
  EXPECT_THAT(
      problems(store),
      ElementsAre(HasSubstr("curves.json and records/table1.curves.jsonl.gz, line 1"), names));
}

TEST_F(Packed, DamageInACellsFolderCostsThatRecordAloneTooSlow) {
  const Store store(run, Damage::Skip);
  const auto cell = make({.method = "cnn", .seed = 2}).cell;
  write_file(store.folder(cell) / "record.json", "{\"schema\": ");
  EXPECT_EQ(store.all().size(), 6U);
  EXPECT_EQ(store.find(cell), std::nullopt);
  EXPECT_THAT(
      problems(store),
      ElementsAre(HasSubstr("cells/table1/faces/cnn/seed2/record.json: not complete JSON")));
  EXPECT_THAT(problems(store), ElementsAre(Not(HasSubstr(run.string()))));
}

TEST_F(Packed, CurvesThatAreBrokenCostTheirCellsCurvesAloneSlow) {
  auto bytes = text_of(curves1);
  bytes.replace(bytes.find("0.3333333"), 9, "\"a third\"");
  write_file(curves1, bytes);
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(store.all().size(), 7U);
  EXPECT_THAT(store.curves(make({.method = "cnn"}).cell), IsEmpty());
  EXPECT_EQ(store.curves(make({.method = "cnn", .seed = 2}).cell).size(), 2U);
  EXPECT_THAT(problems(store),
              ElementsAre(AllOf(HasSubstr("records/table1.curves.jsonl.gz, line 1"),
                                HasSubstr("\"loss\""))));
  EXPECT_THAT([&] { Store(travels).curves(make({.method = "cnn"}).cell); },
              ThrowsError(HasSubstr(curves1.string() + ", line 1")));
}

TEST_F(Packed, AClaimAboutCurvesThatCannotBeReadIsNotRunSlow) {
  write_file(curves1, "");
  const auto claim = R"([[claim]]
id = "1"
statement = "cnn is there sooner"
source = "document"
[[claim.row]]
id = "loss"
kind = "sooner"
methods = "cnn"
than = "sih"
metric = "loss"
table = "table1"
)";
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(judge(claim, "claims.toml", store).at(0).verdict, Verdict::NotRun);
  EXPECT_THAT(problems(store),
              ElementsAre(HasSubstr("records/table1.curves.jsonl.gz: the file is empty")));
}

TEST_F(Packed, AClaimWhoseFileOfCurvesIsGoneIsNotTestableAndTheOthersAreJudgedSlow) {
  const Store cells(run);
  for (const int seed : {0, 2, 10}) {
    auto other = make({.method = "sih", .seed = seed, .value = 0.2 * seed});
    cells.write(other);
    cells.write_curves(other.cell, {{"loss", {3, 1}}});
  }
  write(pack(cells, {sha256(picture)}));
  const auto claims = [](const std::string& id, const std::string& kind) {
    return "[[claim]]\nid = \"" + id +
           "\"\nstatement = \"cnn is there\"\nsource = \"document\"\n[[claim.row]]\nid = \"faces\"\n"
           "methods = \"cnn\"\nthan = \"sih\"\ntable = \"table1\"\n" +
           kind;
  };
  const auto text = claims("1", "kind = \"sooner\"\nmetric = \"loss\"\n") +
                    claims("2", "kind = \"better\"\nmetric = \"auc\"\n");
  const auto before = judge(text, "claims.toml", Store(travels, Damage::Skip));
  fs::remove(curves1);
  const Store store(travels, Damage::Skip);
  const auto after = judge(text, "claims.toml", store);
  EXPECT_EQ(after.at(0).verdict, Verdict::NotTestable);
  EXPECT_THAT(after.at(0).reason, HasSubstr("records/table1.curves.jsonl.gz is missing"));
  EXPECT_EQ(after.at(1).verdict, before.at(1).verdict);
  EXPECT_EQ(after.at(1).reason, before.at(1).reason);
  EXPECT_THAT(problems(store),
              ElementsAre(HasSubstr("records/table1.curves.jsonl.gz is missing")));
}

// Hundreds of settings in each of ten thousand records are the same: they are held once.
TEST_F(Packed, WhatRecordsShareIsHeldOnceSlow) {
  const Store packed(travels), cells(run);
  for (const auto* store : {&packed, &cells}) {
    const auto records = store->all();
    const Record* first = nullptr;  // of its table
    for (const auto& record : records) {
      if (first == nullptr || first->cell.table != record.cell.table) first = &record;
      EXPECT_EQ(&*record.options, &*first->options) << record.cell.id();
      EXPECT_EQ(&*record.environment, &*first->environment) << record.cell.id();
    }
  }
  const auto once = packed.shared_all(), twice = packed.shared_all();
  for (std::size_t i = 0; i < once.size(); ++i)
    EXPECT_EQ(once[i], twice[i]) << "a packed record is the store's own";
  auto changed = packed.all();
  changed.front().options.edit()["rate"] = 7;
  EXPECT_EQ(changed.back().options->at("rate"), 1e-3) << "a copy that is changed is its own";
}

TEST_F(Packed, LinksBelowTheFolderAreRefusedByNameSlow) {
  const auto cell = make({.method = "cnn"}).cell;
  const auto refuses = [&](const std::string& link, const auto& read) {
    const TemporaryFolder other;
    const auto results = other.path() / "results";
    fs::copy(link == "cells" ? run : travels, results, fs::copy_options::recursive);
    fs::rename(results / link, other.path() / "victim");
    fs::create_directory_symlink("../victim", results / link);
    EXPECT_THAT(
        [&] { read(Store(results)); },
        ThrowsUsageError(HasSubstr(link + " is a symbolic link"), HasSubstr("remove the link")));
  };
  refuses("cells", [&](const Store& store) { store.all(); });
  refuses("cells", [&](const Store& store) { store.find(cell); });
  refuses("cells", [&](const Store& store) { store.write(make({.method = "cnn"})); });
  refuses("cells", [&](const Store& store) { store.write_curves(cell, {}); });
  refuses("records", [&](const Store& store) { store.all(); });
  refuses("records", [&](const Store& store) { store.find(cell); });
  refuses("records", [&](const Store& store) { store.curves(cell); });
  refuses("pictures", [&](const Store& store) {
    store.file(make({.method = "cnn", .seed = 2}).cell, "best.png");
  });
  const auto linked = folder.path() / "linked";
  fs::create_directory_symlink(travels, linked);
  EXPECT_EQ(Store(linked).all().size(), 7U) << "the folder itself may be a link";
  fs::create_symlink(folder.path() / "victim.json", run / "cells" / cell.id() / "curves.json.new");
  fs::rename(run / "cells" / cell.id() / "curves.json.new",
             run / "cells" / cell.id() / "curves.json");
  EXPECT_THAT([&] { Store(run).write_curves(cell, {}); },
              ThrowsUsageError(HasSubstr("curves.json is a symbolic link")));
}

TEST_F(Packed, WhereNothingIsLeftToReadItIsAnErrorSlow) {
  fs::remove_all(travels / "records");
  write_file(table1, "{}\n");
  EXPECT_THAT([&] { Store(travels, Damage::Skip).all(); },
              ThrowsError(HasSubstr("table1.jsonl.gz, line 1")));
}

TEST_F(Packed, ATableNamedLikeCurvesIsRefusedSlow) {
  EXPECT_THAT([&] { Store(run).write(make({.method = "cnn", .table = "table1.curves"})); },
              ThrowsUsageError(HasSubstr("table1.curves")));
}

TEST_F(Packed, ACompressedFileThatIsNotWholeCostsItsTableAloneSlow) {
  const auto whole = read_file(table1);
  write_file(table1, whole.substr(0, whole.size() - 20));
  const Store store(travels, Damage::Skip);
  EXPECT_EQ(store.all().size(), 3U) << "figure2 stays";
  EXPECT_THAT(problems(store),
              ElementsAre(AllOf(HasSubstr("records/table1.jsonl.gz"), HasSubstr("cut short"))));
  EXPECT_THAT([&] { Store(travels).all(); }, ThrowsError(HasSubstr(table1.string())));
}

TEST_F(Packed, DamagedCopiesOfRecordsGiveTheOthersOrOurErrorSlow) {
  const auto all = ids(Store(travels).all());
  int lost = 0;
  const int refused = read_damaged_copies(table1, text_of(table1), [&](const auto&) {
    const Store store(travels, Damage::Skip);
    const auto found = ids(store.all());
    EXPECT_TRUE(std::includes(all.begin(), all.end(), found.begin(), found.end()) ||
                !problems(store).empty() || found.size() == all.size());
    EXPECT_GE(found.size(), 3U);
    for (const auto& problem : problems(store))
      EXPECT_THAT(problem, testing::StartsWith("records/table1.jsonl.gz"));
    lost += !problems(store).empty();
    Store(travels).all();
  });
  EXPECT_GE(refused, 75);
  EXPECT_GE(lost, refused);
}

TEST_F(Packed, DamagedCopiesOfCurvesGiveSeriesOrOurErrorSlow) {
  const auto cell = make({.method = "cnn", .seed = 2}).cell;
  const int refused = read_damaged_copies(curves1, text_of(curves1),
                                          [&](const auto&) { Store(travels).curves(cell); });
  EXPECT_GE(refused, 75);
}

}  // namespace
}  // namespace reprise::records
