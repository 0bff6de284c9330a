// Captions are texts of STUDY/captions.toml: what a text names comes from the study, from the file
// or from the run's settings.
#include "experiments/captions.h"
#include "experiments/settings.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

Settings run_settings() {
  return {"[clips]\nsize = 16\nframes = 8\n[lengths]\nshortest = 8\nlongest = 32\n", "own.toml"};
}

TEST(Captions, FillTextsOfTheFileSettingsAndValues) {
  const auto settings = run_settings();
  const Captions captions("mocogan", settings, {{"id_suffix", ""}, {"title_suffix", ""}});
  EXPECT_EQ(captions.text("size"), "8 frames of 16 x 16 pixels");
  EXPECT_EQ(captions.text("same_motion", {{"method", "VGAN"}}),
            "VGAN, one motion with different contents");
  EXPECT_THAT(captions.gallery("compared_clips").caption,
              HasSubstr("Size: 8 frames of 16 x 16 pixels."));
  EXPECT_THAT(captions.table("lengths", {{"middle", "20"}}).table.caption,
              HasSubstr("Short clips have 8 frames, middle ones 20. Long ones have 32."));
}

TEST(Captions, NameWhatIsMissingOrSuperfluous) {
  EXPECT_THAT([] { caption("mocogan", "no_such", run_settings()); },
              ThrowsUsageError(HasSubstr("mocogan/captions.toml"), HasSubstr("no_such")));
  EXPECT_THAT([] { caption("mocogan", "with_encoder", run_settings()); },
              ThrowsUsageError(HasSubstr("{method} is neither")));
  EXPECT_THAT(
      [] {
        caption("mocogan", "size", run_settings(), {{"middle", "20"}});
      },
      ThrowsUsageError(HasSubstr("does not name {middle}")));
}

TEST(Captions, ASectionDescribesATableAFigureOrAGallery) {
  const Settings settings("[image]\nsize = 48\n[test]\nsequences = 3\nframes = 20\n", "own.toml");
  const Captions captions("dynamic_face", settings, {{"ced_limit", "0.08"}});
  const auto [table, columns] =
      captions.table("tracking", {{"kind", "gaps"}, {"kind_title", "damaged"}});
  EXPECT_EQ(table.id, "tracking_gaps");
  EXPECT_EQ(table.title, "Error of each angle, jitter and lag, damaged");
  EXPECT_THAT(table.caption, HasSubstr("3 test sequences of 20 frames, 48 x 48 pixels"));
  EXPECT_EQ(table.digits, 2);
  EXPECT_EQ(columns.front().title, "pitch");
  EXPECT_EQ(columns.front().metric, "error_pitch_gaps");
  EXPECT_THAT(captions.table("joint", {{"kind", "mix"}, {"kind_title", "mix"}}).table.caption,
              HasSubstr("have the limit 0.08."));
  EXPECT_EQ(
      captions.table("ablations", {{"kind", "mix"}, {"kind_title", "mix"}}).columns.at(4).digits,
      4);
  const auto figure =
      captions.figure("convergence", {{"figure", "convergence_others"}, {"networks", "all"}});
  EXPECT_EQ(figure.id, "convergence_others");
  EXPECT_EQ(figure.y_max, 10);
  EXPECT_EQ(figure.x_first, 0);
  EXPECT_EQ(captions.figure("tracks", {{"kind", "mix"}, {"kind_title", "mix"}}).seeds,
            reports::SeedMerge::First);
  EXPECT_THAT(captions.gallery("gallery").caption, HasSubstr("48 x 48 pixels"));
}

TEST(Captions, ASectionThatIsMissingOrOfAnotherKindIsRefused) {
  const Settings settings("[image]\nsize = 48\n", "own.toml");
  const Captions captions("dynamic_face", settings);
  EXPECT_THAT([&] { captions.table("no_such"); },
              ThrowsUsageError(HasSubstr("dynamic_face/captions.toml"), HasSubstr("[no_such]")));
  EXPECT_THAT([&] { captions.figure("ablations"); }, ThrowsUsageError(HasSubstr("columns")));
  EXPECT_THAT(
      [&] {
        captions.table("tracking", {{"kind_title", "mix"}});
      },
      ThrowsUsageError(HasSubstr("{kind} is neither")));
}

}  // namespace
}  // namespace reprise::reproduce
