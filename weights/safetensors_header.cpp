#include "weights/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/printable.h"
#include "weights/element_types.h"

namespace reprise::weights {
namespace {

constexpr std::size_t most_header_dimensions = 32;

at::ScalarType type_of(const std::string& name) {
  const auto found = std::ranges::find(element_types(), std::string_view(name), &ElementType::safetensors);
  return found == element_types().end() || name.empty() ? at::ScalarType::Undefined : found->type;
}

/// Depth 1 is the header, depth 2 a tensor or the metadata, depth 3 (brackets) a shape or a pair of offsets.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  const std::string& problem() const { return problem_; }
  /// The type of the tensor that was refused because of it; else "".
  const std::string& unread_type() const { return unread_type_; }
  Header take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    if (depth_ > 1) return refuse("an object where none belongs");
    if (++depth_ == 1) return true;
    in_metadata_ = key_ == "__metadata__";
    seen_.clear();
    if (!in_metadata_) header_.entries.push_back({.name = key_});
    return true;
  }
  bool end_object() override {
    if (depth_-- == 2 && !in_metadata_ && seen_.size() != 3) return refuse("needs dtype, shape and data_offsets");
    return true;
  }
  bool key(std::string& key) override {
    key_ = key;
    if (depth_ == 1 && !names_.insert(key).second) return refuse("\"" + key + "\" is there twice");
    if (depth_ == 2 && !seen_.insert(key).second) return refuse("\"" + key + "\" is there twice");
    if (depth_ == 2 && !in_metadata_ && key != "dtype" && key != "shape" && key != "data_offsets")
      return refuse("unknown key \"" + key + "\"");
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || (key_ != "shape" && key_ != "data_offsets")) return refuse("a list where none belongs");
    ++depth_;
    numbers_.clear();
    return true;
  }
  bool end_array() override {
    --depth_;
    HeaderEntry& entry = header_.entries.back();
    if (key_ == "shape") {
      entry.shape = numbers_;
      return true;
    }
    if (numbers_.size() != 2 || numbers_[0] > numbers_[1]) return refuse("data_offsets must be [begin, end] with begin <= end");
    entry.begin = static_cast<std::uint64_t>(numbers_[0]);
    entry.end = static_cast<std::uint64_t>(numbers_[1]);
    return true;
  }
  bool string(std::string& text) override {
    if (depth_ != 2) return refuse("text where none belongs");
    if (in_metadata_) {
      header_.metadata[key_] = text;
      return true;
    }
    if (key_ != "dtype") return refuse("text where numbers belong");
    header_.entries.back().type = type_of(text);
    // The file may be whole: types are added to the format from time to time.
    if (header_.entries.back().type == at::ScalarType::Undefined) unread_type_ = text;
    return header_.entries.back().type != at::ScalarType::Undefined || refuse("type " + text);
  }
  bool number_unsigned(std::uint64_t value) override {
    if (depth_ != 3) return refuse("a number where none belongs");
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return refuse("a number beyond 63 bits");
    if (numbers_.size() == most_header_dimensions) return refuse("more than 32 dimensions");
    numbers_.push_back(static_cast<std::int64_t>(value));
    return true;
  }
  bool number_integer(std::int64_t value) override { return refuse("the negative number " + std::to_string(value)); }
  bool number_float(double, const std::string& text) override { return refuse("the number " + text + ", which is not whole"); }
  bool null() override { return refuse("null where none belongs"); }
  bool boolean(bool) override { return refuse("true or false where none belongs"); }
  bool binary(nlohmann::json::binary_t&) override { return refuse("binary data"); }
  bool parse_error(std::size_t place, const std::string&, const nlohmann::json::exception&) override {
    problem_ = "no JSON at byte " + std::to_string(place) + " of the header";
    return false;
  }

 private:
  bool refuse(const std::string& what) {
    const bool inside = depth_ >= 2 && !in_metadata_ && !header_.entries.empty();
    problem_ = (inside ? "tensor \"" + header_.entries.back().name + "\": " : "the header: ") + what;
    return false;
  }

  Header header_;
  std::string key_, problem_, unread_type_;
  std::unordered_set<std::string> names_, seen_;
  std::vector<std::int64_t> numbers_;
  int depth_ = 0;
  bool in_metadata_ = false;
};

}  // namespace

Header parse_header(std::string_view json, const std::string& where) {
  const auto refuse = [&](const std::string& problem) {
    throw UsageError(where + ": not a safetensors header: " + printable(problem),
                     "the file is damaged or no safetensors file: fetch or write it again");
  };
  // To the library a NUL byte is the end of the text.
  if (json.find('\0') != json.npos) refuse("it holds a NUL byte");
  HeaderReader reader;
  const bool whole = nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  if (!reader.unread_type().empty())
    throw UsageError(
        where + ": " + printable(reader.problem()) + " is not supported; read are " + type_names(),
        "convert it in Python: save_file({k: v.float() for k, v in load_file(\"IN.safetensors\").items()}, \"OUT.safetensors\")");
  if (!whole) refuse(reader.problem());
  return reader.take();
}

}  // namespace reprise::weights
