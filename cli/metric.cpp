#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/cli.h"
#include "core/json.h"
#include "core/named.h"
#include "experiments/metric_list.h"
#include "experiments/names.h"
#include "tools/media_inputs.h"

namespace reprise::reproduce {
namespace {

struct MetricCall {
  std::string name, length = "box-diagonal", axis = "width";
  std::filesystem::path predictions, truth;
  double limit = metrics::ced_limit;
  std::vector<std::int64_t> seams;
};

metrics::FaceLength length_named(const std::string& name) {
  if (name == "box-diagonal") return metrics::FaceLength::BoxDiagonal;
  if (name == "inter-ocular" || name == metrics::name_of(metrics::FaceLength::OuterEyeCorners))
    return metrics::FaceLength::OuterEyeCorners;
  throw unknown("--length", name, {"box-diagonal", "inter-ocular"});
}

void metric(const Call& call, const MetricCall& options) {
  const NamedMetric& chosen = find_named(metric_list(), "metric", options.name);
  const auto length = length_named(options.length);
  if (!(options.limit > 0 && std::isfinite(options.limit)))
    throw UsageError(fmt::format("--limit {} is not a finite number above 0", options.limit),
                     fmt::format("give a limit in face lengths, such as {}", metrics::ced_limit));
  if (options.axis != "width" && options.axis != "height")
    throw unknown("--axis", options.axis, {"width", "height"});
  for (const auto& source : {options.predictions, options.truth})
    if (std::filesystem::is_directory(source))
      say_skipped(source, datasets::Media::Pictures, datasets::Depth::OneFolder);
  auto value = [&] {
    try {
      return chosen.value(
          read_case(chosen, options.predictions, options.truth,
                    {options.limit, length, options.seams, options.axis == "height"}));
    } catch (const UsageError& error) {
      const auto names = [&](const std::filesystem::path& file) {
        return !file.empty() && error.problem().starts_with(file.string());
      };
      if (names(options.predictions) || names(options.truth)) throw;
      const auto files = options.predictions.string() +
                         (options.truth.empty() ? "" : " against " + options.truth.string());
      throw UsageError(fmt::format("{}: {}", files, error.problem()), error.fix());
    }
  }();
  std::string text;
  for (const auto& [name, number] : value.items())
    text += fmt::format("{}: {}\n", name,
                        number.is_string() ? number.get<std::string>() : json_text(number));
  if (!chosen.unit.empty()) text += "unit: " + chosen.unit + "\n";
  value["unit"] = chosen.unit;
  call.answer(value, text);
}

}  // namespace

void add_metric(CLI::App& app, Call& call) {
  auto* verb = add_verb(
      app, "metric",
      "Measure anyone's predictions by one metric. Landmarks, labels and poses: both files are CSV with a header (item,x0,y0,...,x67,y67 in "
      "pixels; item,label; or sequence,frame,pitch,yaw,roll in degrees), paired by item, or both are .npy ([N, 68, 2], [N] or [N, 3]), "
      "paired by row. Pictures, as they are shown (turned as their camera was held, transparent pixels over white): folders of images, paired "
      "by their names without endings, or by order where the folders share no name, which the protocol then says; or .npy of uint8, paired "
      "by row. Distances of sets: .npy of feature vectors "
      "([N, d]), or pictures.",
      "reprise metric auc --predictions mine.csv --truth true.csv --limit 0.08\n"
      "reprise metric psnr --predictions made/ --truth true/");
  const auto options = std::make_shared<MetricCall>();
  verb->add_option("NAME", options->name, "as in: reprise list metrics")->required();
  verb->add_option("--predictions", options->predictions, "what the method says")->required();
  verb->add_option("--truth", options->truth, "what is true; of every metric but seam");
  verb->add_option("--limit", options->limit, "largest error that counts, in face lengths")
      ->capture_default_str();
  verb->add_option("--length", options->length, "a face's length")
      ->type_name("box-diagonal|inter-ocular")
      ->capture_default_str();
  verb->add_option("--seams", options->seams,
                   "of metric seam: pixels before which two windows meet, by commas")
      ->delimiter(',');
  verb->add_option("--axis", options->axis, "of metric seam")
      ->type_name("width|height")
      ->capture_default_str();
  verb->callback([options, &call] { metric(call, *options); });
}

}  // namespace reprise::reproduce
