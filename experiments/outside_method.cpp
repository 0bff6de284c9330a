#include "experiments/outside_method.h"

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/plain_name.h"
#include "core/sha256.h"
#include "records/outside.h"

namespace reprise::reproduce {
namespace {

std::string filled(std::string text, const std::string& field, const std::string& value) {
  for (auto at = text.find(field); at != std::string::npos; at = text.find(field, at + value.size())) text.replace(at, field.size(), value);
  return text;
}

}  // namespace

OutsideMethod outside_method(OutsideMethod::Kind kind, const std::string& flag, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals + 1 == assignment.size())
    throw UsageError(flag + " " + assignment + " names no file", "write " + flag + " NAME=FILE");
  OutsideMethod method{kind, assignment.substr(0, equals), assignment.substr(equals + 1)};
  if (!is_plain_name(method.name))
    throw UsageError(flag + " " + assignment + ": '" + method.name + "' cannot be a method's name",
                     "use letters, digits, '_' and '-', a letter or digit first");
  return method;
}

MethodFile method_file(const OutsideMethod& method, const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored) && !std::filesystem::is_directory(path, ignored))
    throw UsageError("method " + method.name + ": there is no file " + path.string(), "correct the path after " + method.name + "=");
  return {method.kind, path, sha256_path(path)};
}

nlohmann::json options_of(const MethodFile& file) {
  return {{"method.kind", file.kind == OutsideMethod::Kind::TorchScript ? "torchscript" : "predictions"},
          {"method.file", file.path.filename().string()},
          {"method.sha256", file.sha256}};
}

std::filesystem::path file_of(const OutsideMethod& method, const records::Cell& cell) {
  const bool every_seed = method.kind == OutsideMethod::Kind::TorchScript || method.file.find("{seed}") != std::string::npos;
  if (!every_seed && cell.seed != 0) return {};
  return filled(filled(method.file, "{seed}", std::to_string(cell.seed)), "{dataset}", cell.dataset);
}

std::vector<std::string> outside_names(const std::vector<records::Record>& records) {
  std::set<std::string> names;
  for (const auto& record : records)
    if (records::from_outside(record) && record.cell.method.find('+') == std::string::npos) names.insert(record.cell.method);
  return {names.begin(), names.end()};
}

}  // namespace reprise::reproduce
