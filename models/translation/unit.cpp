#include "models/translation/unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "training/draw_indices.h"

namespace reprise::models {
namespace {

using training::DiscriminatorOutput;
using training::Domain;
using training::Items;
using training::ScoredBatch;

// Positions of items in a batch of the task. A real batch has two items. A generated batch has the
// streams in this order, domain 2 first like the real one: diversity is measured on the first item.
constexpr std::size_t real_2 = 0, real_1 = 1;
constexpr std::size_t x12_at = 0, x22_at = 1, mu_1_at = 2, mu_2_at = 3, x11_at = 4, x21_at = 5;
constexpr std::size_t mu_12_at = 6, mu_21_at = 7, x121_at = 8, x212_at = 9;

/// Refuses sets that are empty, too small or of different shapes.
void require_sets_of_unit(const at::Tensor& a, const at::Tensor& b) {
  for (const auto& [x, name] : {std::pair{&a, "A"}, {&b, "B"}}) {
    if (!x->defined() || x->dim() != 4 || x->size(0) == 0)
      throw UsageError(fmt::format("the set of pictures {} is empty or not [N, C, H, W]", name),
                       "give both sets, N at least 2");
    if (x->size(0) < 2)
      throw UsageError(fmt::format("the set of pictures {} has one picture", name),
                       "give at least 2 of each domain");
  }
  if (a.sizes().slice(1) != b.sizes().slice(1))
    throw UsageError(
        fmt::format("pictures of A are [{}], those of B [{}]", fmt::join(a.sizes().slice(1), ", "),
                    fmt::join(b.sizes().slice(1), ", ")),
        "bring both sets to one size and one number of channels");
}

/// Orders the streams as the positions above.
Items pack_items(const UnitStreams& s, const UnitCycles* c) {
  Items items{s.x12, s.x22, s.mu_1, s.mu_2};
  if (s.x11.defined()) items.insert(items.end(), {s.x11, s.x21});
  if (c) items.insert(items.end(), {c->mu_12, c->mu_21, c->x121, c->x212});
  return items;
}

/// The streams of pack_items().
UnitStreams unpack_streams(const Items& items) {
  UnitStreams s{.mu_1 = items[mu_1_at],
                .mu_2 = items[mu_2_at],
                .x11 = {},
                .x12 = items[x12_at],
                .x22 = items[x22_at],
                .x21 = {}};
  if (items.size() > x21_at) {
    s.x11 = items[x11_at];
    s.x21 = items[x21_at];
  }
  return s;
}

/// The objective of E and G without L_GAN.
at::Tensor objective(const Items& real, const Items& generated, const UnitWeights& weights) {
  UnitCycles cycles;
  const bool cycle = generated.size() > x212_at;
  if (cycle)
    cycles = {.mu_12 = generated[mu_12_at],
              .mu_21 = generated[mu_21_at],
              .x121 = generated[x121_at],
              .x212 = generated[x212_at]};
  const auto streams = unpack_streams(generated);
  const auto terms =
      unit_terms(real[real_1], real[real_2], streams, cycle ? &cycles : nullptr, weights);
  auto sum = terms.vae_1 + terms.vae_2;
  if (cycle) sum = sum + terms.cc_1 + terms.cc_2;
  if (weights.registration == 0) return sum;
  sum = sum + weights.registration * registration_loss(real[real_1], streams.x12);
  // A one-way system has no x21.
  if (streams.x21.defined())
    sum = sum + weights.registration * registration_loss(real[real_2], streams.x21);
  return sum;
}

/// Distances of both translations from the paired pictures.
at::Tensor paired_objective(const Items& real, const Items& generated, const UnitWeights& weights) {
  return weights.lambda2 * (distance_to(real[real_2], generated[x12_at], weights.reading) +
                            distance_to(real[real_1], generated[x21_at], weights.reading));
}

}  // namespace

void Unit::fit(const at::Tensor& a, const at::Tensor& b, std::uint64_t seed,
               training::Progress& progress) {
  require_sets_of_unit(a, b);
  if (options_.paired && (options_.network.one_way || a.size(0) != b.size(0)))
    throw UsageError(
        fmt::format("pairs of {} pictures of A and {} of B{}", a.size(0), b.size(0),
                    options_.network.one_way ? ", one way" : ""),
        "give sets of equal size with the same scene at each index, and a two-way system");
  if (options_.cycle && options_.network.one_way)
    throw UsageError("a one-way system (fig. 1E) cannot close a cycle", "set cycle = false");
  auto network = options_.network;
  network.channels_1 = a.size(1);
  network.channels_2 = a.size(1);
  G_ = UnitNetwork(network);
  D_ = UnitDiscriminators(network);
  Random random = Random(seed).split("weights");
  draw_unit(*G_, options_.start, options_.equal_start, random);
  draw_unit(*D_, options_.start, options_.equal_start, random);
  for (const auto* name : {"G", "D"})
    if (named_children().contains(name)) unregister_module(name);
  register_module("G", G_);
  register_module("D", D_);
  to(a.device());
  // Refuses sizes that do not fit, before training.
  G_->encode(a.slice(0, 0, 1), Domain::A);
  auto training = options_.training;
  training.seed = seed;
  training.weight = options_.paired ? 0 : options_.weights.lambda0;
  report_ = training::fit_adversarial(make_task(a, b), training, progress);
}

training::GanTask Unit::make_task(const at::Tensor& a, const at::Tensor& b) {
  const bool one_way = options_.network.one_way;
  const bool reconstructions = options_.discriminate_reconstructions;
  training::GanTask task{.G = G_.ptr(),
                         .D = D_.ptr(),
                         .discriminators = (one_way ? 1 : 2) * options_.network.scales_D};
  task.draw_real = [&a, &b, n = options_.batch, paired = options_.paired](Random& random) {
    auto of_a = random.split("a"), of_b = random.split("b");
    // Pairs have the same index in both sets; else the sets are drawn independently.
    const auto in_a = training::draw_indices(n, a.size(0), of_a, a.device());
    const auto in_b = paired ? in_a : training::draw_indices(n, b.size(0), of_b, b.device());
    return Items{b.index_select(0, in_b), a.index_select(0, in_a)};
  };
  task.generate = [this](const Items& real, Random&) {
    const auto streams = G_->streams(real[real_1], real[real_2]);
    if (!options_.cycle) return pack_items(streams, nullptr);
    const auto cycles = G_->cycles(streams);
    return pack_items(streams, &cycles);
  };
  task.discriminate = [this, one_way, reconstructions](const Items& items, const at::Tensor&) {
    const auto seen = [&](std::size_t translation, std::size_t reconstruction) {
      return reconstructions ? at::cat({items[translation], items[reconstruction]})
                             : items[translation];
    };
    const bool real = items.size() == 2;
    DiscriminatorOutput output{
        .logits = D_->compute_logits(real ? items[real_2] : seen(x12_at, x22_at), Domain::B),
        .extra = {}};
    if (one_way) return output;
    for (auto& logits : D_->compute_logits(real ? items[real_1] : seen(x21_at, x11_at), Domain::A))
      output.logits.push_back(std::move(logits));
    return output;
  };
  task.extra_loss_G = [this](const Items& real, const ScoredBatch& generated) {
    return options_.paired ? paired_objective(real, generated.items, options_.weights)
                           : objective(real, generated.items, options_.weights);
  };
  task.evaluate = options_.evaluate;
  task.describe = options_.describe;
  if (options_.watch)
    task.constrain = [this](std::int64_t step) {
      options_.watch(step);
      G_->train();  // `watch` leaves it in evaluation mode
    };
  return task;
}

at::Tensor Unit::decode_mean(const at::Tensor& x, Domain of, Domain into) {
  if (!G_) throw UsageError("this translator was not fitted", "call fit() first");
  constexpr std::int64_t at_a_time = 64;  // pictures; bounds memory
  const torch::NoGradGuard no_grad;
  G_->eval();
  const auto device = G_->parameters().front().device();
  std::vector<at::Tensor> parts;
  for (const auto& part : x.split(at_a_time))
    parts.push_back(G_->decode(G_->encode(part.to(device), of), into).to(x.device()));
  return at::cat(parts);
}

at::Tensor Unit::translate(const at::Tensor& x, Domain from) {
  return decode_mean(x, from, other(from));
}

at::Tensor Unit::reconstruct(const at::Tensor& x, Domain of) { return decode_mean(x, of, of); }

at::Tensor Unit::code(const at::Tensor& x, Domain of) {
  if (!G_) throw UsageError("this translator was not fitted", "call fit() first");
  const torch::NoGradGuard no_grad;
  G_->eval();
  return G_->encode(x.to(G_->parameters().front().device()), of).to(x.device());
}

}  // namespace reprise::models
