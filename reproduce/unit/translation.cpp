// Tables map, sweep and photos: trains a translator between two sets of pictures and measures its
// translations.
#include "metrics/translation.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "core/random.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"
#include "datasets/generators/map_scenes.h"
#include "experiments/adversarial_training.h"
#include "experiments/evaluator_cell.h"
#include "experiments/names.h"
#include "metrics/frechet.h"
#include "metrics/pixel_accuracy.h"
#include "models/translation/trained_unit.h"
#include "models/translation/unit.h"
#include "records/trial.h"
#include "reproduce/unit/cells.h"
#include "reproduce/unit/external.h"
#include "reproduce/unit/methods.h"
#include "reproduce/unit/picture_sets.h"

namespace reprise::reproduce::unit_study {
namespace {

using records::Direction;
using training::Domain;

// Window of the rise: the last quarter of the iterations before the rates fall.
constexpr double rise_window = 0.25;

at::Tensor to_bytes(const at::Tensor& x) {
  return datasets::to_pixels(x).permute({0, 2, 3, 1}).contiguous();
}

double measure_pixel_accuracy(const at::Tensor& x, const at::Tensor& truth) {
  return metrics::pixel_accuracy(to_bytes(x), to_bytes(truth));
}

/// Adds metrics with the number of pictures in their protocol.
class MetricRecorder {
 public:
  MetricRecorder(CellContext& context, std::int64_t n) : context_(context), n_(n) {}
  void add(const std::string& name, double value, Direction better, const std::string& protocol) {
    context_.record.metrics.push_back({.name = name,
                                       .value = value,
                                       .unit = "",
                                       .direction = better,
                                       .protocol = fmt::format("{}, N={}", protocol, n_)});
  }

 private:
  CellContext& context_;
  std::int64_t n_;
};

/// Adds metrics against the known truth of every pixel. translator: null for an external method.
void record_truth(training::Translator* translator, const PictureParts& parts,
                  const at::Tensor& translated, MetricRecorder& recorder) {
  const auto made = to_bytes(translated), truth = to_bytes(parts.test_b);
  const std::string protocol = metrics::pixel_accuracy_protocol;
  recorder.add("pixel_accuracy", metrics::pixel_accuracy(made, truth), Direction::HigherIsBetter,
               protocol);
  // Shifts up to 1/8 of the side.
  const auto registered = metrics::registered_pixel_accuracy(made, truth, truth.size(1) / 8);
  recorder.add("accuracy_registered", registered.accuracy, Direction::HigherIsBetter,
               protocol + ", all pictures shifted in the one best way, without borders");
  recorder.add("shift", std::hypot(registered.down, registered.right), Direction::Neither,
               "pixels by which all pictures are best shifted");
  if (dynamic_cast<models::Unit*>(translator) != nullptr)
    recorder.add(
        "reconstruction",
        measure_pixel_accuracy(translator->reconstruct(parts.test_b, Domain::B), parts.test_b),
        Direction::HigherIsBetter, protocol + ", of B through its own code");
  // Only generated scenes state the class of each pixel.
  if (!parts.classes.defined()) return;
  const auto names = datasets::map_classes;
  const auto of_class =
      metrics::pixel_accuracy_by_class(made, truth, parts.classes, std::ssize(names));
  for (std::size_t k = 0; k < names.size(); ++k)
    recorder.add("accuracy_" + std::string(names[k]),
                 of_class[static_cast<std::int64_t>(k)].item<double>(), Direction::Neither,
                 protocol + ", of the class's pixels");
  recorder.add("accuracy_of_classes", of_class.mean().item<double>(), Direction::HigherIsBetter,
               protocol + ", mean of classes");
  recorder.add("accuracy_relabelled",
               metrics::relabelled_pixel_accuracy(made, parts.classes, datasets::map_palette()),
               Direction::HigherIsBetter, protocol + ", colours exchanged in the best way");
}

/// Adds the distance to the truth. Scenes in two lights have colours that no translator can know
/// exactly, so this measure grades what pixel_accuracy calls wrong. Values are from -1 to 1.
void record_error(const at::Tensor& translated, const at::Tensor& truth, const std::string& suffix,
                  MetricRecorder& recorder) {
  recorder.add("error" + suffix, (translated - truth).abs().mean().item<double>() * 255 / 2,
               Direction::LowerIsBetter, "mean |translation - truth|, of 255");
}

/// Adds distances of corresponding codes (claim 4). Methods without codes compare translations with
/// pictures of B.
void record_codes(training::Translator* translator, const at::Tensor& translated,
                  const PictureParts& parts, MetricRecorder& recorder) {
  auto* unit = dynamic_cast<models::Unit*>(translator);
  const auto found = unit ? metrics::code_agreement(unit->code(parts.test_a, Domain::A),
                                                    unit->code(parts.test_b, Domain::B))
                          : metrics::code_agreement(translated, parts.test_b);
  const std::string nearest = "the nearest code of B is the counterpart's";
  recorder.add("code_top_1", found.top_1, Direction::HigherIsBetter, nearest);
  recorder.add("code_chance", 1.0 / static_cast<double>(parts.test_a.size(0)), Direction::Neither,
               nearest);
  recorder.add("code_ratio", found.ratio, Direction::LowerIsBetter,
               "distance of corresponding codes over that of others");
  recorder.add("code_ratio_of_others", 1, Direction::Neither,
               "distance of corresponding codes over that of others");
}

models::EvaluatorOptions picture_evaluator_options(const Settings& settings) {
  return evaluator_options({.size = settings.integer("photos.side"), .frames = 0}, settings);
}

models::Evaluator load_picture_evaluator(const PictureSet& set, const CellContext& context) {
  return load_evaluator(picture_evaluator_options(context.settings),
                        picture_evaluator_cell(set.name), context);
}

/// Adds realism of translated photographs, whose true counterparts are unknown. `suffix`:
/// direction.
void record_realism(const models::Evaluator& evaluator, const at::Tensor& translated,
                    const at::Tensor& real, Domain into, const std::string& suffix,
                    CellContext& context) {
  const auto n = translated.size(0);
  const auto add = [&](const std::string& name, double value, Direction better,
                       const std::string& protocol) {
    context.record.metrics.push_back({.name = name + suffix,
                                      .value = value,
                                      .unit = "",
                                      .direction = better,
                                      .protocol = protocol});
  };
  const auto of_translated = evaluator.features(translated), of_real = evaluator.features(real);
  add("kernel", metrics::kernel_distance(of_translated, of_real), Direction::LowerIsBetter,
      evaluator.protocol("kernel", n));
  add("frechet", metrics::frechet_distance(of_translated, of_real), Direction::LowerIsBetter,
      evaluator.protocol("frechet", n));
  const auto called = evaluator.probabilities(translated).argmax(1).eq(into == Domain::B ? 1 : 0);
  add("taken_for_real", called.to(at::kDouble).mean().item<double>(), Direction::HigherIsBetter,
      evaluator.protocol("taken for the other set's", n));
  const auto kept = metrics::sharpness(translated) / metrics::sharpness(real);
  const std::array<std::string, 3> levels{"fine", "middle", "coarse"};
  for (std::size_t level = 0; level < levels.size(); ++level)
    add("sharpness_" + levels[level], kept[static_cast<std::int64_t>(level)].item<double>(),
        Direction::Neither,
        fmt::format("mean Laplacian of pictures shrunk {} times, over that of real ones",
                    1 << level));
}

/// Adds how much of the input's layout and edges a translation preserves.
void record_preservation(const at::Tensor& x, const at::Tensor& translated,
                         const std::string& suffix, MetricRecorder& recorder) {
  recorder.add("layout" + suffix, metrics::layout_correlation(x, translated).mean().item<double>(),
               Direction::HigherIsBetter,
               "correlation of 8 x 8 means of luminance with the input's");
  recorder.add("edges" + suffix, metrics::edge_correlation(x, translated).mean().item<double>(),
               Direction::HigherIsBetter, "correlation of gradients' lengths with the input's");
}

/// Adds all metrics of the translations from A to B. translator: null for an external method.
/// evaluator: that of photographs; maps have none.
void record_forward(training::Translator* translator, const PictureSet& set,
                    const PictureParts& parts, const at::Tensor& translated,
                    const std::optional<models::Evaluator>& evaluator, MetricRecorder& recorder,
                    CellContext& context) {
  record_preservation(parts.test_a, translated, "", recorder);
  if (set.with_truth) {
    record_truth(translator, parts, translated, recorder);
    record_codes(translator, translated, parts, recorder);
  }
  if (!evaluator) return;
  if (set.with_truth) record_error(translated, parts.test_b, "", recorder);
  record_realism(*evaluator, translated, parts.test_b, Domain::B, "", context);
}

/// Adds the rise of accuracy in the last quarter of the iterations before the rates fall. After
/// that any curve flattens.
void record_rise(const records::Curves& curves, double decay_from, CellContext& context) {
  const auto points = curves.find("pixel_accuracy");
  // Without known truth of training pictures there is no curve.
  if (points == curves.end() || points->second.size() < 2) return;
  // The last point before the rates fall.
  const auto last = static_cast<double>(points->second.size() - 1) * decay_from;
  const auto at = [&](double place) { return points->second[static_cast<std::size_t>(place)]; };
  context.record.metrics.push_back(
      {.name = "rise_at_end",
       .value = at(last) - at(last * (1 - rise_window)),
       .unit = "",
       .direction = Direction::Neither,
       .protocol =
           "pixel accuracy gained in the last quarter of the training before its rates fall"});
}

/// Returns whether a cell writes pictures. Maps do for every seed, since the page shows the seed
/// with the median accuracy.
bool writes_pictures(const records::Cell& cell) {
  return cell.table == map_table || (cell.table == photos_table && cell.seed == 0);
}

/// Settings, section and method of a cell. A row of table sweep changes one setting of [map].
struct CellConfiguration {
  Settings settings;
  std::string section, method;
};
CellConfiguration configure_cell(const CellContext& context) {
  const auto& cell = context.record.cell;
  if (cell.table != sweep_table) return {context.settings, cell.table, cell.method};
  CellConfiguration changed{context.settings, map_table, cell.method};
  if (cell.method != sweep_base) {
    const auto row = records::parse_trial(cell.method);
    changed.method = row.method;
    for (const auto& [name, text, value] : row.hyperparameters)
      changed.settings.set(fmt::format("map.{}={}", name, text));
  }
  changed.settings.set(
      fmt::format("map.iterations={}", context.settings.integer("sweep.iterations")));
  return changed;
}

}  // namespace

void run_translation(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto [settings, section, name] = configure_cell(context);
  const auto& set = find_picture_set(cell.dataset, section);
  const auto parts = load_picture_parts(set, context);
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  training::Translator* learning = nullptr;
  // Evaluations during training use a few training pictures, if their truth is known.
  const auto few = settings.integer(section + ".evaluated");
  const auto evaluate = [&] {
    return std::map<std::string, double>{
        {"pixel_accuracy",
         measure_pixel_accuracy(learning->translate(parts.a.slice(0, 0, few), Domain::A),
                                parts.b_of_a.slice(0, 0, few))}};
  };
  const auto methods = list_translators(settings, section, checkpoint,
                                        parts.b_of_a.defined() ? Evaluate(evaluate) : Evaluate());
  const auto& method = find_named(methods, "translator", name);
  const auto translator = method.make();
  learning = translator.get();
  const auto seed = seed_of({"unit", cell.table, cell.method, std::to_string(cell.seed)});
  const at::Device device(context.device);
  translator->fit(parts.a.to(device), (method.paired ? parts.b_of_a : parts.b).to(device), seed,
                  context.progress);

  const auto translated = translator->translate(parts.test_a, Domain::A);
  MetricRecorder recorder(context, parts.test_a.size(0));
  std::optional<models::Evaluator> evaluator;
  if (section == photos_table) evaluator = load_picture_evaluator(set, context);
  record_forward(translator.get(), set, parts, translated, evaluator, recorder, context);
  if (evaluator && !method.one_way) {
    const auto back = translator->translate(parts.test_b, Domain::B);
    if (set.with_truth) record_error(back, parts.test_a, "_back", recorder);
    record_realism(*evaluator, back, parts.test_a, Domain::A, "_back", context);
    record_preservation(parts.test_b, back, "_back", recorder);
  }
  auto* unit = dynamic_cast<models::Unit*>(translator.get());
  if (!method.one_way)
    recorder.add(
        "cycle",
        (translator->cycle(parts.test_a, Domain::A) - parts.test_a).abs().mean().item<double>(),
        Direction::LowerIsBetter, "mean |x - there and back again|, values from -1 to 1");
  // Only UNIT has curves of training, and a file for `reprise translate`.
  if (unit) {
    record_adversarial(unit->report(), context.record);
    context.store.write_curves(cell, unit->report().curves);
    record_rise(unit->report().curves, settings.number(section + ".decay_from"), context);
    if (cell.seed == 0 && cell.table != sweep_table)
      models::save_unit({.metadata = {.data = cell.dataset,
                                      .source = cell.id(),
                                      .a = set.a,
                                      .b = set.b,
                                      .side = settings.integer(section + ".side")},
                         .G = unit->network()},
                        context.folder / "translator.safetensors");
  }
  record_network(*translator, context.record);
  if (writes_pictures(cell)) {
    datasets::write_png(context.folder / "a_to_b.png",
                        datasets::draw_pairs(parts.test_a, translated));
    datasets::write_png(
        context.folder / "reconstructions.png",
        datasets::draw_pairs(parts.test_b, translator->reconstruct(parts.test_b, Domain::B)));
    if (!method.one_way) {
      datasets::write_png(
          context.folder / "b_to_a.png",
          datasets::draw_pairs(parts.test_b, translator->translate(parts.test_b, Domain::B)));
      datasets::write_png(
          context.folder / "cycles.png",
          datasets::draw_pairs(parts.test_a, translator->cycle(parts.test_a, Domain::A)));
    }
  }
  std::filesystem::remove(checkpoint);
}

void run_picture_evaluator(CellContext& context) {
  const auto& set = find_picture_set(context.record.cell.dataset, photos_table);
  const auto seed = seed_of({"unit", "judge", set.name});
  const auto pictures = load_evaluator_pictures(set, context);
  // A and B are shuffled together, so that the held-out eighth has both.
  const auto order = at::tensor(Random(seed).permutation(pictures.x.size(0)), at::kLong);
  const auto [learned, validation] = models::hold_out_eighth(
      {.x = pictures.x.index_select(0, order), .labels = pictures.labels.index_select(0, order)});
  const auto parts = load_picture_parts(set, context);
  const std::vector<at::Tensor> labels{at::zeros({parts.test_a.size(0)}, at::kLong),
                                       at::ones({parts.test_b.size(0)}, at::kLong)};
  train_evaluator({.options = picture_evaluator_options(context.settings),
                   .learned = learned,
                   .validation = validation,
                   .test = {.x = at::cat({parts.test_a, parts.test_b}), .labels = at::cat(labels)},
                   .seed = seed},
                  context);
}

void measure_external_pictures(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto& set = find_picture_set(cell.dataset, cell.table);
  const auto parts = load_picture_parts(set, context);
  const auto translated = load_external_translations(context, parts.test_a);
  MetricRecorder recorder(context, parts.test_a.size(0));
  std::optional<models::Evaluator> evaluator;
  if (cell.table == photos_table) evaluator = load_picture_evaluator(set, context);
  record_forward(nullptr, set, parts, translated, evaluator, recorder, context);
  if (writes_pictures(cell))
    datasets::write_png(context.folder / "a_to_b.png",
                        datasets::draw_pairs(parts.test_a, translated));
}

}  // namespace reprise::reproduce::unit_study
