// A run on a disk without room, a run that is killed again and again, and a damaged description:
// nothing is lost, nothing is half there, and the same command goes on to the same results.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "core/files.h"
#include "core/random.h"
#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "tests/damage.h"
#include "tests/experiments/toy_study.h"
#include "tests/full_disk.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using records::Status;
using testing::AllOf;
using testing::HasSubstr;

RunRequest toys(const fs::path& results, const std::string& methods, std::int64_t seeds) {
  auto request = toy_request(results, methods);
  request.seeds = seeds;
  return request;
}

INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);

TEST_P(FullDisk, ARunIsRefusedKeepsWhatIsDoneAndGoesOnLaterSlow) {
  on_disk([](Disk& disk) {
    const auto results = disk.folder() / "results";
    run(toy(), toys(results, R"(["good"])", 1));
    const auto more = toys(results, R"(["good"])", 2);
    expect_refused_without_a_trace(disk, [&] { run(toy(), more); });
    for (const auto& cell : run(toy(), more).cells)
      EXPECT_EQ(cell.outcome, cell.cell.seed == 0 ? Outcome::Skipped : Outcome::Done)
          << cell.cell.id();
  });
}

TEST(DiskThatFillsUp, CostsTheCellThatNeedsRoomAndItsRecordSaysSoSlow) {
  const TemporaryFolder folder;
  Disk disk(Disk::Kind::FileLimit, folder.path());
  const auto request = toys(folder.path() / "results", R"(["long_curves"])", 1);
  const records::Cell cell{"toy", "main", "toys", "long_curves", 0};
  disk.fill(4096);  // a record needs less, these curves more
  run(toy(), request);
  disk.make_room();
  const auto store = cells_in(request.results);
  EXPECT_EQ(store.find(cell)->status, Status::Failed);
  EXPECT_THAT(store.find(cell)->error, AllOf(HasSubstr("curves.json"), HasSubstr("File too large"),
                                             HasSubstr("free some space")));
  EXPECT_TRUE(store.curves(cell).empty());
  run(toy(), request);
  EXPECT_EQ(store.find(cell)->status, Status::Done);
  EXPECT_EQ(store.curves(cell).at("loss").size(), 2000U);
}

TEST(DiskThatFillsUp, CostsTheCellsWhoseRecordsDoNotFitAndTheAnswerSaysSoSlow) {
  const TemporaryFolder folder;
  Disk disk(Disk::Kind::FileLimit, folder.path());
  const auto request = toys(folder.path() / "results", R"(["good"])", 1);
  write_description(request.results, {.study = "toy",
                                      .profile = "smoke",
                                      .settings = settings_of(toy(), request).all(),
                                      .device = "cpu"});
  disk.fill(fs::file_size(request.results / "run.json"));
  const auto result = run(toy(), request);
  disk.make_room();
  ASSERT_FALSE(result.cells.empty());
  for (const auto& cell : result.cells) {
    EXPECT_EQ(cell.outcome, Outcome::Failed) << cell.cell.id();
    EXPECT_THAT(cell.error, AllOf(HasSubstr("File too large"), HasSubstr("free some space")));
  }
  EXPECT_TRUE(cells_in(request.results).all().empty());
  for (const auto& cell : run(toy(), request).cells) EXPECT_EQ(cell.outcome, Outcome::Done);
}

// What a stranger's results folder links to is not written.
TEST(LinksInResults, AreRefusedByARunAndByNameSlow) {
  const TemporaryFolder folder;
  const auto victim = folder.path() / "victim";
  fs::create_directories(victim);
  for (const char* link : {"cells", ".leases", "run.json", "records"}) {
    const auto request = toys(folder.path() / (std::string("with ") + link), R"(["good"])", 1);
    fs::create_directories(request.results);
    // A file that is not there yet would be made through the link.
    fs::create_symlink(std::string(link) == "run.json" ? victim / "run.json" : victim,
                       request.results / link);
    EXPECT_THAT([&] { run(toy(), request); },
                ThrowsUsageError(HasSubstr(std::string(link) + " is a symbolic link")))
        << link;
    EXPECT_TRUE(fs::is_empty(victim)) << link;
  }
  const auto request = toys(folder.path() / "results", R"(["good"])", 1);
  const auto cell = request.results / "cells/main/toys/good/seed0";
  write_file(folder.path() / "precious", "what a user has");
  fs::create_directories(cell);
  fs::create_symlink(folder.path() / "precious", cell / "curves.json");
  const auto result = run(toy(), request);
  EXPECT_THAT(result.cells.back().error, HasSubstr("curves.json is a symbolic link"))
      << result.cells.back().cell.id();
  EXPECT_EQ(read_file(folder.path() / "precious"), "what a user has");
}

TEST(DamagedRunDescription, IsReadOrRefusedByNameSlow) {
  const TemporaryFolder folder;
  const auto results = folder.path() / "results";
  const auto request = toys(results, R"(["good"])", 1);
  const RunDescription description{.study = "toy",
                                   .profile = "smoke",
                                   .settings = settings_of(toy(), request).all(),
                                   .device = "cpu",
                                   .data = {"faces"}};
  write_description(results, description);
  const int refused =
      read_damaged_copies(results / "run.json", read_file(results / "run.json"), [&](const auto&) {
        try {
          expect_same_run(results, description);
        } catch (const UsageError& error) {
          // What is whole and says other options is refused, too: it names the folder.
          if (error.problem().find("other options") == std::string::npos) throw;
        }
      });
  EXPECT_GE(refused, 75);
  write_file(
      results / "run.json",
      R"({"study": "toy", "profile": "smoke", "settings": [1], "device": "cpu", "data": []})");
  EXPECT_THAT([&] { expect_same_run(results, description); },
              ThrowsUsageError(HasSubstr("run.json"), HasSubstr("settings")));
}

using Clock = std::chrono::steady_clock;

/// The command line over the toy study, in a process group of its own.
class Process {
 public:
  Process(const fs::path& results, const fs::path& said) {
    const std::string out = results.string();
    const char* const arguments[] = {
        "/proc/self/exe", "cli",       "run",    "toy",
        "--device",       "cpu",       "--jobs", "2",
        "--seeds",        "2",         "--set",  "methods=[\"trains\", \"after_trains\"]",
        "--out",          out.c_str(), nullptr};
    id_ = ::fork();
    if (id_ == 0) {
      ::setpgid(0, 0);
      const int file = ::open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
      ::execv(arguments[0], const_cast<char* const*>(arguments));
      ::_exit(127);
    }
    ::setpgid(id_, id_);
  }
  ~Process() {
    ::kill(-id_, SIGKILL);
    if (!status_) wait(0);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Its exit status, or nothing when it still runs at that moment.
  std::optional<int> wait_until(Clock::time_point moment) {
    while (!wait(WNOHANG) && Clock::now() < moment)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return status_;
  }
  int wait_to_the_end() {
    wait(0);
    return *status_;
  }
  void kill_it_alone() { ::kill(id_, SIGKILL); }
  void kill_the_group() { ::kill(-id_, SIGKILL); }

 private:
  bool wait(int how) {
    int status = 0;
    if (!status_ && ::waitpid(id_, &status, how) == id_)
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return status_.has_value();
  }
  pid_t id_ = -1;
  std::optional<int> status_;
};

/// What the cells hold, but for times, memory, and whether a file of the project was edited
/// meanwhile.
std::map<std::string, std::string> kept(const fs::path& results) {
  std::map<std::string, std::string> all;
  for (const auto& record : cells_in(results).all()) {
    auto json = to_json(record);
    for (const char* own : {"seconds", "started", "processes", "peak_memory_bytes"})
      json.erase(own);
    json["environment"].erase("dirty");
    const auto id = record.cell.id();
    all[id] = json.dump();
    for (const char* name : {"curves.json", "weights.safetensors"})
      if (const auto file = results / "cells" / id / name; fs::exists(file))
        all[id + "/" + name] = read_file(file);
  }
  return all;
}

/// How often cells were begun in this folder.
int begun(const fs::path& results) {
  int all = 0;
  for (const char* seed : {"0", "1"})
    for (const char* method : {"base/toys/start", "main/toys/trains", "main/toys/after_trains"})
      all += starts(results, std::string(method) + "/seed" + seed);
  return all;
}

// Every other pair of kills comes at any moment of the run, its start and end included; the others
// come after a cell began, or on a busy machine nearly all would fall into the start of the
// programs. The first of each pair kills the run alone, the second its workers too.
TEST(SlowKilledRun, TenKillsAtAnyMomentAndTheSameCommandGivesTheSameBits) {
  const TemporaryFolder folder;
  const auto whole = folder.path() / "whole", said = folder.path() / "said";
  const auto start = Clock::now();
  ASSERT_EQ(Process(whole, said).wait_to_the_end(), 0) << read_file(said);
  const std::chrono::duration<double> duration = Clock::now() - start;
  const auto expected = kept(whole);
  // Six records with their curves, and the weights of the two cells that train.
  ASSERT_EQ(expected.size(), 14U);

  Random random(seed_of({"ten kills"}));
  int kills = 0, finished = 0, again = 0;
  while (true) {
    const auto results = folder.path() / std::to_string(finished);
    const int before = begun(results);
    Process process(results, said);
    const auto runs_until = [&](double seconds) {
      return !process.wait_until(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                    std::chrono::duration<double>(seconds)));
    };
    bool runs = kills < 10;
    if (runs && kills % 4 < 2) {
      runs = runs_until(random.uniform() * duration.count());
    } else if (runs) {
      while (runs && begun(results) == before) runs = runs_until(0.001);
      runs = runs && runs_until(random.uniform(0, 0.4));
    }
    if (runs) {
      if (kills++ % 2 == 0)
        process.kill_it_alone();
      else
        process.kill_the_group();
      process.wait_to_the_end();
      continue;
    }
    ASSERT_EQ(process.wait_to_the_end(), 0) << read_file(said);
    EXPECT_EQ(kept(results), expected) << "after " << kills << " kills";
    again += begun(results) - 6;
    ++finished;
    if (kills == 10) break;
  }
  EXPECT_GT(again, 0) << "no kill hit a cell";
  RecordProperty("cells_begun_again", again);
}

}  // namespace
}  // namespace reprise::reproduce
