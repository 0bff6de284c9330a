// Folders of photographs of any size; the pieces of a set of webcams are split by camera.
#include <ATen/ATen.h>

#include <map>
#include <set>

#include "core/files.h"
#include "datasets/formats/images.h"
#include "datasets/readers/day_night.h"
#include "datasets/readers/photos.h"
#include "datasets/splits.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Photos, AreFoundInAnyDepthAndKeepTheirShape) {
  const TemporaryFolder folder;
  write_png(folder.path() / "z.png", at::full({30, 20, 3}, 10, at::kByte));
  write_png(folder.path() / "a/b/c.png", at::full({8, 16, 3}, 20, at::kByte));
  write_file(folder.path() / "a/notes.txt", "no photograph");
  const auto photos = read_photos(folder.path(), 10);
  EXPECT_THAT(photos.item, ElementsAre("a/b/c", "z"));
  EXPECT_THAT(photos.taken_at, ElementsAre("16x8", "20x30"));
  EXPECT_EQ(photos.images[0].sizes(), at::IntArrayRef({10, 20, 3}));
  EXPECT_EQ(photos.images[1].sizes(), at::IntArrayRef({15, 10, 3}));
  EXPECT_THAT([&] { read_photos(folder.path() / "none", 10); }, ThrowsUsageError(HasSubstr("none"), HasSubstr("cannot be read")));
  std::filesystem::create_directories(folder.path() / "empty");
  EXPECT_THAT([&] { read_photos(folder.path() / "empty", 10); }, ThrowsUsageError(HasSubstr("no photograph")));
}

// No camera is on both sides of a split, however often and whenever it took a photograph, by day or by night.
TEST(Photos, ACameraIsInOnePartOfASplit) {
  const TemporaryFolder folder;
  for (int camera = 0; camera < 6; ++camera)
    for (int time = 0; time < 3; ++time)
      for (const std::string part : {"day", "night"})
        write_png(folder.path() / part / (std::to_string(time) + std::to_string(camera) + ".png"),
                  at::zeros({8, 9 + camera, 3}, at::kByte));
  const auto photos = read_day_night(folder.path(), 8);
  const auto split = split_by(photos.taken_at, {.train = 0.6, .validation = 0.2, .test = 0.2}, 3);
  std::map<std::string, std::set<int>> parts;
  int part = 0;
  for (const auto* indices : {&split.train, &split.validation, &split.test}) {
    for (const auto i : *indices) parts[photos.taken_at[static_cast<std::size_t>(i)]].insert(part);
    ++part;
  }
  EXPECT_EQ(parts.size(), 6U);
  for (const auto& [camera, of] : parts) EXPECT_EQ(of.size(), 1U) << camera;
}

}  // namespace
}  // namespace reprise::datasets
