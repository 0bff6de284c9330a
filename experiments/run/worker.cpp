#include "experiments/run/worker.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <opencv2/core/utility.hpp>
#include <string>

#include "core/environment.h"
#include "core/error.h"
#include "core/files.h"
#include "core/links.h"
#include "core/memory.h"
#include "core/say.h"
#include "core/sha256.h"
#include "experiments/run/device.h"
#include "experiments/run/messages.h"
#include "experiments/run/processes.h"
#include "training/data_parallel.h"

namespace reprise::reproduce {
namespace data_parallel = training::data_parallel;
namespace {

using nlohmann::json;

void make_arithmetic_repeatable() {
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  cv::setNumThreads(1);
  // cuBLAS needs a fixed workspace for repeatable results. It reads this when CUDA is loaded,
  // later.
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/1);
  auto& context = at::globalContext();
  context.setDeterministicAlgorithms(true, false);
  // Filling memory that is written right after would only cost time; nothing here reads what it did
  // not write.
  context.setDeterministicFillUninitializedMemory(false);
  context.setDeterministicCuDNN(true);
  context.setBenchmarkCuDNN(false);
}

/// Returns the text of a cell's exception. An Error's text names problem and fix; torch's would
/// carry a stack trace.
std::string error_text(const std::exception& exception) {
  // First, because such errors come as several types with long texts.
  if (is_out_of_memory(exception))
    return "ran out of memory\n  fix: use fewer --jobs, or smaller batches";
  if (const auto* torch_error = dynamic_cast<const c10::Error*>(&exception))
    return torch_error->what_without_backtrace();
  return exception.what();
}

struct Job {
  const Study& study;
  Settings settings;
  DataFolder data;
  std::string device;
  records::Store store;
};

/// The record states the hash of its file. Error: the file has another one by now.
void check_unchanged(const std::filesystem::path& file, const records::Record& record) {
  if (!file.empty() && sha256_path(file) != record.options->at("method.sha256").get<std::string>())
    throw Error(file.string() + " changed after the run began",
                "run again: the new file's cells replace the old ones");
}

/// Writes the record of a cell that has ended. If that fails, only this cell fails.
void write_ended(const records::Store& store, records::Record& record) {
  try {
    store.write(record);
  } catch (const std::exception& reason) {
    record.status = records::Status::Failed;
    record.error = error_text(reason);
  }
}

void run_cell(const Job& job, records::Record& record, const std::filesystem::path& file,
              std::FILE* channel) {
  const auto start = std::chrono::steady_clock::now();
  const PeakMemory peak;
  try {
    const auto folder = job.store.folder(record.cell);
    // A link in the folder could lead outside the results (core/links.h).
    refuse_links_in(folder);
    // Times of earlier processes count if the training resumes from their checkpoint.
    record.processes = resume_processes(job.store, record);
    record.processes.push_back({.started = utc_now()});
    remove_leftovers(folder);  // of a run that was killed as it wrote
    // Written before the work, so that a killed cell is recognised by its status.
    record.status = records::Status::Running;
    job.store.write(record);
    training::Progress progress(channel);
    check_unchanged(file, record);
    const auto settings = job.settings.for_cell(*record.options);
    CellContext context{settings, job.store, folder, job.data, job.device, record, progress, file};
    job.study.run(context);
    record.data = context.data.take_hashes();
    record.status = records::Status::Done;
  } catch (const std::exception& exception) {
    record.status = records::Status::Failed;
    record.error = error_text(exception);
  }
  const auto seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  // The cell was refused before it began.
  if (record.processes.empty()) record.processes.push_back({.started = utc_now()});
  record.processes.back().seconds = seconds;
  auto& total = record.seconds["total"];
  total = 0;
  for (const auto& process : record.processes) total += process.seconds;
  record.peak_memory_bytes = peak.bytes();
  write_ended(job.store, record);
}

Job read_job(const std::vector<Study>& studies, const json& first) {
  make_arithmetic_repeatable();
  return {study_named(studies, first.at("study")), Settings(first.at("settings")),
          DataFolder(path_in(first.at("data"))),
          choose_device(first.at("device"), data_parallel::local_rank()),
          records::Store(path_in(first.at("results")))};
}

void serve(const std::vector<Study>& studies, std::FILE* channel) {
  std::string line;
  if (!std::getline(std::cin, line)) return;
  const json first = read_message(line);
  // Workers of a run that do not train together ignore the group that torchrun set up.
  if (!first.at("together").get<bool>()) ::unsetenv("WORLD_SIZE");
  data_parallel::broadcast(line);
  const auto job = read_job(studies, first);
  while (std::getline(std::cin, line)) {
    data_parallel::broadcast(line);
    const json message = read_message(line);
    auto record = records::record_from_json(message.at("record"), "the runner's message");
    run_cell(job, record, path_in(message.at("file")), channel);
    const json answer = {{"status", record.status == records::Status::Done ? "done" : "failed"},
                         {"error", record.error},
                         {"seconds", record.seconds["total"]}};
    say_exactly(json_text(answer) + "\n", channel);
  }
  data_parallel::broadcast(std::string());
  data_parallel::barrier();
}

}  // namespace

void follow_rank_0(const std::vector<Study>& studies) {
  const auto from_rank_0 = [] { return data_parallel::broadcast(std::string()); };
  const auto job = read_job(studies, read_message(from_rank_0()));
  for (auto line = from_rank_0(); !line.empty(); line = from_rank_0()) {
    const json message = read_message(line);
    auto record = records::record_from_json(message.at("record"), "rank 0's message");
    const TemporaryFolder folder;
    auto beside = job;
    beside.store = job.store.with_folder(record.cell, folder.path());
    run_cell(beside, record, path_in(message.at("file")), nullptr);
    // Rank 0 may wait for this process. Its end shows that nothing will come.
    if (record.status == records::Status::Failed)
      throw Error(record.cell.id() + " failed: " + record.error, "see rank 0's record");
  }
  data_parallel::barrier();
}

int serve_as_worker(const std::vector<Study>& studies) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> channel(::fdopen(::dup(STDIN_FILENO), "w"),
                                                                std::fclose);
  if (!channel) return 1;
  // The channel is a socket in both directions. Lines leave at once, so that the parent sees
  // progress.
  std::setvbuf(channel.get(), nullptr, _IOLBF, 4096);
  try {
    serve(studies, channel.get());
    return 0;
  } catch (const std::exception& exception) {
    // The parent reads this from what the worker printed, and puts it into the cell's record.
    say(exception.what() + std::string("\n"));
    return 3;
  }
}

}  // namespace reprise::reproduce
