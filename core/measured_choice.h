// Which of two ways is faster on this machine, asked once: the answers are kept in a file, so that every later process goes the same way.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace reprise {

/// $XDG_CACHE_HOME/reprise, else ~/.cache/reprise; "" where the user has no home.
std::filesystem::path user_cache();

/// file: {FINGERPRINT: {QUESTION: true or false}}, as JSON. A file that is not there, not readable or not of this form counts as empty, and
/// one that cannot be written keeps nothing: the answers then hold for this process. Safe between threads; between processes the last
/// writer's answers of another process's questions may be lost, and are asked again.
class MeasuredChoice {
 public:
  /// fingerprint: what the answers depend on beside the question: the machine, libraries, threads.
  MeasuredChoice(std::filesystem::path file, std::string fingerprint);
  /// The answer; `measure` gives it where nobody knows it.
  bool operator()(const std::string& question, const std::function<bool()>& measure);

 private:
  std::filesystem::path file_;
  std::string fingerprint_;
  std::map<std::string, bool> known_;
  std::mutex mutex_;
};

/// Whether `second` takes less than nine tenths of `first`'s time: the least time of each, in turns, `turns` of them or more until about
/// `seconds` are over, after one of each that is not counted.
bool is_faster(const std::function<void()>& second, const std::function<void()>& first, int turns = 3, double seconds = 0);

}  // namespace reprise
