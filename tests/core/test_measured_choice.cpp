#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/files.h"
#include "core/measured_choice.h"

namespace reprise {
namespace {

namespace fs = std::filesystem;

/// Counts how often it is asked.
struct Measurement {
  bool answer = true;
  int asked = 0;
  std::function<bool()> ask = [this] { return ++asked, answer; };
};

TEST(MeasuredChoice, IsMadeOnceAndHoldsForLaterProcessesOfTheSameFingerprint) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "below" / "choices.json";
  Measurement first, later{.answer = false}, elsewhere{.answer = false};
  {
    MeasuredChoice choice(file, "this machine");
    EXPECT_TRUE(choice("a", first.ask));
    EXPECT_TRUE(choice("a", first.ask));
  }
  EXPECT_EQ(first.asked, 1);
  EXPECT_TRUE(MeasuredChoice(file, "this machine")("a", later.ask));
  EXPECT_EQ(later.asked, 0);
  EXPECT_FALSE(MeasuredChoice(file, "another machine")("a", elsewhere.ask));
  EXPECT_EQ(elsewhere.asked, 1);
  EXPECT_TRUE(MeasuredChoice(file, "this machine")("a", later.ask)) << "another fingerprint's answers do not take its place";
}

TEST(MeasuredChoice, WithoutAFileThatCanBeReadOrWrittenItHoldsForThisProcess) {
  const TemporaryFolder folder;
  const auto damaged = folder.path() / "damaged.json";
  write_file(damaged, "{\"m\": {\"a\": 3, ");
  for (const auto& file : {damaged, fs::path("/proc/none/choices.json"), fs::path()}) {
    Measurement once;
    MeasuredChoice choice(file, "m");
    EXPECT_TRUE(choice("a", once.ask) && choice("a", once.ask)) << file;
    EXPECT_EQ(once.asked, 1) << file;
  }
}

TEST(IsFaster, TellsWaysApartThatDifferByFarMoreThanTheClock) {
  const auto wait = [](int milliseconds) { return [=] { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }; };
  EXPECT_TRUE(is_faster(wait(2), wait(20)));
  EXPECT_FALSE(is_faster(wait(20), wait(2)));
}

}  // namespace
}  // namespace reprise
