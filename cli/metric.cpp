#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/cli.h"
#include "core/json.h"
#include "core/prefix_errors.h"
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

/// Parses --length. Also takes the name by which `reprise list metrics` prints it.
metrics::FaceLength parse_face_length(const std::string& name) {
  if (name == "box-diagonal") return metrics::FaceLength::BoxDiagonal;
  if (name == "inter-ocular" || name == metrics::name_of(metrics::FaceLength::OuterEyeCorners))
    return metrics::FaceLength::OuterEyeCorners;
  throw unknown("--length", name, {"box-diagonal", "inter-ocular"});
}

/// Evaluates the predictions and answers with the values, their protocol and unit.
void metric(const Call& call, const MetricCall& options) {
  const NamedMetric& chosen = find_named(metric_list(), "metric", options.name);
  const auto length = parse_face_length(options.length);
  if (!(options.limit > 0 && std::isfinite(options.limit)))
    throw UsageError(fmt::format("--limit {} is not a finite number above 0", options.limit),
                     fmt::format("give a limit in face lengths, such as {}", metrics::ced_limit));
  if (options.axis != "width" && options.axis != "height")
    throw unknown("--axis", options.axis, {"width", "height"});
  // Files that are no pictures are skipped; a message counts them, because one may be a mistake.
  for (const auto& source : {options.predictions, options.truth})
    if (std::filesystem::is_directory(source))
      report_skipped_files(source, datasets::Media::Pictures, datasets::Depth::OneFolder);
  auto value = [&] {
    try {
      return chosen.value(
          read_case(chosen, options.predictions, options.truth,
                    {options.limit, length, options.seams, options.axis == "height"}));
    } catch (const UsageError& error) {
      // Metrics do not know their files. An error that names none of them gets both as a prefix.
      const auto names = [&](const std::filesystem::path& file) {
        return !file.empty() && error.problem().starts_with(file.string());
      };
      if (names(options.predictions) || names(options.truth)) throw;
      const auto files = options.predictions.string() +
                         (options.truth.empty() ? "" : " against " + options.truth.string());
      throw UsageError(fmt::format("{}: {}", files, error.problem()), error.fix());
    }
  }();
  // The object has the metric under its own name, with n and protocol, so all of it is printed.
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
  auto* verb = add_command(
      app, "metric",
      "Evaluate predictions of any program by one metric.\n"
      "Landmarks, labels and poses: two CSV files, paired by item, or two .npy files, "
      "paired by row. CSV headers: item,x0,y0,...,x67,y67 (pixels); item,label; or "
      "sequence,frame,pitch,yaw,roll (degrees). Shapes of .npy: [N, 68, 2], [N] or [N, 3].\n"
      "Pictures: two folders, paired by file name without ending, or by order if they "
      "share no name (the printed protocol says which); or two .npy files of uint8, paired "
      "by row. Orientation tags are applied, and transparent pixels are put on white.\n"
      "Distances between sets: .npy files of feature vectors [N, d], or pictures.",
      "reprise metric auc --predictions mine.csv --truth true.csv --limit 0.08\n"
      "reprise metric psnr --predictions made/ --truth true/");
  const auto options = std::make_shared<MetricCall>();
  verb->add_option("NAME", options->name, "metric, as in: reprise list metrics")->required();
  verb->add_option("--predictions", options->predictions, "predictions, a file or folder")
      ->required();
  verb->add_option("--truth", options->truth,
                   "ground truth, a file or folder (required except for seam)");
  verb->add_option("--limit", options->limit, "largest error that counts, in face lengths")
      ->capture_default_str();
  verb->add_option("--length", options->length, "face length, by which errors are divided")
      ->type_name("box-diagonal|inter-ocular")
      ->capture_default_str();
  verb->add_option("--seams", options->seams,
                   "for seam: first pixel of every window but the first, comma-separated")
      ->delimiter(',');
  verb->add_option("--axis", options->axis,
                   "for seam: axis along which the windows follow each other")
      ->type_name("width|height")
      ->capture_default_str();
  verb->callback([options, &call] { metric(call, *options); });
}

}  // namespace reprise::reproduce
