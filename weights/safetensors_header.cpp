#include "weights/safetensors_header.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/json.h"
#include "core/json_keys.h"
#include "core/printable.h"
#include "weights/element_types.h"

namespace reprise::weights {
namespace {

using nlohmann::json;

constexpr std::size_t most_header_dimensions = 32;  // more than any tensor of weights has
constexpr const char* header_fix =
    "the file is damaged or no safetensors file: fetch or write it again";

/// Reads one entry of the header; `where` names the file.
struct EntryReader {
  const std::string& where;
  const std::string& name;

  [[noreturn]] void refuse(const std::string& problem) const {
    throw UsageError(
        where + ": not a safetensors header: tensor " + printable("\"" + name + "\": " + problem),
        header_fix);
  }

  at::ScalarType type(const json& dtype) const {
    if (!dtype.is_string()) refuse("its dtype is no text");
    const auto& text = dtype.get_ref<const std::string&>();
    const auto found =
        std::ranges::find(element_types(), std::string_view(text), &ElementType::safetensors);
    if (found != element_types().end() && !text.empty()) return found->type;
    // The file need not be damaged: the format gets new types from time to time.
    throw UsageError(where + ": tensor " + printable("\"" + name + "\": type " + text) +
                         " is not supported; supported types are " + type_names(),
                     "convert it in Python: save_file({k: v.float() for k, v in "
                     "load_file(\"IN.safetensors\").items()}, \"OUT.safetensors\")");
  }

  /// Returns the integers of a list, each at least 0 and within 63 bits.
  std::vector<std::int64_t> numbers(const char* key, const json& list) const {
    if (!list.is_array() || list.size() > most_header_dimensions)
      refuse(std::string(key) + " is no list of at most 32 numbers");
    std::vector<std::int64_t> values;
    for (const auto& value : list) {
      if (!value.is_number_unsigned() ||
          value.get<std::uint64_t>() >
              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        refuse(std::string(key) + " has " + reprise::json_text(value) +
               ", which is no whole number from 0 to 2^63 - 1");
      values.push_back(value.get<std::int64_t>());
    }
    return values;
  }

  HeaderEntry read(const json& entry) const {
    if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") ||
        !entry.contains("shape") || !entry.contains("data_offsets"))
      refuse("needs dtype, shape and data_offsets, and nothing else");
    const auto offsets = numbers("data_offsets", entry["data_offsets"]);
    if (offsets.size() != 2 || offsets[0] > offsets[1])
      refuse("data_offsets must be [begin, end] with begin <= end");
    return {.name = name,
            .type = type(entry["dtype"]),
            .shape = numbers("shape", entry["shape"]),
            .begin = static_cast<std::uint64_t>(offsets[0]),
            .end = static_cast<std::uint64_t>(offsets[1])};
  }
};

}  // namespace

Header parse_header(std::string_view text, const std::string& where) {
  const auto parsed = parse_json(text, where + ": not a safetensors header", header_fix);
  if (!parsed.is_object())
    throw UsageError(where + ": not a safetensors header: an object was expected", header_fix);
  Header header;
  // In the order of the text, which the parsed object does not keep.
  for (const auto& name : outermost_keys(text)) {
    const auto& value = parsed[name];
    if (name != "__metadata__") {
      header.entries.push_back(EntryReader{where, name}.read(value));
      continue;
    }
    if (!value.is_object() ||
        !std::ranges::all_of(value, [](const auto& text) { return text.is_string(); }))
      throw UsageError(where + ": not a safetensors header: __metadata__ is no object of texts",
                       header_fix);
    value.get_to(header.metadata);
  }
  return header;
}

}  // namespace reprise::weights
