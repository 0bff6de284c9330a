// Every test draws from torch's own generator as if it ran alone: what it sees depends neither on the tests before it nor on a filter.
#include <ATen/Context.h>
#include <gtest/gtest.h>

namespace {

class OwnDraws : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& /*test*/) override { at::manual_seed(0); }
};

const bool registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new OwnDraws);
  return true;
}();

}  // namespace
