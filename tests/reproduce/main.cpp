// This program has three modes: the tests, a worker of the runner ("worker"), and the command line
// with the studies of toy_study.h ("cli").
#include <gmock/gmock.h>

#include <cstring>

#include "cli/cli.h"
#include "core/arithmetic.h"
#include "core/say.h"
#include "experiments/run/worker.h"
#include "tests/experiments/toy_study.h"

int main(int count, char** arguments) {
  using namespace reprise::reproduce;
  reprise::pin_arithmetic();
  reprise::expect_failing_output();
  if (count > 1 && std::strcmp(arguments[1], "worker") == 0) return serve_as_worker(test_studies());
  if (count > 1 && std::strcmp(arguments[1], "cli") == 0)
    return run_command_line(count - 1, arguments + 1, test_studies());
  testing::InitGoogleMock(&count, arguments);
  return RUN_ALL_TESTS();
}
