#include "training/checkpoint.h"

#include <torch/utils.h>

#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/error.h"
#include "core/json.h"
#include "weights/safetensors.h"

namespace reprise::training {
namespace {

[[noreturn]] void damaged(const std::filesystem::path& path, const std::string& what) {
  throw UsageError(path.string() + " is not a whole checkpoint: " + what, "remove the file; training then starts from the beginning");
}

nlohmann::json to_json(const FitReport& report) {
  return {{"train_loss", report.train_loss},
          {"validation_error", report.validation_error},
          {"best_epoch", report.best_epoch},
          {"steps", report.steps},
          {"seconds", report.seconds}};
}

FitReport report_from_json(const nlohmann::json& json) {
  FitReport report;
  json.at("train_loss").get_to(report.train_loss);
  json.at("validation_error").get_to(report.validation_error);
  json.at("best_epoch").get_to(report.best_epoch);
  json.at("steps").get_to(report.steps);
  json.at("seconds").get_to(report.seconds);
  return report;
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  weights::write_safetensors(path, checkpoint.tensors, {{"identity", checkpoint.identity}, {"report", to_json(checkpoint.report).dump()}});
}

std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path, const std::string& identity) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    auto file = weights::read_safetensors(path);
    if (file.metadata.at("identity") != identity) return std::nullopt;
    return Checkpoint{identity, std::move(file.tensors), report_from_json(parse_json(file.metadata.at("report"), "its report", ""))};
  } catch (const Error& error) {
    damaged(path, error.problem());
  } catch (const std::exception&) {  // a key that is not there, or JSON of another shape
    damaged(path, "it lacks the identity or the report of a run");
  }
}

void restore(const weights::StateDict& from, std::string_view prefix, const weights::StateDict& into, const std::filesystem::path& path) {
  const torch::NoGradGuard no_grad;
  const std::unordered_map<std::string, at::Tensor> stored(from.begin(), from.end());
  for (const auto& [name, tensor] : into) {
    const auto found = stored.find(std::string(prefix) + name);
    if (found == stored.end() || found->second.sizes() != tensor.sizes())
      damaged(path, "tensor " + std::string(prefix) + name + " is missing or has another shape");
    tensor.copy_(found->second);
  }
}

}  // namespace reprise::training
