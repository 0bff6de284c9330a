#include "experiments/run/worker_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "core/json.h"

namespace reprise::reproduce {
namespace {

/// Bytes kept of the worker's output, for the error of a crash.
constexpr std::size_t kept_bytes = 2000;

[[noreturn]] void cannot_start(const std::string& program) {
  throw Error("cannot start a worker (" + program + "): " + std::strerror(errno),
              "free memory or processes, or use fewer --jobs");
}

/// The environment in which a worker's arithmetic is repeatable: one thread from its start.
std::vector<std::string> worker_environment() {
  std::vector<std::string> variables = {"OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1"};
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    const std::string name = text.substr(0, text.find('='));
    if (name != "OMP_NUM_THREADS" && name != "MKL_NUM_THREADS") variables.push_back(text);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// In the child, after fork: only calls that are safe there.
[[noreturn]] void become_worker(pid_t parent, int channel, int printed, char* const* command,
                                char* const* environment) {
  // The kernel kills the worker when the parent dies; the next line covers a parent that died
  // before.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches the whole group; the parent ends the workers itself
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGHUP, SIG_IGN);
  ::dup2(channel, STDIN_FILENO);
  ::dup2(printed, STDOUT_FILENO);
  ::dup2(printed, STDERR_FILENO);
  ::execve(command[0], command, environment);
  // The shell's status for a command that cannot be executed.
  ::_exit(127);
}

/// Everything that can be read now. Returns false at the end of the stream.
bool read_into(std::string& text, int file) {
  std::array<char, 16384> piece;
  for (;;) {
    const ssize_t got = ::recv(file, piece.data(), piece.size(), MSG_DONTWAIT);
    if (got > 0)
      text.append(piece.data(), static_cast<std::size_t>(got));
    else if (got < 0 && errno == EINTR)
      continue;
    else
      return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command) {
  std::array<int, 2> channel{-1, -1}, printed{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel.data()) != 0)
    cannot_start(command.at(0));
  channel_ = channel[0];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, printed.data()) != 0) {
    ::close(channel[0]);
    ::close(channel[1]);
    cannot_start(command.at(0));
  }
  output_ = printed[0];
  // Built before fork: memory may not be allocated in the child.
  auto arguments = command;
  auto environment = worker_environment();
  const auto argument_list = pointers(arguments), environment_list = pointers(environment);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ == 0)
    become_worker(parent, channel[1], printed[1], argument_list.data(), environment_list.data());
  ::close(channel[1]);
  ::close(printed[1]);
  if (process_ < 0) {
    ::close(channel_);
    ::close(output_);
    cannot_start(command.at(0));
  }
}

WorkerProcess::~WorkerProcess() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(channel_);
  ::close(output_);
}

void WorkerProcess::let_end(std::chrono::seconds most) {
  // The worker sees the end of its input and finishes.
  ::shutdown(channel_, SHUT_WR);
  constexpr auto pause = std::chrono::milliseconds(10);
  for (const auto deadline = std::chrono::steady_clock::now() + most;
       !has_ended() && std::chrono::steady_clock::now() < deadline;) {
    receive();
    std::this_thread::sleep_for(pause);
  }
}

void WorkerProcess::send(const nlohmann::json& message) {
  const std::string line = json_text(message) + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t now = ::send(channel_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    // The worker has died; has_ended() reports that.
    if (now < 0) return;
    sent += static_cast<std::size_t>(now);
  }
}

void WorkerProcess::read_printed() {
  read_into(last_words_, output_);
  // Only the end matters for the error of a crash.
  if (last_words_.size() > kept_bytes) last_words_.erase(0, last_words_.size() - kept_bytes);
}

std::vector<std::string> WorkerProcess::receive() {
  read_printed();
  ended_ = !read_into(unread_, channel_) || ended_;
  std::vector<std::string> lines;
  for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
    lines.push_back(unread_.substr(0, end));
    unread_.erase(0, end + 1);
  }
  return lines;
}

std::string WorkerProcess::how_it_ended() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  read_printed();
  std::string text;
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = ::sigabbrev_np(number);
    text = "ended by SIG" + std::string(name ? name : std::to_string(number));
    if (number == SIGKILL) text += " (by the kernel when memory ran out, or by someone)";
  } else {
    text = "ended with status " + std::to_string(WEXITSTATUS(status));
  }
  while (!last_words_.empty() && last_words_.back() == '\n') last_words_.pop_back();
  return last_words_.empty() ? text : text + "; the last it printed: " + last_words_;
}

void WorkerProcess::signal(int number) const {
  if (process_ > 0) ::kill(process_, number);
}

}  // namespace reprise::reproduce
