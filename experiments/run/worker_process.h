// The parent's side of a worker: a child process that runs one cell after another. Messages are
// JSON, one a line, both ways over the child's standard input (a socket). What the child prints is
// kept for the message of a crash. The child dies with its parent.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reprise::reproduce {

class WorkerProcess {
 public:
  /// command: the program and its arguments. Error: the system's reason why it cannot be started.
  explicit WorkerProcess(const std::vector<std::string>& command);
  ~WorkerProcess();  ///< kills it when it still runs
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// To a worker that has ended nothing is sent; ended() will say so.
  void send(const nlohmann::json& message);

  /// What to poll: messages, and what it prints.
  int messages() const { return channel_; }
  int printed() const { return printed_; }
  /// The lines that are there, without waiting.
  std::vector<std::string> receive();
  bool ended() const { return ended_; }

  /// After ended(): "ended by SIGKILL (...)", "ended with status 1", and the last it printed.
  std::string how_it_ended();
  void signal(int number) const;
  /// Sends no more and waits until it has ended by itself, at most so long: one of several that
  /// train together has to take leave of the others.
  void let_end(std::chrono::seconds most);

 private:
  void read_printed();

  pid_t process_ = -1;
  int channel_ = -1, printed_ = -1;
  bool ended_ = false;
  std::string unread_, last_words_;
};

}  // namespace reprise::reproduce
