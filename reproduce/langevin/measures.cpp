// What several tables of the study measure alike.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <sstream>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "metrics/frechet.h"
#include "metrics/image_quality.h"
#include "reproduce/langevin/cells.h"
#include "reproduce/names.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::langevin_study {

void note(records::Record& record, const std::string& name, double value, records::Direction direction, const std::string& unit,
          const std::string& protocol) {
  record.metrics.push_back({name, value, unit, direction, protocol});
}

double Variant::or_else(const std::string& key, double otherwise) const {
  const auto found = changes.find(key);
  return found == changes.end() ? otherwise : found->second;
}

Variant variant_of(const std::string& name) {
  Variant variant;
  std::istringstream parts(name);
  std::getline(parts, variant.base, '+');
  for (std::string part; std::getline(parts, part, '+');) {
    const auto equals = part.find('=');
    std::size_t read = 0;
    try {
      if (equals != std::string::npos) variant.changes[part.substr(0, equals)] = std::stod(part.substr(equals + 1), &read);
    } catch (const std::exception&) {
      read = 0;
    }
    if (read == 0 || equals + 1 + read != part.size())
      throw UsageError(fmt::format("method \"{}\": \"{}\" is no change", name, part),
                       "write a key and a number: \"backprop+balanced=1+first=5\"");
  }
  return variant;
}

bool is_inversion(const std::string& base) {
  for (const std::string name : {"naive", "ode", "noised_ode", "backprop"})
    if (base == name || base == name + "_small") return true;
  return false;
}

std::string searched_table(const std::string& table) { return table.starts_with("search_") ? table.substr(7) : table; }

const models::LabelledItems& judged_part(const World& world, const records::Cell& cell) {
  return cell.table.starts_with("search_") ? world.validation : world.test;
}

std::vector<std::string> candidates(const std::string& method, const std::string& table, const Settings& settings) {
  const auto variant = variant_of(method);
  if (variant.base == "start" || variant.base == "reference") return {};
  const bool sampler = variant.base == "independent" || variant.base == "multidiffusion";
  const std::string kind = variant.base == "repaint"       ? ".repaint_search"
                           : variant.base.ends_with("sds") ? ".sds_search"
                           : sampler                       ? ".sampler_search"
                                                           : ".search";
  auto all = settings.texts(table + kind);
  // What the name says already is not searched for.
  std::erase_if(all, [&](const std::string& candidate) { return variant.changes.contains(candidate.substr(0, candidate.find('='))); });
  return all;
}

Variant chosen_variant(const CellContext& context, const std::string& metric, records::Direction better) {
  const auto& own = context.record.cell;
  auto best_name = own.method;
  const auto tried = own.table.starts_with("search_") ? std::vector<std::string>{} : candidates(own.method, own.table, context.settings);
  if (tried.size() == 1) best_name += "+" + tried.front();
  if (tried.size() > 1) {
    double best = -INFINITY;
    for (const auto& candidate : tried) {
      const auto trial = cell("search_" + own.table, own.dataset, own.method + "+" + candidate, 0);
      const auto record = context.store.find(trial);
      const auto value = record ? record->metric(metric) : std::nullopt;
      if (!value)
        throw Error(fmt::format("the search trial {} has no {}", trial.id(), metric),
                    "run it: ./reprise run langevin --only '" + trial.id() + "'");
      const double gain = better == records::Direction::LowerIsBetter ? -*value : *value;
      if (gain > best) {
        best = gain;
        best_name = trial.method;
      }
    }
  }
  const auto variant = variant_of(best_name);
  for (const auto& [key, value] : variant.changes) note(context.record, "with_" + key, value, records::Direction::Neither);
  return variant;
}

InversionMethod inversion_method(const std::string& base, const Settings& settings) {
  InversionMethod method;
  auto inversion = base;
  if (inversion.ends_with("_small")) {
    method.aux = "small";
    inversion.resize(inversion.size() - 6);
  }
  method.options.method = models::inversion_named(inversion);
  method.options.steps = settings.integer("inversion.ode_steps");
  method.options.sigma_min = settings.number("inversion.sigma_min");
  method.options.adam_steps = settings.integer("inversion.adam_steps");
  method.options.rate = settings.number("inversion.rate");
  return method;
}

models::ChurnOptions churn_options(const std::string& text) {
  std::istringstream parts(text);
  std::string form;
  models::ChurnOptions options{.beta = 1};
  if (!(parts >> form >> options.dt))
    throw UsageError(fmt::format("\"{}\" is no churn", text), "write the noise's form and h: \"langevin 0.3\", \"balanced 1\"");
  options.noise = models::churn_noise_named(form);
  models::churn_noise(options, 1);  // refuses an h that this form cannot have
  return options;
}

models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section, const Settings& settings,
                                           std::uint64_t seed) {
  models::SynthesisOptions options;
  options.rounds = static_cast<std::int64_t>(variant.or_else("rounds", static_cast<double>(settings.integer(section + ".rounds"))));
  options.sigma_first = variant.or_else("first", settings.number(section + ".first"));
  options.sigma_last = variant.or_else("last", settings.number(section + ".last"));
  options.inversion = inversion_method(variant.base, settings).options;
  options.inversion.rate = variant.or_else("rate", options.inversion.rate);
  options.churning = churn_options(settings.text(section + ".churn"));
  for (const std::string form : {"langevin", "balanced"})
    if (variant.changes.contains(form)) options.churning = churn_options(form + " " + number_text(variant.changes.at(form)));
  options.seed = seed;
  return options;
}

const std::vector<std::string>& corruptions() {
  static const std::vector<std::string> all{"occluded", "inverted", "blurred", "texture"};
  return all;
}

at::Tensor corrupted(const std::string& kind, const at::Tensor& items, Random& random) {
  auto x = items.clone();
  const auto height = x.size(2), width = x.size(3);
  if (kind == "inverted") return -x;
  if (kind == "blurred") {
    // Gaussian of a sixteenth of the side; borders go on.
    const double deviation = static_cast<double>(width) / 16;
    const auto reach = static_cast<std::int64_t>(std::ceil(3 * deviation));
    const auto at = torch::arange(-reach, reach + 1, at::kFloat) / deviation;
    auto kernel = (at.square() / -2).exp();
    kernel = (kernel / kernel.sum()).to(x.device());
    const auto c = x.size(1), k = kernel.numel();
    const auto wide = torch::replication_pad2d(x, {reach, reach, reach, reach});
    const auto rows = torch::conv2d(wide, kernel.view({1, 1, 1, k}).expand({c, 1, 1, k}), at::Tensor(), at::IntArrayRef{1},
                                    at::IntArrayRef{0}, at::IntArrayRef{1}, c);
    return torch::conv2d(rows, kernel.view({1, 1, k, 1}).expand({c, 1, k, 1}), at::Tensor(), at::IntArrayRef{1}, at::IntArrayRef{0},
                         at::IntArrayRef{1}, c);
  }
  if (kind != "occluded" && kind != "texture") throw unknown("corruption", kind, corruptions());
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    if (kind == "occluded") {
      const auto h = height * 2 / 5, w = width * 2 / 5;
      const auto top = random.below(height - h + 1), left = random.below(width - w + 1);
      x[i].slice(1, top, top + h).slice(2, left, left + w).fill_(0);
    } else {
      // Stripes of a drawn direction and period, half as strong as ink.
      const double angle = random.uniform(0, M_PI), period = random.uniform(3, 6), phase = random.uniform(0, 2 * M_PI);
      const auto v = torch::arange(height, at::kFloat).unsqueeze(1), u = torch::arange(width, at::kFloat).unsqueeze(0);
      const auto stripes = ((u * std::cos(angle) + v * std::sin(angle)) * (2 * M_PI / period) + phase).sin().to(x.device());
      x[i] = (x[i] + 0.5 * stripes).clamp(-1, 1);
    }
  }
  return x;
}

std::vector<at::Tensor> shares(const at::Tensor& items) { return items.chunk(static_cast<std::int64_t>(corruptions().size())); }

at::Tensor off_manifold(const at::Tensor& clean, std::uint64_t seed) {
  Random random(seed);
  auto parts = shares(clean);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = corrupted(corruptions()[i], parts[i], random);
  return torch::cat(parts);
}

at::Tensor denoising_energy(models::Denoiser& other, const at::Tensor& items, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const auto generator = training::torch_generator(seed);
  at::Tensor sum = torch::zeros({items.size(0)});
  const std::vector<double> levels{0.1, 0.2, 0.5, 1.0};
  for (const auto sigma : levels) {
    const auto epsilon = models::unit_noise(items, generator);
    sum += models::in_batches(items.size(0), 128, [&](const auto& part) {
      const auto x = part(items);
      return ((other(x + sigma * part(epsilon), sigma) - x).square() / (sigma * sigma)).flatten(1).mean(1).cpu();
    });
  }
  return sum / static_cast<double>(levels.size());
}

double average(const at::Tensor& values) { return values.to(at::kDouble).mean().item<double>(); }

double mean_psnr(const at::Tensor& a, const at::Tensor& b) { return average(metrics::psnr(a, b, 2).clamp_max(60)); }

void note_distances(const Judge& judge, const at::Tensor& features, const at::Tensor& real, const std::string& when,
                    records::Record& record) {
  const auto n = features.size(0);
  note(record, "frechet" + when, metrics::frechet_distance(features, real), records::Direction::LowerIsBetter, "",
       judge.protocol("frechet", n));
  note(record, "kernel" + when, metrics::kernel_distance(features, real), records::Direction::LowerIsBetter, "",
       judge.protocol("kernel", n));
}

void show_round(const models::Round& round, std::int64_t rounds, CellContext& context) {
  context.progress.update(static_cast<double>(round.number + 1) / static_cast<double>(rounds),
                          fmt::format("round {}, sigma {:.2g}", round.number + 1, round.sigma));
}

double agreement(const at::Tensor& probabilities, const at::Tensor& labels) { return average(probabilities.argmax(1) == labels.cpu()); }

double confidence(const at::Tensor& probabilities) { return average(std::get<0>(probabilities.max(1))); }

void write_sheet(const std::filesystem::path& path, const at::Tensor& items, std::int64_t n, std::int64_t columns) {
  auto x = items.slice(0, 0, n).cpu();
  if (x.size(1) > 3) {  // frames side by side
    const auto frames = x.size(1) / 3;
    x = x.unflatten(1, std::vector<std::int64_t>{frames, 3}).permute({0, 2, 3, 1, 4}).flatten(3, 4);
  }
  const auto pictures = pictures_of(x);
  const auto count = pictures.size(0), height = pictures.size(1), width = pictures.size(2);
  const auto rows = (count + columns - 1) / columns;
  auto sheet = torch::full({rows * (height + 1), columns * (width + 1), 3}, 128, at::kByte);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto top = i / columns * (height + 1), left = i % columns * (width + 1);
    sheet.slice(0, top, top + height).slice(1, left, left + width).copy_(pictures[i]);
  }
  const auto times = std::max<std::int64_t>(1, (64 + height - 1) / height);
  datasets::write_png(path, sheet.repeat_interleave(times, 0).repeat_interleave(times, 1).contiguous());
}

}  // namespace reprise::reproduce::langevin_study
