// The parent's side of a worker: a child process that runs one cell after another. Messages are
// JSON lines in both directions over the child's standard input (a socket). Its output is kept for
// the message of a crash. The child dies with its parent.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reprise::reproduce {

class WorkerProcess {
 public:
  /// Starts a worker. command: the program and its arguments. Error: the system's reason why it
  /// cannot be started.
  explicit WorkerProcess(const std::vector<std::string>& command);
  ~WorkerProcess();  ///< kills it when it still runs
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends a message; a worker that has ended receives nothing, see has_ended().
  void send(const nlohmann::json& message);

  /// Files for poll(): messages, and output.
  int messages() const { return channel_; }
  int output() const { return output_; }
  /// Returns the lines received so far, without waiting.
  std::vector<std::string> receive();
  bool has_ended() const { return ended_; }

  /// Returns "ended by SIGKILL (...)" or "ended with status 1" with the last output. Call it after
  /// has_ended().
  std::string how_it_ended();
  void signal(int number) const;
  /// Closes the channel and waits until the worker ends, at most `most`: workers that train
  /// together take leave of each other.
  void let_end(std::chrono::seconds most);

 private:
  void read_printed();

  pid_t process_ = -1;
  int channel_ = -1, output_ = -1;
  bool ended_ = false;
  std::string unread_, last_words_;
};

}  // namespace reprise::reproduce
