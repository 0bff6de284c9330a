#include "experiments/run/stop_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace reprise::reproduce {
namespace {

constexpr std::array numbers{SIGINT, SIGTERM, SIGHUP};
volatile sig_atomic_t write_end = -1;

void note(int) {
  // A handler may interrupt any call, whose errno must survive.
  const int saved = errno;
  const char byte = 0;
  if (::write(write_end, &byte, 1) < 0) {
    // A full pipe already holds the signal.
  }
  errno = saved;
}

}  // namespace

StopSignals::StopSignals() {
  if (::pipe2(pipe_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno),
                "close some open files");
  write_end = pipe_[1];
  struct sigaction action {};
  action.sa_handler = note;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < numbers.size(); ++i) ::sigaction(numbers[i], &action, &before_[i]);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < numbers.size(); ++i) ::sigaction(numbers[i], &before_[i], nullptr);
  write_end = -1;
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

bool StopSignals::came() const {
  pollfd waiting{pipe_[0], POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace reprise::reproduce
