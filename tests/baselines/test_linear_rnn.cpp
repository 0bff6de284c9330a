// The linear RNN of document dynamic_face (eq 2) beside the Kalman filter (eq 3), where the filter
// is known to be the best there is.
#include <torch/torch.h>

#include <cmath>

#include "baselines/trackers/kalman.h"
#include "models/recurrent/post_rnn.h"
#include "tests/support.h"
#include "training/fit.h"
#include "training/progress.h"

namespace reprise::baselines {
namespace {

// On linear-Gaussian tracks no causal estimate beats the Kalman filter; the linear RNN of eq 2 can
// come close, and must.
TEST(LinearRnnSlow, ApproachesTheKalmanFilterFromAboveOnLinearGaussianTracksSlow) {
  constexpr std::int64_t frames = 60;
  const AngleNoise noise{.q = 0.02, .r = 1, .rate_variance = 0.02};
  const auto drawn = [&](std::int64_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<torch::Tensor> states, seen;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto track = simulate(angle_model(Motion::ConstantVelocity, noise), frames, random);
      const auto column = [&](const Eigen::MatrixXd& m) {
        return torch::from_blob(const_cast<double*>(m.data()), {frames, 1}, torch::kDouble)
            .clone();  // column-major: the first column
      };
      states.push_back(column(track.states)), seen.push_back(column(track.measurements));
    }
    return std::pair{torch::stack(states), torch::stack(seen)};
  };
  const auto [truth, x] = drawn(512, 1);
  const auto [test_truth, test_x] = drawn(400, 2);
  Random random(3);
  models::PostRnn network(models::RecurrentCell::Linear, 1, 2, random);
  training::Task task;
  task.batches_per_epoch = 40;
  const auto inputs = x.to(torch::kFloat), targets = truth.to(torch::kFloat);
  task.batch = [&](std::int64_t, std::int64_t, Random& draw) -> training::Batch {
    const auto rows = torch::tensor(draw.permutation(512)).slice(0, 0, 64);
    return {inputs.index_select(0, rows), targets.index_select(0, rows)};
  };
  const auto settled = [](const torch::Tensor& t) { return t.slice(1, 20); };
  task.forward = [&](const torch::Tensor& batch) { return network.forward(batch); };
  task.loss = [&](const torch::Tensor& y, const torch::Tensor& t) {
    return (settled(y) - settled(t)).square().mean();
  };
  task.validate = [&] {
    return (settled(network.forward(inputs)) - settled(targets)).square().mean().item<double>();
  };
  training::Progress silent(nullptr);
  training::fit(network, {{network.parameters(), 5e-2}}, task, {.epochs = 40}, silent);
  const auto learned = (settled(network.forward(test_x.to(torch::kFloat))) - settled(test_truth))
                           .square()
                           .mean()
                           .item<double>();
  double optimal = 0;
  for (std::int64_t i = 0; i < 400; ++i) {
    const auto z = test_x[i].contiguous();
    const auto track = track_angle(Motion::ConstantVelocity, noise,
                                   {z.data_ptr<double>(), z.data_ptr<double>() + frames});
    for (std::int64_t t = 20; t < frames; ++t)
      optimal += std::pow(track.angle[t] - test_truth[i][t].item<double>(), 2);
  }
  optimal /= 400 * (frames - 20);
  EXPECT_GT(learned, 0.99 * optimal);  // 400 tracks: a difference of 1 % is chance
  EXPECT_LT(learned, 1.10 * optimal);
}

}  // namespace
}  // namespace reprise::baselines
