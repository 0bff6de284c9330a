// Table object: 3-D objects fitted to a prior of 2-D views (document, [0004], [0018]).
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "baselines/diffusion/score_distillation.h"
#include "core/error.h"
#include "datasets/formats/webp.h"
#include "datasets/generators/solids.h"
#include "experiments/resampling.h"
#include "models/representations/radiance_field.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/measures.h"
#include "training/progress.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// Returns the scene of a text: one solid in the middle, or two side by side.
datasets::SolidScene place_solids(std::int64_t combination) {
  auto scene = datasets::solid_combinations()[static_cast<std::size_t>(combination)];
  if (scene.count == 1)
    // A single solid is large; two solids are small enough to stand side by side.
    scene.placed[0] = {.size = 0.52, .turn = 20};
  else
    scene.placed = {datasets::PlacedSolid{.size = 0.27, .x = 0.4, .y = 0.1},
                    datasets::PlacedSolid{.size = 0.27, .x = -0.4, .y = -0.1, .turn = 40}};
  return scene;
}

/// Poses psi of every object for some cameras, [objects cameras, 13], and the true views, [objects
/// cameras, 3, S, S].
struct Views {
  at::Tensor psi;
  at::Tensor truth;
};
Views render_true_views(const std::vector<std::int64_t>& combinations,
                        const std::vector<std::pair<double, double>>& cameras, std::int64_t size) {
  std::vector<at::Tensor> psi;
  std::vector<at::Tensor> truth;
  for (std::size_t object = 0; object < combinations.size(); ++object)
    for (const auto& [azimuth, elevation] : cameras) {
      psi.push_back(torch::cat({torch::full({1}, static_cast<double>(object), at::kDouble),
                                datasets::solid_pose(azimuth, elevation).flatten()}));
      truth.push_back(datasets::render_solid(place_solids(combinations[object]), azimuth, elevation,
                                             static_cast<int>(size)));
    }
  return {torch::stack(psi), to_items(torch::stack(truth))};
}

at::Tensor render_field(models::Representation& phi, const at::Tensor& psi) {
  const torch::NoGradGuard no_grad;
  return models::map_batches(psi.size(0), 8,
                             [&](const auto& part) { return phi.render(part(psi)).detach(); });
}

/// Chooses the texts of the objects. They differ by data seed, but the text that the prior never
/// saw is always the first.
std::vector<std::int64_t> choose_objects(const CellContext& context) {
  const auto& settings = context.settings;
  const auto known = list_allowed_solids(settings);
  std::vector<std::int64_t> combinations;
  // The held-out text comes first.
  for (const auto combination : known)
    if (datasets::describe_scene(place_solids(combination)) == settings.text("solids.held_out"))
      combinations.push_back(combination);
  const auto texts_seed =
      seed_of({"langevin", context.record.cell.table, std::to_string(cell_data_seed(context))});
  for (const auto i : Random(texts_seed).permutation(static_cast<std::int64_t>(known.size()))) {
    const auto combination = known[static_cast<std::size_t>(i)];
    // Others in a random order, without repetition.
    if (static_cast<std::int64_t>(combinations.size()) < settings.integer("object.objects") &&
        std::find(combinations.begin(), combinations.end(), combination) == combinations.end())
      combinations.push_back(combination);
  }
  return combinations;
}

/// Renders all objects side by side from all around, one pixel per ray: [T, H, W, 3].
at::Tensor render_turntable(models::Representation& phi, std::int64_t objects, std::int64_t size) {
  // Views per turn, 20 degrees apart.
  constexpr int views = 18;
  std::vector<at::Tensor> frames;
  for (int t = 0; t < views; ++t) {
    std::vector<at::Tensor> psi;
    for (std::int64_t object = 0; object < objects; ++object)
      psi.push_back(torch::cat({torch::full({1}, static_cast<double>(object), at::kDouble),
                                datasets::solid_pose(360.0 * t / views, 25).flatten()}));
    const auto pictures = to_pictures(render_field(phi, torch::stack(psi)));  // [objects, S, S, 3]
    frames.push_back(pictures.permute({1, 0, 2, 3}).reshape({size, objects * size, 3}));
  }
  return torch::stack(frames).contiguous();
}

models::RadianceField make_field(std::int64_t objects, std::int64_t size, const Settings& settings,
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
  const auto config = choose_configuration(context);
  const auto domain = load_cell_domain(context);
  const auto D = load_trained_prior(context, Network::Main);
  const auto evaluator = load_trained_evaluator(context, domain);
  const auto seed = seed_of({"langevin", record.cell.table, std::to_string(record.cell.seed)});
  const auto device = cell_device(context);
  const auto size = domain.metadata.item[1];

  const auto combinations = choose_objects(context);
  std::vector<at::Tensor> tokens;
  for (const auto combination : combinations)
    tokens.push_back(datasets::solid_tokens(datasets::describe_scene(place_solids(combination))));
  const auto texts = torch::stack(tokens);

  // Degrees of azimuth and elevation: one reference view, eight held-out ones.
  const auto reference = render_true_views(combinations, {{30, 30}}, size);
  const auto reference_truth = reference.truth.to(device);
  const auto held_out = render_true_views(
      combinations,
      {{0, 15}, {75, 40}, {120, 20}, {165, 30}, {210, 45}, {255, 25}, {300, 35}, {345, 20}}, size);

  auto field = make_field(static_cast<std::int64_t>(combinations.size()), size, settings, seed);
  field.to(device);
  // Each object is conditioned on its text.
  const models::Conditions conditions{.D = texts.to(device)};
  const auto steered = models::make_guided_denoiser(
      D, config.value_or("guidance", settings.number("object.guidance")));
  const auto options = synthesis_options(config, "object", settings, seed);
  const auto rounds = options.rounds;
  const auto follow_reference = [&](std::int64_t round) {
    context.progress.update(
        std::min(1.0, static_cast<double>(round + 1) / static_cast<double>(rounds)),
        fmt::format("round {}", round + 1));
    // Methods with a reference view also fit it in every round.
    if (!config.method.text_alone) field.fit(reference.psi, reference_truth);
  };
  if (config.method.algorithm == Algorithm::ReferenceAlone) {
    for (std::int64_t round = 0; round < rounds; ++round) follow_reference(round);
  } else if (config.method.algorithm == Algorithm::ScoreDistillation) {
    // Score distillation has steps rather than rounds; it fits the reference equally often.
    const auto steps = settings.integer("object.sds_steps");
    const auto steps_a_round = std::max<std::int64_t>(1, steps / rounds);
    baselines::distil(field, *steered,
                      {.steps = steps,
                       .rate = config.value_or("rate", settings.number("object.fit_rate")),
                       .sigma_min = settings.number("object.last"),
                       .sigma_max = config.value_or("first", settings.number("object.first")),
                       .seed = seed},
                      conditions.D, [&](const baselines::DistillationStep& step) {
                        if (step.number % steps_a_round == 0)
                          follow_reference(step.number / steps_a_round);
                      });
  } else {
    run_rounds(field, config, *steered, *D.D, options, conditions,
               [&](const models::SynthesisRound& round) { follow_reference(round.number); });
  }
  const auto seen = render_field(field, held_out.psi);
  add_metric(record, "psnr_held_out", mean_psnr(seen.cpu(), held_out.truth),
             Direction::HigherIsBetter, "dB");
  add_metric(record, "psnr_reference",
             mean_psnr(render_field(field, reference.psi), reference_truth),
             Direction::HigherIsBetter, "dB");
  const auto requested = texts.index_select(0, held_out.psi.select(1, 0).to(at::kLong));
  const auto probabilities = evaluator.probabilities(seen);
  const auto wanted = class_indices(domain, requested);
  // Mean probability of the requested text.
  const auto surely = [&wanted](const at::Tensor& by_class) {
    return average(by_class.gather(1, wanted.unsqueeze(1)));
  };
  record_agreement(evaluator, "target_reached", probabilities, wanted, false, record);
  add_metric(record, "target_probability", surely(probabilities), Direction::HigherIsBetter, "",
             evaluator.protocol("probability"));
  add_metric(record, "target_probability_true",
             surely(evaluator.probabilities(held_out.truth.to(device))), Direction::Neither, "",
             evaluator.protocol("probability"));
  // Views per object. The first object has the text that the prior never saw.
  const auto views = held_out.psi.size(0) / static_cast<std::int64_t>(combinations.size());
  record_agreement(evaluator, "target_reached_unseen", probabilities.slice(0, 0, views),
                   wanted.slice(0, 0, views), false, record);
  record_confidence(evaluator, "confidence", probabilities, record);
  write_sheet(context.folder / "views.png", seen, seen.size(0), views);
  datasets::write_webp(
      context.folder / "turn.webp",
      render_turntable(field, static_cast<std::int64_t>(combinations.size()), size), 8);
  // True views are the same for every method.
  if (is_shown(settings, record.cell.seed))
    write_sheet(context.folder / "truth.png", held_out.truth, seen.size(0), views);
}

}  // namespace reprise::reproduce::langevin_study
