#include "tests/cli/started.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "cli/cli.h"
#include "tests/experiments/toy_study.h"

namespace reprise::reproduce {
namespace {

int calls = -1;  // the socket to the process that waits for them

/// A list of texts, each ended by a zero, after their number. Paths and arguments hold any other byte.
void append(std::string& message, const std::vector<std::string>& texts) {
  message += std::to_string(texts.size()) + '\0';
  for (const auto& text : texts) message += text + '\0';
}

std::string take(const std::string& message, std::size_t& at) {
  const auto end = message.find('\0', at);
  auto text = message.substr(at, end - at);
  at = end + 1;
  return text;
}

std::vector<std::string> take_list(const std::string& message, std::size_t& at) {
  std::vector<std::string> texts(std::stoul(take(message, at)));
  for (auto& text : texts) text = take(message, at);
  return texts;
}

void send_to(const std::filesystem::path& path, int file) {
  const int opened = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (opened < 0 || ::dup2(opened, file) < 0) ::_exit(126);
  ::close(opened);
}

[[noreturn]] void answer(const std::string& message) {
  std::size_t at = 0;
  const auto folder = take(message, at), out = take(message, at), err = take(message, at);
  auto variables = take_list(message, at);
  const auto words = take_list(message, at);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  send_to(out, STDOUT_FILENO);
  send_to(err, STDERR_FILENO);
  ::clearenv();
  for (auto& variable : variables) ::putenv(variable.data());
  std::vector<const char*> arguments{"reprise"};
  for (const auto& word : words) arguments.push_back(word.c_str());
  std::exit(run_command_line(static_cast<int>(arguments.size()), arguments.data(), test_studies()));
}

[[noreturn]] void wait_for_calls(int socket) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::string message(std::size_t{1} << 20, '\0');
  for (;;) {
    const ssize_t got = ::recv(socket, message.data(), message.size(), 0);
    if (got <= 0) ::_exit(0);
    int status = -1;
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(socket);
      answer(message.substr(0, static_cast<std::size_t>(got)));
    }
    if (child > 0) ::waitpid(child, &status, 0);
    if (::send(socket, &status, sizeof status, 0) < 0) ::_exit(1);
  }
}

}  // namespace

void make_ready_for_calls() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw std::runtime_error("no socket pair");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process for the command line's calls");
  if (child == 0) {
    ::close(ends[0]);
    wait_for_calls(ends[1]);
  }
  ::close(ends[1]);
  calls = ends[0];
}

int call_in_a_process(const std::vector<std::string>& words, const std::filesystem::path& out, const std::filesystem::path& err) {
  std::string message = std::filesystem::current_path().native() + '\0' + out.native() + '\0' + err.native() + '\0';
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) variables.emplace_back(*variable);
  append(message, variables);
  append(message, words);
  int status = -1;
  if (::send(calls, message.data(), message.size(), 0) < 0 || ::recv(calls, &status, sizeof status, 0) != sizeof status)
    throw std::runtime_error("the process for the command line's calls does not answer");
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace reprise::reproduce
