// The cell that trains an evaluator: what it leaves, and that other cells load the same network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "experiments/evaluator_cell.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

/// Pictures of which the left half is bright (0), the right one (1), or the left one dimly (2).
training::Examples halves(std::int64_t n) {
  training::Examples set{.x = torch::full({n, 3, 8, 8}, -1.0),
                         .labels = torch::arange(n).remainder(3)};
  for (std::int64_t i = 0; i < n; ++i)
    set.x[i].slice(2, i % 3 == 1 ? 4 : 0, i % 3 == 1 ? 8 : 4).fill_(i % 3 == 2 ? 0 : 1);
  return set;
}

class EvaluatorCells : public testing::Test {
 protected:
  EvaluatorCells() {
    at::set_num_threads(1);  // on small networks more only wait for each other
    record_.cell = cell_;
    std::filesystem::create_directories(context_.folder);
    options_ = evaluator_options({.size = 8, .frames = 0, .classes = 3}, settings_, "short");
  }
  EvaluatorTask task() const {
    return {.options = options_,
            .learned = halves(60),
            .validation = halves(12),
            .test = halves(30),
            .seed = 5};
  }

  const records::Cell cell_{.study = "s",
                            .table = "evaluator",
                            .dataset = "d",
                            .method = "classifier",
                            .seed = evaluator_seed};
  const Settings settings_{
      "purpose = \"full_experiment\"\n[evaluator]\ntrunk = \"4 p 8\"\nbatch = 16\nlearning_rate = 1e-2\n[short]\nsteps = 100\n",
      "settings.toml"};
  TemporaryFolder folder_;
  records::Store store_{folder_.path()};
  records::Record record_;
  training::Progress silent_{nullptr};
  CellContext context_{settings_, store_, store_.folder(cell_), "", "cpu", record_, silent_};
  models::EvaluatorOptions options_;
};

TEST_F(EvaluatorCells, ATrainedOneIsCheckedMeasuredAndLoadedByOtherCells) {
  train_evaluator(task(), context_);
  EXPECT_GT(record_.metric("accuracy").value_or(0), 0.9);
  EXPECT_EQ(record_.metrics.back().items, 30);
  EXPECT_EQ(record_.metric("healthy"), 1);
  EXPECT_EQ(store_.curves(cell_).at("validation_error").size(), 5U)
      << "100 steps, validated every 20";
  EXPECT_FALSE(std::filesystem::exists(context_.folder / "checkpoint.safetensors"));
  const auto loaded = load_evaluator(options_, cell_, context_);
  EXPECT_DOUBLE_EQ(loaded.accuracy(halves(30)), *record_.metric("accuracy"));
  const auto from_file =
      load_evaluator(options_, context_.folder / "weights.safetensors", context_);
  EXPECT_EQ(from_file.protocol("x"), loaded.protocol("x"));
}

// Where labels are no classes of the evaluator, a study says which class stands for which label.
TEST_F(EvaluatorCells, AccuracyIsOfWhatTheStudyPredictsFromTheProbabilities) {
  auto side = task();
  side.test.labels = halves(30).labels.remainder(2);  // left or right, whatever the brightness
  side.predict = [](const at::Tensor& probabilities) {
    return (probabilities.select(1, 1) > 0.5).to(at::kLong);
  };
  train_evaluator(side, context_);
  EXPECT_GT(record_.metric("accuracy").value_or(0), 0.9);
}

}  // namespace
}  // namespace reprise::reproduce
