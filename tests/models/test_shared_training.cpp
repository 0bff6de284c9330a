// Every kind of training of this room by several processes: what is reported is what one process reports, whoever made the rows.
#include <torch/torch.h>

#include "models/adversarial/image_encoder.h"
#include "models/adversarial/mocogan.h"
#include "models/diffusion/diffusion_training.h"
#include "models/translation/digit_unit.h"
#include "models/translation/unit.h"
#include "tests/models/small_prior.h"
#include "tests/worlds.h"
#include "training/progress.h"

namespace reprise::models {
namespace {

training::AdversarialOptions some_iterations() {
  training::AdversarialOptions options{.iterations = 5, .r1 = 0.5, .r1_every = 2, .ema_decay = 0.9, .window = 1};
  options.G.learning_rate = options.D.learning_rate = 1e-3;
  return options;
}

Numbers mocogan(bool lengths) {
  MocoganOptions options{.width_G = 8, .width_D = 8, .d_C = 6, .d_M = 4, .d_E = 4, .actions = Actions::Labels};
  options.batches = {.T = 4, .batch = 7, .frames_per_clip = 2};
  options.training = some_iterations();
  options.training.noise.sigma = 0.2;
  training::Examples examples{.x = drawn_values({20, 6, 3, 8, 8}, 1), .labels = torch::arange(20).remainder(2)};
  if (lengths) examples.lengths = torch::arange(20).remainder(3) + 4;
  training::Progress silent(nullptr);
  Mocogan method(options);
  method.fit(examples, 3, silent);
  return method.report().curves;
}

Numbers unit() {
  UnitOptions options{.network = {.width = 4,
                                  .halvings = 1,
                                  .blocks_E = 2,
                                  .shared_E = 1,
                                  .blocks_G = 2,
                                  .shared_G = 1,
                                  .width_D = 4,
                                  .layers_D = 2,
                                  .shared_D = 1},
                      .batch = 5,
                      .start = UnitStart::He};
  options.training = some_iterations();
  training::Progress silent(nullptr);
  Unit method(options);
  method.fit(drawn_values({12, 3, 16, 16}, 1), drawn_values({12, 3, 16, 16}, 2), 3, silent);
  return method.report().curves;
}

Numbers digits() {
  DigitUnitOptions options;
  options.common.width_G = options.common.width_D = 4;
  options.common.batch = 5;
  options.common.training = some_iterations();
  options.common.training.r1 = 0;
  training::Progress silent(nullptr);
  DigitUnit method(options);
  method.fit(
      {.source = drawn_values({20, 1, 16, 16}, 1), .labels = torch::arange(20).remainder(10), .target = drawn_values({20, 1, 16, 16}, 2)},
      3, silent);
  return method.report().curves;
}

Numbers denoiser() {
  const auto prior = small_prior();
  const LabelledItems items{.x_0 = drawn_values({20, 1, 8, 8}, 1), .labels = torch::arange(20).remainder(2)};
  DiffusionTask task{.draw =
                         [&](std::int64_t n, Random&) {
                           return LabelledItems{items.x_0.slice(0, 0, n), items.labels.slice(0, 0, n)};
                         },
                     .validation = items};
  task.batch = 7;
  task.batches_per_epoch = 3;
  training::Progress silent(nullptr);
  const auto report = fit_denoiser(*prior.D, task, {.epochs = 2, .seed = 3}, silent);
  return {{"loss", report.train_loss}, {"error", report.validation_error}};
}

Numbers encoder() {
  Random random(1);
  MocoganNetwork G(MocoganNetworkOptions{.side = 8, .channels = 3, .width = 8, .d_C = 6, .d_M = 4, .d_E = 4, .d_A = 2});
  draw_adversarial(*G, random);
  G->eval();
  ImageEncoder E(G->options(), ImageEncoderOptions{.width = 8});
  training::Progress silent(nullptr);
  const auto report = fit_encoder(E, G, drawn_values({40, 3, 8, 8}, 1), {.steps = 8, .batch = 5}, 3, silent);
  return {{"loss", report.train_loss}, {"error", report.validation_error}};
}

const Trainings trainings{{"mocogan", [] { return mocogan(false); }},
                          {"mocogan_lengths", [] { return mocogan(true); }},
                          {"unit", unit},
                          {"digits", digits},
                          {"denoiser", denoiser},
                          {"encoder", encoder}};

TEST(SharedTraining, DISABLED_Rank) { train_as_rank(trainings); }

struct SharedTrainings : Worlds {};

TEST_F(SharedTrainings, OfTwoAndThreeProcessesReportWhatOneDoes) { expect_as_one(trainings, {2, 3}, "SharedTraining.DISABLED_Rank"); }

}  // namespace
}  // namespace reprise::models
