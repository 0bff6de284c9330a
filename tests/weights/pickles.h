// Pickles written by hand, opcode by opcode.
#pragma once
#include <cstring>
#include <string>
#include <vector>

namespace reprise::weights {

inline const std::string protocol = "\x80\x02";

inline std::string number(std::int64_t value) {
  std::string bytes = "\x8a\x08........";
  std::memcpy(bytes.data() + 2, &value, 8);
  return bytes;
}
inline std::string text(const std::string& value) {
  const auto length = static_cast<std::uint32_t>(value.size());
  std::string bytes = "X....";
  std::memcpy(bytes.data() + 1, &length, 4);
  return bytes + value;
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::int64_t>& values) {
  std::string bytes = "(";
  for (const auto value : values) bytes += number(value);
  return bytes + "t";
}
inline std::string storage(std::int64_t count, const std::string& key = "k",
                           const std::string& view = "N",
                           const std::string& type = "FloatStorage") {
  return "(" + text("storage") + global("torch", type) + text(key) + text("cuda:0") +
         number(count) + view + "tQ";
}
inline std::string tensor(const std::string& from, std::int64_t offset,
                          const std::vector<std::int64_t>& sizes,
                          const std::vector<std::int64_t>& strides) {
  return global("torch._utils", "_rebuild_tensor") + "(" + from + number(offset) + tuple(sizes) +
         tuple(strides) + "tR";
}
inline std::string named(const std::string& value, const std::string& name = "w") {
  return "}" + text(name) + value + "s";
}

}  // namespace reprise::weights
