#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "core/files.h"
#include "experiments/run/lease.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr auto a_cell = "main/toys/good/seed0";

struct Leases : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path();

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    if (fs::exists(results / ".leases"))
      for (const auto& entry : fs::directory_iterator(results / ".leases"))
        found.push_back(entry.path());
    return found;
  }
  /// A lease of a process that is gone and gave nothing back.
  void leave_a_dead_one() const {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto lease = Lease::take(results, a_cell);
      ::_exit(lease ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(WEXITSTATUS(status), 0);
    ASSERT_EQ(files().size(), 1U);
  }
  /// The only lease, as if a process of another machine had made it.
  void move_elsewhere() const {
    const auto file = files().at(0);
    auto text = read_file(file);
    const auto at = text.find("\"place\":\"");
    ASSERT_NE(at, std::string::npos) << text;
    text.insert(at + 9, "elsewhere ");
    write_file(file, text);
  }
};

TEST_F(Leases, ACellIsOnesUntilItIsGivenBack) {
  {
    auto lease = Lease::take(results, a_cell);
    ASSERT_TRUE(lease);
    EXPECT_FALSE(Lease::take(results, a_cell));
    EXPECT_TRUE(Lease::take(results, "main/toys/good/seed1"));
    const auto moved = std::move(lease);
    EXPECT_FALSE(Lease::take(results, a_cell));
    ASSERT_EQ(holders(results).size(), 1U);
    EXPECT_EQ(holders(results)[0].cell, a_cell);
    EXPECT_EQ(holders(results)[0].process, ::getpid());
  }
  EXPECT_TRUE(holders(results).empty());
  EXPECT_FALSE(fs::exists(results / ".leases")) << "nothing is left";
  EXPECT_TRUE(Lease::take(results, a_cell));
}

TEST_F(Leases, OfADeadProcessIsTakenOverAtOnceByOneAloneSlow) {
  leave_a_dead_one();
  EXPECT_TRUE(holders(results).empty());
  std::vector<pid_t> children;
  for (int i = 0; i < 12; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto lease = Lease::take(results, a_cell);
      if (lease) ::usleep(500'000);
      ::_exit(lease ? 0 : 1);
    }
    children.push_back(child);
  }
  int winners = 0;
  for (const auto child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    winners += WEXITSTATUS(status) == 0;
  }
  EXPECT_EQ(winners, 1);
}

TEST_F(Leases, OfAnotherMachineLivesWhileItIsTouched) {
  leave_a_dead_one();
  move_elsewhere();
  EXPECT_FALSE(Lease::take(results, a_cell)) << "its process cannot be seen from here";
  EXPECT_EQ(holders(results).size(), 1U);
  fs::last_write_time(files().at(0),
                      fs::file_time_type::clock::now() - lease_timeout - std::chrono::seconds(5));
  EXPECT_TRUE(holders(results).empty());
  EXPECT_TRUE(Lease::take(results, a_cell));
}

// A machine whose clock ran ahead touched its lease, died, and the clock of the file system is
// right again.
TEST_F(Leases, OfTheFutureIsDeadAsOneOfThePastIs) {
  leave_a_dead_one();
  move_elsewhere();
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(files().at(0), now + std::chrono::seconds(20));
  EXPECT_FALSE(Lease::take(results, a_cell)) << "clocks may differ by seconds";
  fs::last_write_time(files().at(0), now + std::chrono::hours(7 * 24));
  EXPECT_TRUE(holders(results).empty());
  EXPECT_TRUE(Lease::take(results, a_cell));
}

TEST_F(Leases, SaysWhoHoldsACellAndSinceWhen) {
  const auto lease = Lease::take(results, a_cell);
  ASSERT_EQ(holders(results).size(), 1U);
  EXPECT_THAT(holders(results)[0].since, testing::MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST_F(Leases, TextThatIsNoLeaseHoldsNothing) {
  for (const char* text :
       {"", "[]", "{}", R"({"cell": 1, "host": [], "place": 2, "process": "x", "started": 3})"}) {
    leave_a_dead_one();
    write_file(files().at(0), text);
    fs::last_write_time(files().at(0), fs::file_time_type::clock::now() - 2 * lease_timeout);
    EXPECT_TRUE(holders(results).empty()) << text;
    EXPECT_TRUE(Lease::take(results, a_cell)) << text;
  }
}

TEST_F(Leases, AFolderThatIsALinkIsRefused) {
  fs::create_directories(results / "victim");
  fs::create_directory_symlink("victim", results / ".leases");
  EXPECT_THAT(
      [&] { Lease::take(results, a_cell); },
      ThrowsUsageError(HasSubstr(".leases is a symbolic link"), HasSubstr("remove the link")));
  EXPECT_TRUE(fs::is_empty(results / "victim"));
}

TEST_F(Leases, WhoWasSilentForTooLongLearnsThatTheCellIsAnothers) {
  auto asleep = Lease::take(results, a_cell);
  ASSERT_TRUE(asleep);
  EXPECT_TRUE(asleep->renew(std::chrono::seconds(0)));
  move_elsewhere();
  fs::last_write_time(files().at(0), fs::file_time_type::clock::now() - 2 * lease_timeout);
  const auto other = Lease::take(results, a_cell);
  ASSERT_TRUE(other);
  EXPECT_FALSE(asleep->renew(std::chrono::seconds(0)));
  asleep.reset();
  EXPECT_FALSE(Lease::take(results, a_cell)) << "what it gives back is not the other's";
}

TEST_F(Leases, AFolderThatCannotBeWrittenIsNamed) {
  write_file(results / "file", "");
  EXPECT_THAT([&] { Lease::take(results / "file", a_cell); },
              testing::ThrowsMessage<Error>(HasSubstr("file")));
}

}  // namespace
}  // namespace reprise::reproduce
