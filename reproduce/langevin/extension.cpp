// Table extension: landscapes wider, and videos and sounds longer, than the prior's window.
#include <torch/torch.h>

#include "baselines/diffusion/multidiffusion.h"
#include "datasets/formats/wav.h"
#include "datasets/formats/webp.h"
#include "datasets/transforms/spectrogram.h"
#include "metrics/seams.h"
#include "models/representations/canvas.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/measures.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// Layout of a canvas whose windows are items of a domain.
struct CanvasLayout {
  std::vector<std::int64_t> shape;  ///< shape of one canvas, without the objects' axis
  models::CanvasOptions options;
  std::int64_t axis;  ///< extended axis of the canvas with the objects' axis
};

CanvasLayout plan_canvas(const DomainData& domain, std::int64_t times) {
  const auto& item = domain.metadata.item;
  if (domain.metadata.kind == models::ItemKind::Videos) {
    // Videos extend in time.
    const auto frames = static_cast<std::int64_t>(domain.metadata.measures.at("frames"));
    return {{frames * times, 3, item[1], item[2]}, {.axis = 0, .window = frames, .item = item}, 1};
  }
  // Pictures and spectrograms extend to the right; panoramas wrap.
  return {{item[0], item[1], item[2] * times},
          {.axis = 2, .window = item[2], .wrap = domain.metadata.kind == models::ItemKind::Images},
          3};
}

/// Renders one random window of every object, at a multiple of `stride`. Windows of one canvas are
/// not independent, so each object counts once.
at::Tensor sample_windows(models::Canvas& canvas, bool wraps, std::int64_t stride,
                          std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  Random random(seed);
  const auto last = wraps ? canvas.length() - 1 : canvas.length() - canvas.window();
  std::vector<at::Tensor> psi;
  for (std::int64_t i = 0; i < canvas.objects(); ++i)
    psi.push_back(torch::tensor(
        {static_cast<double>(i), static_cast<double>(stride * random.below(last / stride + 1))},
        at::kDouble));
  return canvas.render(torch::stack(psi)).detach();
}

/// Returns the standard deviation of each item about its mean, [N].
at::Tensor item_std_dev(const at::Tensor& items) { return items.flatten(1).std(1); }

/// Returns each of the first n sounds above a row of real ones of its class, [2 n, C, H, W].
at::Tensor interleave_with_real(const at::Tensor& content, const models::LabelledItems& truth,
                                const at::Tensor& wanted, std::int64_t n) {
  const auto labels = wanted.cpu();
  const auto times = content.size(3) / truth.x_0.size(3);
  std::vector<at::Tensor> rows;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto of_class = (truth.labels == labels[i]).nonzero().flatten();
    rows.push_back(content[i].cpu());
    std::vector<at::Tensor> real;
    for (std::int64_t k = 0; k < times; ++k)
      real.push_back(of_class.numel() == 0
                         ? torch::full_like(truth.x_0[0], -1)
                         : truth.x_0[of_class[k % of_class.numel()].item<std::int64_t>()]);
    rows.push_back(torch::cat(real, 2));
  }
  return torch::stack(rows);
}

/// Writes the canvases as pictures, and videos and sounds also in their own format.
void write_extension(const DomainData& domain, const at::Tensor& content,
                     const models::LabelledItems& truth, const at::Tensor& wanted,
                     const CellContext& context) {
  const auto folder = context.folder;
  if (domain.metadata.kind == models::ItemKind::Images)
    return write_sheet(folder / "extended.png", content, 4, 1);
  if (domain.metadata.kind == models::ItemKind::Videos) {
    write_sheet(folder / "extended.png", content.slice(0, 0, 4).flatten(1, 2), 4, 1);
    const auto frames =
        to_pictures(content[0]).repeat_interleave(4, 1).repeat_interleave(4, 2).contiguous();
    return datasets::write_webp(folder / "extended.webp", frames, 8);
  }
  const auto shown = std::min<std::int64_t>(4, content.size(0));
  write_sheet(folder / "extended.png", interleave_with_real(content, truth, wanted, shown).flip(2),
              2 * shown, 1);
  const datasets::SpectrogramOptions options{.bands = domain.metadata.item[1]};
  // A spectrogram has no phases; they start at random.
  Random random(shared_seed(context, "phases"));
  datasets::write_wav(
      folder / "extended.wav",
      {datasets::reconstruct_sound(content[0][0].cpu().clamp(-1, 1), options, random),
       options.rate});
}

/// Adds metrics of windows, whose objects were given class `wanted`.
void record_windows(const at::Tensor& windows, const at::Tensor& wanted, const at::Tensor& real,
                    const models::Evaluator& evaluator, CellContext& context) {
  auto& record = context.record;
  record_distances(evaluator, evaluator.features(windows), evaluator.features(real), "", context);
  const auto probabilities = evaluator.probabilities(windows);
  record_confidence(evaluator, "confidence", probabilities, record);
  record_agreement(evaluator, "target_reached", probabilities, wanted, true, record);
  // Contrast relative to real items: near 0 if disagreeing windows were averaged to grey.
  add_metric(record, "contrast", average(item_std_dev(windows)) / average(item_std_dev(real)),
             Direction::Neither);
}

}  // namespace

void run_extension(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto config = choose_configuration(context);
  const auto domain = load_cell_domain(context);
  const auto& truth = evaluation_items(domain, record.cell);
  const auto D = load_trained_prior(context, Network::Main);
  const auto evaluator = load_trained_evaluator(context, domain);
  const auto seed = seed_of(
      {"langevin", record.cell.table, record.cell.dataset, std::to_string(record.cell.seed)});
  const auto device = cell_device(context);
  // The layout of the canvases, one for each object.
  auto [shape, options, axis] = plan_canvas(domain, settings.integer("extension.times"));
  options.overlap = static_cast<std::int64_t>(config.value_or("overlap", 1));
  const auto objects = std::min(settings.integer("extension.objects"), truth.x_0.size(0));
  const auto real = truth.x_0.slice(0, 0, objects).to(device);
  // Control: further items of the same split.
  if (config.method.algorithm == Algorithm::RealItems) {
    const auto others = truth.x_0.slice(0, objects, 2 * objects);
    record_windows(others.to(device),
                   class_indices(domain, truth.labels.slice(0, objects, 2 * objects)), real,
                   evaluator, context);
    const auto in_row = settings.integer("extension.times");
    return write_sheet(context.folder / "extended.png",
                       domain.metadata.kind == models::ItemKind::Sounds ? others.flip(2) : others,
                       4 * in_row, in_row);
  }
  std::vector<std::int64_t> all{objects};
  all.insert(all.end(), shape.begin(), shape.end());
  models::Canvas canvas(torch::zeros(all, torch::TensorOptions().device(device)), options);
  // Classes take turns.
  const auto wanted = torch::arange(objects, at::kLong).remainder(class_count(domain)).to(device);
  const auto guidance = config.value_or("guidance", settings.number("extension.guidance"));
  const auto steered = models::make_guided_denoiser(D, guidance);
  const auto sampler = models::make_stochastic({.steps = settings.integer("quality.steps"),
                                                .sigma_min = settings.number("inversion.sigma_min"),
                                                .sigma_max = D.sigma_high()});
  const auto generator = training::torch_generator(seed);
  // Samplers of windows, or rounds of the loop.
  if (config.method.algorithm == Algorithm::IndependentCrops) {
    baselines::sample_independent_crops(canvas, *steered, {.sampler = sampler}, generator, wanted);
  } else if (config.method.algorithm == Algorithm::MultiDiffusion) {
    baselines::multidiffusion(canvas, *steered, {.sampler = sampler}, generator, wanted);
  } else {
    const auto loop = synthesis_options(config, "extension", settings, seed);
    run_rounds(
        canvas, config, *steered, *D.D, loop, {.D = wanted},
        [&](const models::SynthesisRound& round) { report_round(round, loop.rounds, context); });
  }
  const auto content = canvas.content().detach();
  // Seams lie at multiples of the window. A canvas that wraps has one at 0 too.
  std::vector<std::int64_t> seams;
  for (auto at = options.wrap ? 0 : options.window; at < content.size(axis); at += options.window)
    seams.push_back(at);
  add_metric(record, "seam", metrics::seam_energy(content, axis, seams), Direction::LowerIsBetter,
             "", "seam over elsewhere");
  record_windows(sample_windows(canvas, options.wrap, 1, seed), wanted, real, evaluator, context);
  // Windows as they were sampled, not across a border of two.
  if (config.method.algorithm == Algorithm::IndependentCrops)
    record_distances(evaluator,
                     evaluator.features(sample_windows(canvas, options.wrap, options.window, seed)),
                     evaluator.features(real), "_own", context);
  write_extension(domain, content, truth, wanted, context);
}

}  // namespace reprise::reproduce::langevin_study
