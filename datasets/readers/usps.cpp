#include "datasets/readers/usps.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/compression.h"
#include "core/error.h"
#include "core/files.h"
#include "core/printable.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t usps_side = 16;
constexpr std::int64_t usps_pixels = usps_side * usps_side;
constexpr const char* usps_fix =
    "point to a folder with usps and usps.t, or usps.bz2 and usps.t.bz2 (LIBSVM's data sets)";

/// Removes the text up to `end` from the front and returns it.
std::string_view take_word(std::string_view& text, char end) {
  const auto word = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

template <typename Number>
std::optional<Number> parse_value(std::string_view text) {
  Number value{};
  // std::from_chars() accepts no plus sign.
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                  : std::nullopt;
}

/// Puts a line's pixels into `row`; returns the digit.
template <typename Refuse>
std::int64_t read_line(std::string_view line, std::uint8_t* row, const Refuse& refuse) {
  const auto shown = [](std::string_view text) {
    return printable(std::string(text.substr(0, 40)));
  };
  const auto first = take_word(line, ' ');
  const auto label = parse_value<std::int64_t>(first);
  if (!label || *label < 1 || *label > 10)
    refuse(fmt::format("the label is \"{}\"; expected 1 to 10, one more than the digit",
                       shown(first)));
  std::int64_t before = 0;
  while (!line.empty()) {
    const auto word = take_word(line, ' ');
    if (word.empty()) continue;
    auto value_text = word;
    const auto index = parse_value<std::int64_t>(take_word(value_text, ':'));
    const auto value = parse_value<double>(value_text);
    if (!index || !value) refuse(fmt::format("\"{}\"; expected INDEX:VALUE", shown(word)));
    if (*index <= before || *index > usps_pixels)
      refuse(fmt::format("index {} after {}; expected rising ones up to 256", *index, before));
    if (!(std::abs(*value) <= 1))
      refuse(fmt::format("value {} of index {}; expected -1 to 1", *value, *index));
    // Values from -1 to 1 become bytes from 0 to 255; indices count from 1.
    row[*index - 1] = static_cast<std::uint8_t>(std::lround(127.5 * (*value + 1)));
    before = *index;
  }
  // LIBSVM's files number the digits from 1 to 10.
  return *label - 1;
}

}  // namespace

Pictures parse_usps(std::string_view text, const std::string& name) {
  const auto lines = static_cast<std::int64_t>(std::ranges::count(text, '\n')) +
                     (text.empty() || text.ends_with('\n') ? 0 : 1);
  // A line has a label at least: what is allocated is bounded by the text.
  auto pixels = std::string(static_cast<std::size_t>(usps_pixels), '\0');
  std::vector<std::int64_t> labels;
  std::string images;
  for (std::int64_t number = 1; number <= lines; ++number) {
    auto line = take_word(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::ranges::fill(pixels, static_cast<char>(128));  // what is left out is 0, the middle
    labels.push_back(read_line(
        line, reinterpret_cast<std::uint8_t*>(pixels.data()), [&](const std::string& problem) {
          throw UsageError(fmt::format("{}, line {}: {}", name, number, problem), usps_fix);
        }));
    images += pixels;
  }
  if (labels.empty())
    throw UsageError(name + ": there is no line in it; expected one per digit", usps_fix);
  const auto n = static_cast<std::int64_t>(labels.size());
  return {.images = at::from_blob(images.data(), {n, usps_side, usps_side}, at::kByte).clone(),
          .labels = at::tensor(labels, at::kLong)};
}

Pictures read_usps(const fs::path& folder, OfficialPart part) {
  const std::string name = part == OfficialPart::Train ? "usps" : "usps.t";
  const auto plain = folder / name;
  const auto packed = folder / (name + ".bz2");
  if (fs::is_regular_file(plain)) return parse_usps(read_file(plain), plain.string());
  if (fs::is_regular_file(packed))
    return parse_usps(decompress(read_file(packed), packed.string(), "fetch the file again"),
                      packed.string());
  throw UsageError(fmt::format("{}: the file is missing, with and without .bz2", plain.string()),
                   usps_fix);
}

std::vector<Issue> verify_usps(const fs::path& folder) {
  std::vector<Issue> found;
  for (const auto part : {OfficialPart::Train, OfficialPart::Test}) {
    const auto issues = collect_issues(
        [&](std::vector<Issue>& of_part) {
          // An official part contains every digit, so a missing one is a sign of a cut file.
          const auto counts = at::bincount(read_usps(folder, part).labels, {}, 10);
          for (std::int64_t digit = 0; digit < 10; ++digit)
            if (counts[digit].item<std::int64_t>() == 0)
              of_part.push_back({.where = part == OfficialPart::Train ? "usps" : "usps.t",
                                 .what = fmt::format("there is no {} in it", digit),
                                 .fix = "fetch the official files again"});
        },
        folder, usps_fix);
    found.insert(found.end(), issues.begin(), issues.end());
  }
  return found;
}

}  // namespace reprise::datasets
