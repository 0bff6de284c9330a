// Table object: 3-D objects, made by a prior that knows pictures alone (document, [0004], [0018]).
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "baselines/diffusion/score_distillation.h"
#include "core/error.h"
#include "datasets/formats/webp.h"
#include "datasets/generators/solids.h"
#include "experiments/replicates.h"
#include "models/representations/radiance_field.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "training/progress.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// A solid of each text, alone in the middle, or two side by side.
datasets::SolidScene scene_of(std::int64_t combination) {
  auto scene = datasets::solid_combinations()[static_cast<std::size_t>(combination)];
  if (scene.count == 1)
    scene.placed[0] = {.size = 0.52, .turn = 20};
  else
    scene.placed = {datasets::PlacedSolid{.size = 0.27, .x = 0.4, .y = 0.1},
                    datasets::PlacedSolid{.size = 0.27, .x = -0.4, .y = -0.1, .turn = 40}};
  return scene;
}

/// psi of every object from these cameras, and the true views: [objects cameras, 13], [objects
/// cameras, 3, S, S].
struct Views {
  at::Tensor psi, truth;
};
Views views_from(const std::vector<std::int64_t>& combinations,
                 const std::vector<std::pair<double, double>>& cameras, std::int64_t size) {
  std::vector<at::Tensor> psi, truth;
  for (std::size_t object = 0; object < combinations.size(); ++object)
    for (const auto& [azimuth, elevation] : cameras) {
      psi.push_back(torch::cat({torch::full({1}, static_cast<double>(object), at::kDouble),
                                datasets::solid_pose(azimuth, elevation).flatten()}));
      truth.push_back(datasets::render_solid(scene_of(combinations[object]), azimuth, elevation,
                                             static_cast<int>(size)));
    }
  return {torch::stack(psi), items_of(torch::stack(truth))};
}

at::Tensor rendered(models::Representation& phi, const at::Tensor& psi) {
  const torch::NoGradGuard no_grad;
  return models::in_batches(psi.size(0), 8,
                            [&](const auto& part) { return phi.render(part(psi)).detach(); });
}

/// The combinations that this replicate's objects have: others for every replicate of the data, but
/// the one that the prior never saw is always among them.
std::vector<std::int64_t> objects_of(const CellContext& context) {
  const auto& settings = context.settings;
  const auto known = solid_texts(settings);
  std::vector<std::int64_t> combinations;
  for (const auto combination : known)
    if (datasets::text(scene_of(combination)) == settings.text("solids.held_out"))
      combinations.push_back(combination);
  const auto texts_seed =
      seed_of({"langevin", context.record.cell.table, std::to_string(data_seed_of(context))});
  for (const auto i : Random(texts_seed).permutation(static_cast<std::int64_t>(known.size()))) {
    const auto combination = known[static_cast<std::size_t>(i)];
    if (static_cast<std::int64_t>(combinations.size()) < settings.integer("object.objects") &&
        std::find(combinations.begin(), combinations.end(), combination) == combinations.end())
      combinations.push_back(combination);
  }
  return combinations;
}

/// All objects side by side, seen from all around, a pixel a ray (pages enlarge it): [T, H, W, 3].
at::Tensor turned(models::Representation& phi, std::int64_t objects, std::int64_t size) {
  constexpr int views = 18;
  std::vector<at::Tensor> frames;
  for (int t = 0; t < views; ++t) {
    std::vector<at::Tensor> psi;
    for (std::int64_t object = 0; object < objects; ++object)
      psi.push_back(torch::cat({torch::full({1}, static_cast<double>(object), at::kDouble),
                                datasets::solid_pose(360.0 * t / views, 25).flatten()}));
    const auto pictures = pictures_of(rendered(phi, torch::stack(psi)));  // [objects, S, S, 3]
    frames.push_back(pictures.permute({1, 0, 2, 3}).reshape({size, objects * size, 3}));
  }
  return torch::stack(frames).contiguous();
}

models::RadianceField empty_field(std::int64_t objects, std::int64_t size, const Settings& settings,
                                  std::uint64_t seed) {
  return models::RadianceField({.objects = objects,
                                .size = size,
                                .focal = datasets::solid_focal(static_cast<int>(size)),
                                .samples = settings.integer("object.samples"),
                                .width = settings.integer("object.width"),
                                .frequencies = settings.integer("object.frequencies"),
                                .cameras = settings.integer("object.cameras"),
                                .camera_radius = datasets::solid_distance,
                                .elevation_low = 10,
                                .elevation_high = 50,
                                .rays = settings.integer("object.rays"),
                                .fit = {.steps = settings.integer("object.fit_steps"),
                                        .rate = settings.number("object.fit_rate")},
                                .seed = seed});
}

}  // namespace

void run_object(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto variant = chosen_variant(context);
  const auto domain = domain_data(context);
  const auto D = trained_prior(context, Network::Main);
  const auto evaluator = trained_evaluator(context, domain);
  const auto seed = seed_of({"langevin", record.cell.table, std::to_string(record.cell.seed)});
  const auto device = device_of_context(context);
  const auto size = domain.facts.item[1];

  const auto combinations = objects_of(context);
  std::vector<at::Tensor> tokens;
  for (const auto combination : combinations)
    tokens.push_back(datasets::solid_tokens(datasets::text(scene_of(combination))));
  const auto texts = torch::stack(tokens);

  const auto reference = views_from(combinations, {{30, 30}}, size);
  const auto reference_truth = reference.truth.to(device);
  const auto held_out = views_from(
      combinations,
      {{0, 15}, {75, 40}, {120, 20}, {165, 30}, {210, 45}, {255, 25}, {300, 35}, {345, 20}}, size);

  auto field = empty_field(static_cast<std::int64_t>(combinations.size()), size, settings, seed);
  field.to(device);
  const models::Conditions conditions{.D = texts.to(device)};
  const auto steered =
      models::guided(D, variant.or_else("guidance", settings.number("object.guidance")));
  const auto options = synthesis_options(variant, "object", settings, seed);
  const auto rounds = options.rounds;
  const auto follow_reference = [&](std::int64_t round) {
    context.progress.update(
        std::min(1.0, static_cast<double>(round + 1) / static_cast<double>(rounds)),
        fmt::format("round {}", round + 1));
    if (!variant.method.text_alone) field.fit(reference.psi, reference_truth);
  };
  if (variant.method.algorithm == Algorithm::ReferenceAlone) {
    for (std::int64_t round = 0; round < rounds; ++round) follow_reference(round);
  } else if (variant.method.algorithm == Algorithm::ScoreDistillation) {
    const auto steps = settings.integer("object.sds_steps"),
               steps_a_round = std::max<std::int64_t>(1, steps / rounds);
    baselines::distil(field, *steered,
                      {.steps = steps,
                       .rate = variant.or_else("rate", settings.number("object.fit_rate")),
                       .sigma_min = settings.number("object.last"),
                       .sigma_max = variant.or_else("first", settings.number("object.first")),
                       .seed = seed},
                      conditions.D, [&](const baselines::DistillationStep& step) {
                        if (step.number % steps_a_round == 0)
                          follow_reference(step.number / steps_a_round);
                      });
  } else {
    run_rounds(field, variant, *steered, *D.D, options, conditions,
               [&](const models::Round& round) { follow_reference(round.number); });
  }
  const auto seen = rendered(field, held_out.psi);
  note(record, "psnr_held_out", mean_psnr(seen.cpu(), held_out.truth), Direction::HigherIsBetter,
       "dB");
  note(record, "psnr_reference", mean_psnr(rendered(field, reference.psi), reference_truth),
       Direction::HigherIsBetter, "dB");
  const auto asked = texts.index_select(0, held_out.psi.select(1, 0).to(at::kLong));
  const auto probabilities = evaluator.probabilities(seen);
  const auto wanted = classes_of(domain, asked);
  const auto surely = [&wanted](const at::Tensor& by_class) {
    return average(by_class.gather(1, wanted.unsqueeze(1)));
  };
  note_agreement(evaluator, "target_reached", probabilities, wanted, false, record);
  note(record, "target_probability", surely(probabilities), Direction::HigherIsBetter, "",
       evaluator.protocol("probability"));
  note(record, "target_probability_true",
       surely(evaluator.probabilities(held_out.truth.to(device))), Direction::Neither, "",
       evaluator.protocol("probability"));
  const auto views = held_out.psi.size(0) / static_cast<std::int64_t>(combinations.size());
  note_agreement(evaluator, "target_reached_unseen", probabilities.slice(0, 0, views),
                 wanted.slice(0, 0, views), false, record);
  note_confidence(evaluator, "confidence", probabilities, record);
  write_sheet(context.folder / "views.png", seen, seen.size(0), views);
  datasets::write_webp(context.folder / "turn.webp",
                       turned(field, static_cast<std::int64_t>(combinations.size()), size), 8);
  if (is_shown(settings, record.cell.seed))
    write_sheet(context.folder / "truth.png", held_out.truth, seen.size(0), views);
}

}  // namespace reprise::reproduce::langevin_study
