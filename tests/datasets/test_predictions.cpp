#include <fmt/format.h>

#include <limits>

#include "core/files.h"
#include "datasets/formats/npy.h"
#include "datasets/predictions.h"
#include "metrics/landmarks.h"
#include "tests/datasets/faces.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_faces::points_at;

Predictions faces(const std::vector<std::string>& items) {
  std::vector<at::Tensor> points;
  for (std::size_t i = 0; i < items.size(); ++i)
    points.push_back(points_at(30 + static_cast<double>(i) / 3, 40).to(at::kDouble));
  return {.item = items, .values = at::stack(points)};
}

Predictions read_text(const std::string& text, PredictionKind kind,
                      const std::string& name = "p.csv") {
  const TemporaryFolder folder;
  write_file(folder.path() / name, text);
  return read_predictions(folder.path() / name, kind);
}

TEST(Predictions, LandmarksReadBackToTheLastBit) {
  auto written = faces({"b/2", "a, or \"b\"", "c"});
  written.values[0][0][0] = 0.1 + 0.2;
  const auto read =
      read_text(format_predictions(written, PredictionKind::Landmarks), PredictionKind::Landmarks);
  EXPECT_EQ(read.item, written.item);
  EXPECT_TRUE(at::equal(read.values, written.values));
  ASSERT_THAT(read.values.sizes(), ElementsAre(3, 68, 2));
}

TEST(Predictions, LabelsAndPosesHaveTheirOwnColumnsInAnyOrder) {
  const auto labels = read_text("label,item,comment\n3,a,x\n-1,b,y\n", PredictionKind::Labels);
  EXPECT_THAT(labels.item, ElementsAre("a", "b"));
  EXPECT_TRUE(at::equal(labels.values, at::tensor({3, -1}, at::kLong)));
  const auto pose =
      read_text("sequence,frame,pitch,yaw,roll,box\n01,00003,1.5,-2,0,7\n", PredictionKind::Pose);
  EXPECT_THAT(pose.item, ElementsAre("01/00003"));
  EXPECT_TRUE(at::equal(pose.values, at::tensor({1.5, -2.0, 0.0}, at::kDouble).unsqueeze(0)));
  EXPECT_EQ(format_predictions(pose, PredictionKind::Pose),
            "sequence,frame,pitch,yaw,roll\n01,00003,1.5,-2,0\n");
  EXPECT_EQ(format_predictions(labels, PredictionKind::Labels), "item,label\na,3\nb,-1\n");
}

TEST(Predictions, PairingFollowsTheTruthWhateverTheOrder) {
  const auto truth = faces({"a", "b", "c"});
  Predictions mixed{.item = {"c", "a", "b"},
                    .values = truth.values.index_select(0, at::tensor({2, 0, 1}, at::kLong))};
  EXPECT_TRUE(at::equal(align_predictions(mixed, truth), truth.values));
  EXPECT_DOUBLE_EQ(
      metrics::auc(metrics::landmark_error(align_predictions(mixed, truth), truth.values)), 1.0);
}

TEST(Predictions, MissingAndExtraItemsAreCountedAndTheFirstFiveNamed) {
  const auto few = faces({"a"}), many = faces({"a", "b", "c", "d", "e", "f", "g", "h"});
  EXPECT_THAT([&] { align_predictions(few, many); },
              ThrowsUsageError(
                  HasSubstr("7 items of the truth have no prediction: b, c, d, e, f and 2 more")));
  EXPECT_THAT(
      [&] { align_predictions(many, few); },
      ThrowsUsageError(HasSubstr("7 items are not in the truth: b, c, d, e, f and 2 more")));
}

TEST(Predictions, RepeatedItemsMissingColumnsAndEmptyFilesAreRefused) {
  EXPECT_THAT([] { read_text("item,label\na,1\nb,1\na,2\n", PredictionKind::Labels); },
              ThrowsUsageError(HasSubstr("p.csv"), HasSubstr("more than one row: a")));
  EXPECT_THAT([] { read_text("item,label\n,1\n", PredictionKind::Labels); },
              ThrowsUsageError(HasSubstr("line 2")));
  EXPECT_THAT(
      [] { read_text("item,x0,y0\na,1,2\n", PredictionKind::Landmarks); },
      ThrowsUsageError(HasSubstr("134 of 136"), HasSubstr("x1, y1, x2"), HasSubstr("x67,y67")));
  EXPECT_THAT([] { read_text("name,label\na,1\n", PredictionKind::Labels); },
              ThrowsUsageError(HasSubstr("missing: item")));
  EXPECT_THAT([] { read_text("item,label\n", PredictionKind::Labels); },
              ThrowsUsageError(HasSubstr("no row")));
}

TEST(Predictions, ValuesThatAreNoFiniteNumbersAreNamedWithLineAndColumn) {
  std::string text = "sequence,frame,pitch,yaw,roll\n";
  for (const char* bad : {"nan", "inf", "", "1,5", "x", "-nan", "1e999"})
    text +=
        fmt::format("s,{},\"{}\",0,0\n", bad[0] == '\0' ? "e" : std::to_string(text.size()), bad);
  EXPECT_THAT([&] { read_text(text, PredictionKind::Pose); },
              ThrowsUsageError(HasSubstr("7 values"), HasSubstr("line 2, column pitch: 'nan'"),
                               HasSubstr("line 6"), HasSubstr("and 2 more")));
  EXPECT_THAT([] { read_text("item,label\na,1.5\n", PredictionKind::Labels); },
              ThrowsUsageError(HasSubstr("not integers"), HasSubstr("'1.5'")));
}

TEST(Predictions, NpyRowsPairByNumberAndNotWithNamedItems) {
  const auto truth = faces({"a", "b"});
  for (const auto& values :
       {truth.values, truth.values.reshape({2, 136}), truth.values.to(at::kFloat)}) {
    const auto read = read_text(encode_npy(values), PredictionKind::Landmarks, "p.npy");
    EXPECT_TRUE(at::allclose(read.values, truth.values, 0, 1e-5));
    EXPECT_TRUE(at::equal(align_predictions(read, read), read.values));
    EXPECT_THAT([&] { align_predictions(read, truth); },
                ThrowsUsageError(HasSubstr("both as CSV")));
  }
  const auto two = read_text(encode_npy(at::arange(2)), PredictionKind::Labels, "p.npy"),
             three = read_text(encode_npy(at::arange(3)), PredictionKind::Labels, "p.npy");
  EXPECT_THAT([&] { align_predictions(two, three); },
              ThrowsUsageError(HasSubstr("2 rows of predictions and 3")));
}

TEST(Predictions, NpyOfAnotherShapeTypeOrWithNanIsRefused) {
  const auto read = [](const at::Tensor& values, PredictionKind kind) {
    return [=] { read_text(encode_npy(values), kind, "p.npy"); };
  };
  EXPECT_THAT(read(at::zeros({2, 51, 2}), PredictionKind::Landmarks),
              ThrowsUsageError(HasSubstr("p.npy"), HasSubstr("[N, 68, 2]")));
  EXPECT_THAT(read(at::zeros({136}), PredictionKind::Landmarks),
              ThrowsUsageError(HasSubstr("[N, 136]")));
  EXPECT_THAT(read(at::full({2}, 0.5), PredictionKind::Labels),
              ThrowsUsageError(HasSubstr("not integers"), HasSubstr("row 0")));
  EXPECT_THAT(read(at::zeros({2, 2}), PredictionKind::Labels),
              ThrowsUsageError(HasSubstr("integers of shape [N] or [N, 1]")));
  EXPECT_THAT(read(at::zeros({2, 4}), PredictionKind::Pose), ThrowsUsageError(HasSubstr("[N, 3]")));
  auto pose = at::zeros({3, 3});
  pose[1][2] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(read(pose, PredictionKind::Pose), ThrowsUsageError(HasSubstr("row 1")));
}

TEST(Predictions, LabelsOfAnyTypeOrColumnAreTheSame) {
  const auto expected = at::tensor({3, 0, 1}, at::kLong);
  for (const auto& values : {expected, expected.to(at::kByte), expected.to(at::kFloat),
                             expected.unsqueeze(1), expected.to(at::kDouble)})
    EXPECT_TRUE(
        at::equal(read_text(encode_npy(values), PredictionKind::Labels, "p.npy").values, expected));
  for (const std::string text :
       {"item,label\na,3\nb,0\nc,1\n", "item,label\na,3.0\nb,0.0\nc,1.0\n",
        "item;label\na;+3\nb;0\nc;1e0\n", "sep=\t\nlabel\titem\n3\ta\n0\tb\n1\tc\n"})
    EXPECT_TRUE(at::equal(read_text(text, PredictionKind::Labels).values, expected)) << text;
}

TEST(Predictions, AnArrayIsKnownByItsFirstBytesAndNotByItsName) {
  const auto bytes = encode_npy(at::arange(3));
  for (const std::string name : {"p.NPY", "p.csv", "p"})
    EXPECT_TRUE(read_text(bytes, PredictionKind::Labels, name).by_row) << name;
  EXPECT_THAT([] { read_text("item,label\na,1\n", PredictionKind::Labels, "p.npy"); },
              ThrowsUsageError(HasSubstr("not a .npy file")));
}

TEST(Predictions, AnErrorAboutColumnsShowsWhatWasFoundSlow) {
  EXPECT_THAT([] { read_text("item, label\na,1\n", PredictionKind::Labels); },
              ThrowsUsageError(HasSubstr("'item', ' label'"), HasSubstr("separated by a comma"),
                               HasSubstr("UTF-8")));
  EXPECT_THAT([] { read_text("item,label\na,NA\n", PredictionKind::Labels); },
              ThrowsUsageError(HasSubstr("'NA'"), HasSubstr("leave its item out")));
  EXPECT_THAT(
      [] {
        read_text("item,label\na," + std::string(50'000'000, 'x') + "\n", PredictionKind::Labels);
      },
      testing::Throws<UsageError>(
          testing::Property(&UsageError::problem, testing::SizeIs(testing::Lt(1000u)))));
}

TEST(Predictions, WhatCannotBeReadBackIsNotWritten) {
  auto broken = faces({"a", "b"});
  broken.values[1][4][0] = std::nan("");
  EXPECT_THAT([&] { format_predictions(broken, PredictionKind::Landmarks); },
              ThrowsUsageError(HasSubstr("not finite")));
  EXPECT_THAT(
      [] {
        format_predictions(faces({"a", "a"}), PredictionKind::Landmarks);
      },
      ThrowsUsageError(HasSubstr("more than one row: a")));
  EXPECT_THAT([] { format_predictions(faces({"a"}), PredictionKind::Pose); },
              ThrowsUsageError(HasSubstr("1 items need 3 values")));
  EXPECT_THAT(
      [] {
        format_predictions({.item = {"a"}, .values = at::zeros({1, 3})}, PredictionKind::Pose);
      },
      ThrowsUsageError(HasSubstr("SEQUENCE/FRAME")));
}

}  // namespace
}  // namespace reprise::datasets
