#include <opencv2/imgcodecs.hpp>

#include "core/memory.h"
#include "datasets/formats/image_header.h"
#include "datasets/formats/images.h"
#include "tests/datasets/faces.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing_faces::ramp;

std::string little(std::int64_t value, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

// Each kind as OpenCV itself writes it: the head says what the decoder then finds.
TEST(ImageHeader, SaysTheSizeOfEveryKindThatIsRead) {
  const TemporaryFolder folder;
  const auto pixels = ramp(31, 17);
  const cv::Mat image(17, 31, CV_8UC3, pixels.data_ptr());
  for (const std::string ending : {"jpg", "png", "bmp", "webp", "ppm", "pgm", "pbm"}) {
    std::vector<unsigned char> encoded;
    cv::Mat stored = image;
    if (ending == "pgm" || ending == "pbm") cv::extractChannel(image, stored = cv::Mat(), 0);
    ASSERT_TRUE(cv::imencode("." + ending, stored, encoded)) << ending;
    const std::string bytes(encoded.begin(), encoded.end());
    const auto size = picture_size(bytes, "a");
    EXPECT_EQ(size.width, 31) << ending;
    EXPECT_EQ(size.height, 17) << ending;
    write_file(folder.path() / "a", bytes);
    EXPECT_EQ(read_image(folder.path() / "a").sizes(), at::IntArrayRef({17, 31, 3})) << ending;
  }
  EXPECT_EQ(picture_size("P5 # width\n # height\n 12\t7 255\n", "a").height, 7);
}

// A few bytes that ask a decoder for gigabytes.
TEST(ImageHeader, HugeClaimsAndOtherKindsAreRefusedBeforeADecoderSeesThem) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.png";
  const auto bmp = "BM" + little(54, 4) + little(0, 4) + little(54, 4) + little(40, 4) +
                   little(30000, 4) + little(-30000, 4) + little(1, 2) + little(24, 2) +
                   std::string(24, '\0');
  const auto webp = "RIFF" + little(100, 4) + "WEBPVP8X" + little(10, 4) + little(0, 4) +
                    little(16000, 3) + little(16000, 3);
  const PeakMemory peak;
  for (const auto& [bytes, says] : std::vector<std::pair<std::string, std::string>>{
           {bmp, "30000 x 30000"},
           {webp, "16001 x 16001"},
           {"RIFF" + little(100, 4) + "WEBPVP8X" + little(10, 4) + little(2, 4) + little(15, 3) +
                little(15, 3),
            "animated WebP"},
           {"P5\n40000 40000\n255\n", "40000 x 40000"},
           {"P6 99999999999999999999 2 255\n", "beyond what is read"},
           {"PF\n40000 40000\n-1.0\n", "another format"},
           {"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 40000 +X 40000\n", "another format"},
           {"P7\nWIDTH 40000\nHEIGHT 40000\nDEPTH 3\nMAXVAL 255\nTUPLTYPE RGB\nENDHDR\n",
            "another format"},
           {"II*" + little(0, 60), "another format"},
           {"\x59\xa6\x6a\x95" + std::string(60, '\x7f'), "another format"}}) {
    write_file(path, bytes);
    EXPECT_THAT([&] { read_image(path); },
                ThrowsUsageError(HasSubstr(path.string()), HasSubstr(says)));
  }
  EXPECT_LT(peak.bytes(), 16 << 20);
}

}  // namespace
}  // namespace reprise::datasets
