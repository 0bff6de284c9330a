// Table extension: what is longer than the prior's window. A landscape wider than any that it saw,
// a video and a sound that last longer.
#include <torch/torch.h>

#include "baselines/diffusion/multidiffusion.h"
#include "datasets/formats/wav.h"
#include "datasets/formats/webp.h"
#include "datasets/transforms/spectrogram.h"
#include "metrics/seams.h"
#include "models/representations/canvas.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {
namespace {

using records::Direction;

/// A canvas that a domain's items are windows of.
struct Extended {
  std::vector<std::int64_t> shape;  ///< of one, without the objects' axis
  models::CanvasOptions options;
  std::int64_t axis;  ///< of the canvas with the objects' axis
};

Extended extended(const DomainData& domain, std::int64_t times) {
  const auto& item = domain.facts.item;
  if (domain.facts.kind == models::ItemKind::Videos) {
    const auto frames = static_cast<std::int64_t>(domain.facts.measures.at("frames"));
    return {{frames * times, 3, item[1], item[2]}, {.axis = 0, .window = frames, .item = item}, 1};
  }
  return {{item[0], item[1], item[2] * times},
          {.axis = 2, .window = item[2], .wrap = domain.facts.kind == models::ItemKind::Images},
          3};
}

/// One window of every object, from a drawn place, one of each `apart`: windows of one canvas are
/// alike, and do not count twice.
at::Tensor one_window_each(models::Canvas& canvas, bool wraps, std::int64_t apart,
                           std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  Random random(seed);
  const auto last = wraps ? canvas.length() - 1 : canvas.length() - canvas.window();
  std::vector<at::Tensor> psi;
  for (std::int64_t i = 0; i < canvas.objects(); ++i)
    psi.push_back(torch::tensor(
        {static_cast<double>(i), static_cast<double>(apart * random.below(last / apart + 1))},
        at::kDouble));
  return canvas.render(torch::stack(psi)).detach();
}

/// Of each item, about its own mean: [N].
at::Tensor deviation(const at::Tensor& items) { return items.flatten(1).std(1); }

/// Under each of the first sounds as many real ones of its class, one after another: [2 n, C, H,
/// W].
at::Tensor beside_real(const at::Tensor& content, const models::LabelledItems& truth,
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

void show(const DomainData& domain, const at::Tensor& content, const models::LabelledItems& truth,
          const at::Tensor& wanted, const CellContext& context) {
  const auto folder = context.folder;
  if (domain.facts.kind == models::ItemKind::Images)
    return write_sheet(folder / "extended.png", content, 4, 1);
  if (domain.facts.kind == models::ItemKind::Videos) {
    write_sheet(folder / "extended.png", content.slice(0, 0, 4).flatten(1, 2), 4, 1);
    const auto frames =
        pictures_of(content[0]).repeat_interleave(4, 1).repeat_interleave(4, 2).contiguous();
    return datasets::write_webp(folder / "extended.webp", frames, 8);
  }
  const auto shown = std::min<std::int64_t>(4, content.size(0));
  write_sheet(folder / "extended.png", beside_real(content, truth, wanted, shown).flip(2),
              2 * shown, 1);
  const datasets::SpectrogramOptions options{.bands = domain.facts.item[1]};
  Random random(shared_seed(context, "phases"));
  datasets::write_wav(
      folder / "extended.wav",
      {datasets::sound_of(content[0][0].cpu().clamp(-1, 1), options, random), options.rate});
}

/// What windows show, each of an object that was asked to show `wanted`.
void note_windows(const at::Tensor& windows, const at::Tensor& wanted, const at::Tensor& real,
                  const models::Evaluator& evaluator, CellContext& context) {
  auto& record = context.record;
  note_distances(evaluator, evaluator.features(windows), evaluator.features(real), "", context);
  const auto probabilities = evaluator.probabilities(windows);
  note_confidence(evaluator, "confidence", probabilities, record);
  note_agreement(evaluator, "target_reached", probabilities, wanted, true, record);
  // Over that of real items: 0 where nothing is left to see, as where windows that disagree are
  // averaged away.
  note(record, "contrast", average(deviation(windows)) / average(deviation(real)),
       Direction::Neither);
}

}  // namespace

void run_extension(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto variant = chosen_variant(context);
  const auto domain = domain_data(context);
  const auto& truth = evaluation_items(domain, record.cell);
  const auto D = trained_prior(context, Network::Main);
  const auto evaluator = trained_evaluator(context, domain);
  const auto seed = seed_of(
      {"langevin", record.cell.table, record.cell.dataset, std::to_string(record.cell.seed)});
  const auto device = device_of_context(context);
  auto [shape, options, axis] = extended(domain, settings.integer("extension.times"));
  options.overlap = static_cast<std::int64_t>(variant.or_else("overlap", 1));
  const auto objects = std::min(settings.integer("extension.objects"), truth.x_0.size(0));
  const auto real = truth.x_0.slice(0, 0, objects).to(device);
  if (variant.method.algorithm == Algorithm::RealItems) {  // as many more of the same part
    const auto others = truth.x_0.slice(0, objects, 2 * objects);
    note_windows(others.to(device), classes_of(domain, truth.labels.slice(0, objects, 2 * objects)),
                 real, evaluator, context);
    const auto in_row = settings.integer("extension.times");
    return write_sheet(context.folder / "extended.png",
                       domain.facts.kind == models::ItemKind::Sounds ? others.flip(2) : others,
                       4 * in_row, in_row);
  }
  std::vector<std::int64_t> all{objects};
  all.insert(all.end(), shape.begin(), shape.end());
  models::Canvas canvas(torch::zeros(all, torch::TensorOptions().device(device)), options);
  const auto wanted = torch::arange(objects, at::kLong).remainder(class_count(domain)).to(device);
  const auto guidance = variant.or_else("guidance", settings.number("extension.guidance"));
  const auto steered = models::guided(D, guidance);
  const auto sampler = models::stochastic({.steps = settings.integer("quality.steps"),
                                           .sigma_min = settings.number("inversion.sigma_min"),
                                           .sigma_max = D.sigma_high()});
  const auto generator = training::torch_generator(seed);
  if (variant.method.algorithm == Algorithm::IndependentCrops) {
    baselines::independent_crops(canvas, *steered, {.sampler = sampler}, generator, wanted);
  } else if (variant.method.algorithm == Algorithm::MultiDiffusion) {
    baselines::multidiffusion(canvas, *steered, {.sampler = sampler}, generator, wanted);
  } else {
    const auto loop = synthesis_options(variant, "extension", settings, seed);
    run_rounds(canvas, variant, *steered, *D.D, loop, {.D = wanted},
               [&](const models::Round& round) { show_round(round, loop.rounds, context); });
  }
  const auto content = canvas.content().detach();
  std::vector<std::int64_t> seams;
  for (auto at = options.wrap ? 0 : options.window; at < content.size(axis); at += options.window)
    seams.push_back(at);
  note(record, "seam", metrics::seam_energy(content, axis, seams), Direction::LowerIsBetter, "",
       "seam over elsewhere");
  note_windows(one_window_each(canvas, options.wrap, 1, seed), wanted, real, evaluator, context);
  if (variant.method.algorithm ==
      Algorithm::IndependentCrops)  // as they were sampled, and not across a border of two
    note_distances(evaluator,
                   evaluator.features(one_window_each(canvas, options.wrap, options.window, seed)),
                   evaluator.features(real), "_own", context);
  show(domain, content, truth, wanted, context);
}

}  // namespace reprise::reproduce::langevin_study
