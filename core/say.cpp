#include "core/say.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <new>

#include "core/printable.h"

namespace reprise {

void say(std::string_view text, std::FILE* out) {
  try {
    say_exactly(terminal_text(text), out);
  } catch (const std::bad_alloc&) {
    // Without memory for the text it is left out. An error here would hide the first one.
  }
}

void say_exactly(std::string_view bytes, std::FILE* out) {
  // A pipe without a reader raises SIGPIPE, which would end the process. It is blocked during the
  // write and then removed, unless one was pending before.
  sigset_t pipe, before, waiting;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&waiting);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  std::fwrite(bytes.data(), 1, bytes.size(), out);
  std::fflush(out);
  std::clearerr(out);
  const timespec now{};
  if (sigismember(&waiting, SIGPIPE) == 0) sigtimedwait(&pipe, nullptr, &now);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void expect_failing_output() {
  // Opened for reading only, so that writing still fails as to a closed descriptor.
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(number, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) < 0) ::_exit(3);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace reprise
