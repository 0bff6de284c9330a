#include "core/measured_choice.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/outputs.h"

namespace reprise {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

json stored(const fs::path& file) {
  std::error_code error;
  if (file.empty() || !fs::is_regular_file(file, error)) return json::object();
  try {
    auto all = parse_json(read_file(file), file.string(), "it is made anew");
    return all.is_object() ? all : json::object();
  } catch (const std::exception&) {
    return json::object();
  }
}

}  // namespace

fs::path user_cache() {
  for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", "reprise"}, std::pair{"HOME", ".cache/reprise"}})
    if (const char* folder = std::getenv(variable); folder != nullptr && *folder == '/') return fs::path(folder) / below;
  return {};
}

MeasuredChoice::MeasuredChoice(fs::path file, std::string fingerprint) : file_(std::move(file)), fingerprint_(std::move(fingerprint)) {
  const auto all = stored(file_);
  if (const auto mine = all.find(fingerprint_); mine != all.end() && mine->is_object())
    for (const auto& [question, answer] : mine->items())
      if (answer.is_boolean()) known_[question] = answer.get<bool>();
}

bool MeasuredChoice::operator()(const std::string& question, const std::function<bool()>& measure) {
  const std::lock_guard lock(mutex_);
  if (const auto known = known_.find(question); known != known_.end()) return known->second;
  const bool answer = measure();
  known_[question] = answer;
  if (file_.empty()) return answer;
  auto all = stored(file_);
  auto& mine = all[fingerprint_];
  if (!mine.is_object()) mine = json::object();
  for (const auto& [each, its_answer] : known_) mine[each] = its_answer;
  note_own(file_);
  try {
    write_file(file_, json_text(all, 1) + "\n");
  } catch (const Error&) {  // a home that cannot be written is no reason to fail
    file_.clear();
  }
  return answer;
}

bool is_faster(const std::function<void()>& second, const std::function<void()>& first, int turns, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto timed = [&](const std::function<void()>& work) {
    const auto start = Clock::now();
    work();
    return since(start);
  };
  first(), second();
  double least_first = std::numeric_limits<double>::max(), least_second = least_first;
  const auto begun = Clock::now();
  for (int turn = 0; turn < turns || since(begun) < seconds; ++turn) {
    least_first = std::min(least_first, timed(first));
    least_second = std::min(least_second, timed(second));
  }
  return least_second < 0.9 * least_first;
}

}  // namespace reprise
