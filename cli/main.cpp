#include "cli/cli.h"
#include "core/arithmetic.h"
#include "core/memory.h"
#include "core/say.h"
#include "reproduce/studies.h"

int main(int count, char** arguments) {
  // In this order: output that fails must not end the program, memory and arithmetic are set before
  // the first tensor.
  reprise::expect_failing_output();
  reprise::keep_freed_memory();
  reprise::pin_arithmetic();
  return reprise::reproduce::run_command_line(count, arguments, reprise::reproduce::studies());
}
