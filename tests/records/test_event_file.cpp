#include <limits>

#include "records/event_file.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

// RFC 3720, B.4.
TEST(Crc32c, AgreesWithItsStandard) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
}

// As every event file of TensorFlow begins, with a wall time of 0.
TEST(EventFile, BeginsWithItsVersion) {
  const auto file = event_file({}, {});
  ASSERT_EQ(file.size(), 8U + 4 + 24 + 4);
  EXPECT_EQ(file.substr(0, 13), std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09", 13));
  EXPECT_EQ(file.substr(21, 15), "\x1a\rbrain.Event:2");
}

TEST(EventFile, HasAScalarForEachValueThatIsANumber) {
  const auto size = event_file({}, {}).size();
  const auto one = event_file({{.name = "auc", .value = 0.5}}, {});
  EXPECT_GT(one.size(), size);
  EXPECT_NE(one.find("metrics/auc"), std::string::npos);
  EXPECT_EQ(
      event_file({{.name = "auc", .value = std::numeric_limits<double>::infinity()}}, {}).size(),
      size);
  const auto curve = event_file({}, {{"loss", {1, 0.5, std::numeric_limits<double>::quiet_NaN()}}});
  EXPECT_NE(curve.find("curves/loss"), curve.rfind("curves/loss"));
}

}  // namespace
}  // namespace reprise::records
