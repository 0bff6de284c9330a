// Every kind of training of this room by several processes: what is learned and reported is what one process learns, whoever made the rows.
#include <torch/torch.h>

#include "baselines/adaptation/classifiers.h"
#include "baselines/adaptation/cogan.h"
#include "baselines/adversarial/clip_gan.h"
#include "tests/worlds.h"
#include "training/progress.h"

namespace reprise::baselines {
namespace {

training::AdversarialOptions some_iterations() {
  training::AdversarialOptions options{.iterations = 5, .ema_decay = 0.9, .window = 1};
  options.G.learning_rate = options.D.learning_rate = 1e-3;
  return options;
}

Numbers clips(ClipNetworkKind kind) {
  ClipGan method({.kind = kind, .width_G = 4, .width_D = 4, .d_z = 4, .T = 4, .batch = 7, .training = some_iterations()});
  training::Progress silent(nullptr);
  method.fit({.x = drawn_values({20, 6, 3, 16, 16}, 1)}, 3, silent);
  return method.report().curves;
}

training::AdaptationData digits() {
  return {
      .source = drawn_values({20, 1, 16, 16}, 1), .labels = torch::arange(20).remainder(10), .target = drawn_values({20, 1, 16, 16}, 2)};
}

Numbers of_probabilities(training::Adapter& method) {
  const auto p = method.probabilities(drawn_values({6, 1, 16, 16}, 3), training::Domain::B).to(torch::kDouble).contiguous();
  return {{"probabilities", {p.const_data_ptr<double>(), p.const_data_ptr<double>() + p.numel()}}};
}

Numbers dann() {
  SourceClassifier method(
      {.width = 4, .batch = 5, .iterations = 10, .learning_rate = 1e-3, .adversarial = true, .warm_up = 0, .watch_every = 5});
  training::Progress silent(nullptr);
  method.fit(digits(), 3, silent);
  return of_probabilities(method);
}

Numbers cogan() {
  models::DigitAdversaryOptions options{.width_G = 4, .width_D = 4, .batch = 5, .training = some_iterations()};
  options.training.G.learning_rate = options.training.D.learning_rate = 1e-4;  // five values to a statistic of G's first layer
  training::Progress silent(nullptr);
  Cogan method(options);
  method.fit(digits(), 3, silent);
  return method.report().curves;
}

const Trainings trainings{{"vgan", [] { return clips(ClipNetworkKind::Vgan); }},
                          {"tgan", [] { return clips(ClipNetworkKind::Tgan); }},
                          {"dann", dann},
                          {"cogan", cogan}};

TEST(SharedTraining, DISABLED_Rank) { train_as_rank(trainings); }

struct SharedTrainings : Worlds {};

TEST_F(SharedTrainings, OfTwoAndThreeProcessesLearnWhatOneDoes) { expect_as_one(trainings, {2, 3}, "SharedTraining.DISABLED_Rank"); }

}  // namespace
}  // namespace reprise::baselines
