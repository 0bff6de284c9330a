// Records and curves on a disk without room: those that are there stay readable, the next run finds
// nothing half-written.
#include "records/regression/reference.h"
#include "records/store.h"
#include "tests/full_disk.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);

TEST_P(FullDisk, ARecordKeepsItsFormerState) {
  on_disk([](Disk& disk) {
    const Store store(disk.folder());
    auto record = make({.method = "cnn", .value = 0.5});
    record.status = Status::Running;
    store.write(record);
    record.status = Status::Done;
    expect_refused_without_a_trace(disk, [&] { store.write(record); });
    expect_refused_without_a_trace(disk, [&] { store.write(make({.method = "sih"})); });
    EXPECT_EQ(store.find(record.cell)->status, Status::Running);
    EXPECT_EQ(store.all().size(), 1U);
    store.write(record);
    EXPECT_EQ(store.find(record.cell)->status, Status::Done);
  });
}

TEST_P(FullDisk, CurvesAndReferencesKeepTheirFormerValues) {
  on_disk([](Disk& disk) {
    const Store store(disk.folder() / "results");
    const auto cell = make({.method = "cnn"}).cell;
    const Curves old{{"loss", {3, 2}}}, now{{"loss", std::vector<double>(2000, 0.1)}};
    store.write_curves(cell, old);
    expect_refused_without_a_trace(disk, [&] { store.write_curves(cell, now); });
    EXPECT_EQ(store.curves(cell), old);
    const auto reference = make_reference(make_seeds({.method = "cnn"}, {0.5, 0.6}), "the first");
    expect_refused_without_a_trace(
        disk, [&] { write_reference(disk.folder() / "reference.json", reference); });
    store.write_curves(cell, now);
    EXPECT_EQ(store.curves(cell), now);
  });
}

}  // namespace
}  // namespace reprise::records
