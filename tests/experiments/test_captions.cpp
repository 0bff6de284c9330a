// Captions are texts of STUDY/captions.toml: what a text names comes from the study, from the file or from the run's settings.
#include "experiments/captions.h"
#include "experiments/settings.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

Settings run_settings() { return {"[clips]\nsize = 16\nframes = 8\n[lengths]\nshortest = 8\nlongest = 32\n", "own.toml"}; }

TEST(Captions, FillTextsOfTheFileSettingsAndValues) {
  EXPECT_EQ(caption("mocogan", "size", run_settings()), "16 x 16 pixels, 8 frames");
  EXPECT_THAT(caption("mocogan", "compared_clips", run_settings()), HasSubstr("not selected (16 x 16 pixels, 8 frames)."));
  EXPECT_THAT(caption("mocogan", "lengths", run_settings(), {{"middle", "20"}}),
              HasSubstr("short (8 frames), middle (20) and long clips (32)"));
}

TEST(Captions, NameWhatIsMissingOrSuperfluous) {
  EXPECT_THAT([] { caption("mocogan", "no_such", run_settings()); },
              ThrowsUsageError(HasSubstr("mocogan/captions.toml"), HasSubstr("no_such")));
  EXPECT_THAT([] { caption("mocogan", "lengths", run_settings()); }, ThrowsUsageError(HasSubstr("{middle} is neither")));
  EXPECT_THAT(
      [] {
        caption("mocogan", "size", run_settings(), {{"middle", "20"}});
      },
      ThrowsUsageError(HasSubstr("does not name {middle}")));
}

}  // namespace
}  // namespace reprise::reproduce
