#include "core/json.h"

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/json_keys.h"

namespace reprise {
namespace {

using nlohmann::json;

/// Builds a value while it is read, so that refused values are never built. The library's own
/// builder accepts duplicate keys, and deep values, whose copying and printing is recursive.
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
  bool binary(json::binary_t&) override { return false; }  // does not occur in JSON texts
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    // The value follows in the next call; member_ remembers where it belongs.
    const auto [place, is_new] = within_.back()->get_ref<json::object_t&>().try_emplace(name);
    if (!is_new) problem_ = "the key \"" + name + "\" is given twice in one object";
    if (within_.size() == 1) keys_.push_back(name);
    member_ = &place->second;
    return is_new;
  }
  bool parse_error(std::size_t place, const std::string&, const json::exception& damage) override {
    problem_ = "not complete JSON: " + describe_place(place) + short_reason(damage);
    return false;
  }

 private:
  /// Puts a value into the innermost open list or object.
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
      problem_ = "more than " + std::to_string(max_json_levels) + " nested lists and objects";
      return false;
    }
    within_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    within_.pop_back();
    return true;
  }

  /// "line 3, character 5: "; without the line in a text of one line.
  std::string describe_place(std::size_t place) const {
    const auto before = text_.substr(0, place == 0 ? 0 : place - 1);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
    return (lines > 0 ? "line " + std::to_string(lines + 1) + ", " : "") + "character " +
           std::to_string(column) + ": ";
  }

  /// Removes the library's prefix and its last token, which can be long and need not be UTF-8.
  static std::string short_reason(const json::exception& damage) {
    // The library throws out_of_range for numbers such as 1e999.
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
  /// The open lists and objects. Pointers stay valid, because a list grows only at its end, where
  /// none of its items is open.
  std::vector<json*> within_;
  json* member_ = nullptr;
  std::vector<std::string> keys_;  ///< keys of the outermost object, in the order of the text
  std::string problem_;
};

}  // namespace

json parse_json(std::string_view text, const std::string& where, const std::string& fix) {
  // The library takes a NUL byte as the end of the text.
  if (text.find('\0') != text.npos)
    throw UsageError(where + ": not complete JSON: it contains a NUL byte", fix);
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
  // Replacing bytes keeps a file name that is not UTF-8 from failing the whole output.
  return json.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string utf8(const std::string& text) {
  return parse_json(json_text(text), "", "").get<std::string>();
}

}  // namespace reprise
