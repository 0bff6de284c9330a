#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "training/adversarial.h"
#include "training/data_parallel.h"

namespace reprise::training {

void check_gan_task(const GanTask& task, const AdversarialOptions& options) {
  const auto require = [](bool right, const std::string& problem, const std::string& fix) {
    if (!right) throw UsageError("adversarial training: " + problem, fix);
  };
  require(task.G && task.D && task.draw_real && task.generate && task.discriminate,
          "the GAN task lacks G, D, draw_real, generate or discriminate", "set all five");
  require(!task.G->parameters().empty() && !task.D->parameters().empty(),
          "G or D has no parameters", "give both some to train");
  for (const auto* network : {&options.G, &options.D})
    require(network->learning_rate >= 0 && std::isfinite(network->learning_rate),
            fmt::format("a learning rate of {}", network->learning_rate),
            "use a finite rate of at least 0");
  require(task.discriminators >= 1, fmt::format("{} discriminators", task.discriminators),
          "give at least one");
  require(options.seconds >= 0 && std::isfinite(options.seconds) &&
              (options.seconds == 0 || data_parallel::size() == 1),
          fmt::format("a training of {} seconds by {} processes", options.seconds,
                      data_parallel::size()),
          "use 0 (no clock) or more, and a clock in a single process only");
  require(options.iterations >= 0 && options.window >= 1 && options.r1_every >= 1 &&
              options.discriminator_every >= 1,
          "iterations is below 0, or window, r1_every or discriminator_every below 1",
          "use counts");
  const auto first_evaluation =
      options.evaluate_after.empty() ? 1 : *options.evaluate_after.begin();
  require(first_evaluation > 0, fmt::format("an evaluation after iteration {}", first_evaluation),
          "evaluate after iteration 1 at the earliest");
  require(options.decay_from >= 0 && options.decay_from <= 1,
          fmt::format("the learning rates fall from {} on", options.decay_from),
          "use a fraction of the iterations from 0 to 1; 1: no decay");
  require(options.weight >= 0,
          fmt::format("the adversarial loss has a weight of {}", options.weight),
          "use 0 (no adversarial loss) or more");
  require(options.r1 >= 0, fmt::format("r1 is {}", options.r1), "use 0 (none) or more");
  require(options.ema_decay >= 0 && options.ema_decay < 1,
          fmt::format("ema_decay is {}", options.ema_decay), "use a decay in [0, 1); 0 is none");
  const auto& noise = options.noise;
  require(noise.sigma >= 0 && noise.speed >= 0 && noise.most >= noise.sigma,
          fmt::format("noise from {} to at most {}, {} per iteration", noise.sigma, noise.most,
                      noise.speed),
          "use a sigma from 0 to `most`, and a speed of at least 0");
  require(noise.target == 0 || (noise.target > 0.5 && noise.target < 1),
          fmt::format("the noise follows an accuracy of {}", noise.target),
          "use a target between 0.5 (chance) and 1, or 0: constant noise");
}

}  // namespace reprise::training
