#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "core/named.h"
#include "reproduce/cli/cli.h"
#include "reproduce/metric_list.h"
#include "reproduce/names.h"

namespace reprise::reproduce {
namespace {

struct MetricCall {
  std::string name, length = "box-diagonal";
  std::filesystem::path predictions, truth;
  double limit = 0.08;
};

metrics::FaceLength length_named(const std::string& name) {
  if (name == "box-diagonal") return metrics::FaceLength::BoxDiagonal;
  if (name == "inter-ocular" || name == metrics::name_of(metrics::FaceLength::OuterEyeCorners)) return metrics::FaceLength::OuterEyeCorners;
  throw unknown("--length", name, {"box-diagonal", "inter-ocular"});
}

void metric(const Call& call, const MetricCall& options) {
  const NamedMetric& chosen = find_named(metric_list(), "metric", options.name);
  const auto length = length_named(options.length);
  if (!(options.limit > 0 && std::isfinite(options.limit)))
    throw UsageError(fmt::format("--limit {} is not a finite number above 0", options.limit), "give a limit in face lengths, such as 0.08");
  const auto predicted = datasets::read_predictions(options.predictions, chosen.kind);
  const auto truth = datasets::read_predictions(options.truth, chosen.kind);
  const auto value = named(fmt::format("{} against {}", options.predictions.string(), options.truth.string()), [&] {
    return chosen.value(datasets::paired(predicted, truth), truth.values, {options.limit, length});
  });
  std::string text;
  for (const auto& [name, number] : value.items())
    text += fmt::format("{}: {}\n", name, number.is_string() ? number.get<std::string>() : number.dump());
  call.answer(value, text);
}

}  // namespace

void add_metric(CLI::App& app, Call& call) {
  auto* verb =
      add_verb(app, call, "metric",
               "One metric on anyone's predictions. Both files are CSV with a header (item,x0,y0,...,x67,y67 in pixels, or item,label), "
               "paired by item, or both are .npy ([N, 68, 2], or [N]), paired by row.",
               "reprise metric auc --predictions mine.csv --truth true.csv --limit 0.08 --length box-diagonal");
  const auto options = std::make_shared<MetricCall>();
  verb->add_option("NAME", options->name, "as in: reprise list metrics")->required();
  verb->add_option("--predictions", options->predictions, "what the method says")->required();
  verb->add_option("--truth", options->truth, "what is true")->required();
  verb->add_option("--limit", options->limit, "largest error that counts, in face lengths")->capture_default_str();
  verb->add_option("--length", options->length, "a face's length: box-diagonal or inter-ocular")->capture_default_str();
  verb->callback([options, &call] { metric(call, *options); });
}

}  // namespace reprise::reproduce
