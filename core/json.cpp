#include "core/json.h"

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/json_keys.h"

namespace reprise {
namespace {

using nlohmann::json;

/// Builds the value as it is read, so that what is refused is never built. The library's own parser
/// recurses nowhere, but whoever copies or prints a deep value does; and it lets a key that comes
/// twice win over its first value.
class Builder final : public json::json_sax_t {
 public:
  explicit Builder(std::string_view text) : text_(text) {}
  const std::string& problem() const { return problem_; }
  json take() { return std::move(root_); }
  std::vector<std::string> take_keys() { return std::move(keys_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(json::binary_t&) override { return false; }  // no JSON text has it
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    const auto [place, fresh] = within_.back()->get_ref<json::object_t&>().try_emplace(name);
    if (!fresh) problem_ = "the key \"" + name + "\" stands twice in one object";
    if (within_.size() == 1) keys_.push_back(name);
    member_ = &place->second;
    return fresh;
  }
  bool parse_error(std::size_t place, const std::string&, const json::exception& damage) override {
    problem_ = "not whole JSON: " + place_of(place) + short_reason(damage);
    return false;
  }

 private:
  json* place(json&& value) {
    if (within_.empty()) return &(root_ = std::move(value));
    if (within_.back()->is_object()) return &(*member_ = std::move(value));
    within_.back()->push_back(std::move(value));
    return &within_.back()->back();
  }
  bool put(json&& value) {
    place(std::move(value));
    return true;
  }
  bool open(json&& value) {
    if (within_.size() == max_json_levels) {
      problem_ =
          "more than " + std::to_string(max_json_levels) + " lists and objects within each other";
      return false;
    }
    within_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    within_.pop_back();
    return true;
  }

  /// "line 3, character 5: "; without the line in a text of one.
  std::string place_of(std::size_t place) const {
    const auto before = text_.substr(0, place == 0 ? 0 : place - 1);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    return (lines > 0 ? "line " + std::to_string(lines + 1) + ", " : "") + "character " +
           std::to_string(column) + ": ";
  }

  /// Without the library's own prefix, and without the token that it read last, which need not be
  /// UTF-8 and may be long.
  static std::string short_reason(const json::exception& damage) {
    if (dynamic_cast<const json::parse_error*>(&damage) == nullptr)
      return "a number that is too large";
    std::string text = damage.what();
    text.erase(0, text.find(": ") + 2);
    if (const auto token = text.find("; last read: "); token != text.npos) {
      const auto expected = text.rfind("; expected ");
      text = text.substr(0, token) +
             (expected != text.npos && expected > token ? text.substr(expected) : "");
    }
    return text;
  }

  std::string_view text_;
  json root_;
  std::vector<json*>
      within_;  // the lists and objects that are open; a list grows at its end alone, where none is open
  json* member_ = nullptr;
  std::vector<std::string> keys_;  // of the outermost object, in the order of the text
  std::string problem_;
};

}  // namespace

json parse_json(std::string_view text, const std::string& where, const std::string& fix) {
  // To the library a NUL byte is the end of the text.
  if (text.find('\0') != text.npos)
    throw UsageError(where + ": not whole JSON: it holds a NUL byte", fix);
  Builder builder(text);
  if (!json::sax_parse(text.begin(), text.end(), &builder))
    throw UsageError(where + ": " + builder.problem(), fix);
  return builder.take();
}

std::vector<std::string> outermost_keys(std::string_view text) {
  Builder builder(text);
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take_keys();
}

std::string json_text(const json& json, int indent) {
  return json.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string utf8(const std::string& text) {
  return parse_json(json_text(text), "", "").get<std::string>();
}

}  // namespace reprise
