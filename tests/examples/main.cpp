// Tests of the examples that docs/adding.md explains. With the argument "worker" this program is a worker of the runner.
#include <gmock/gmock.h>

#include <cstring>

#include "core/arithmetic.h"
#include "examples/shrinkage/study.h"
#include "experiments/run/worker.h"

int main(int count, char** arguments) {
  reprise::pin_arithmetic();
  if (count > 1 && std::strcmp(arguments[1], "worker") == 0)
    return reprise::reproduce::serve_as_worker({reprise::reproduce::shrinkage()});
  testing::InitGoogleMock(&count, arguments);
  return RUN_ALL_TESTS();
}
