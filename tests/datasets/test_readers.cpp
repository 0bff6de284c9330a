#include "datasets/readers.h"
#include "tests/datasets/faces.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

TEST(Readers, EverySetIsFoundByItsNameAndVerifiesAnEmptyFolderWithoutThrowing) {
  const TemporaryFolder folder;
  for (const auto& one : readers()) {
    EXPECT_EQ(&reader(one.name), &one);
    EXPECT_FALSE(one.present(folder.path() / one.name)) << one.name;
    EXPECT_EQ(one.verify(folder.path() / one.name).size(), 1U) << one.name;
  }
  EXPECT_THAT([] { reader("faces_300"); }, ThrowsUsageError(HasSubstr("ytf_keypoints"), HasSubstr("did you mean faces_300w")));
}

TEST(Readers, FramesAreThoseOfTheReader) {
  const TemporaryFolder folder;
  testing_faces::write_face(folder.path(), "1_1", testing_faces::ramp(40, 40), testing_faces::points_at(20, 20));
  EXPECT_TRUE(reader("faces_300w").present(folder.path()));
  EXPECT_EQ(reader("faces_300w").frames(folder.path()).item, std::vector<std::string>{"1_1"});
}

}  // namespace
}  // namespace reprise::datasets
