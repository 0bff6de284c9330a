#include "records/event_file.h"

#include <array>
#include <bit>
#include <cmath>

namespace reprise::records {
namespace {

// Castagnoli's polynomial, reflected (RFC 3720).
constexpr std::uint32_t polynomial = 0x82F63B78;

constexpr std::array<std::uint32_t, 256> table = [] {
  std::array<std::uint32_t, 256> out{};
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    auto value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
    out[i] = value;
  }
  return out;
}();

template <class Number>
void add_fixed(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    bytes += static_cast<char>(number >> (8 * i) & 0xFF);
}

void add_varint(std::string& bytes, std::uint64_t number) {
  // Seven bits per byte, the lowest first; the top bit marks that more bytes follow.
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  bytes += static_cast<char>(number);
}

/// Kinds of a protobuf field on the wire.
enum Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes_of_length = 2, fixed32 = 5 };

void add_key(std::string& bytes, int field, Wire wire) {
  add_varint(bytes, static_cast<std::uint64_t>(field) << 3 | wire);
}

void add_bytes(std::string& bytes, int field, std::string_view content) {
  add_key(bytes, field, bytes_of_length);
  add_varint(bytes, content.size());
  bytes += content;
}

std::string event(std::uint64_t step, int field, std::string_view content) {
  std::string bytes;
  add_key(bytes, 1, fixed64);
  // A wall time of 0 keeps equal records equal in bytes.
  add_fixed(bytes, std::bit_cast<std::uint64_t>(0.0));
  // Protobuf omits fields with their default value.
  if (step > 0) {
    add_key(bytes, 2, varint);
    add_varint(bytes, step);
  }
  add_bytes(bytes, field, content);
  return bytes;
}

// TFRecord masks checksums: a CRC of bytes that contain CRCs would be weak.
std::uint32_t mask_crc(std::uint32_t crc) { return std::rotr(crc, 15) + 0xA282EAD8; }

void add_frame(std::string& file, const std::string& bytes) {
  std::string length;
  add_fixed(length, static_cast<std::uint64_t>(bytes.size()));
  file += length;
  add_fixed(file, mask_crc(crc32c(length)));
  file += bytes;
  add_fixed(file, mask_crc(crc32c(bytes)));
}

void add_scalar(std::string& file, const std::string& tag, std::uint64_t step, double value) {
  if (!std::isfinite(value)) return;
  std::string scalar, summary;
  add_bytes(scalar, 1, tag);
  add_key(scalar, 2, fixed32);
  add_fixed(scalar, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  add_bytes(summary, 1, scalar);
  add_frame(file, event(step, 5, summary));
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  // CRC-32C starts from, and ends with, inverted bits.
  std::uint32_t crc = ~0U;
  for (const char byte : bytes)
    crc = table[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

std::string event_file(const std::vector<Metric>& metrics, const Curves& curves) {
  std::string file;
  add_frame(file, event(0, 3, "brain.Event:2"));
  for (const auto& metric : metrics) add_scalar(file, "metrics/" + metric.name, 0, metric.value);
  for (const auto& [name, values] : curves)
    for (std::size_t step = 0; step < values.size(); ++step)
      add_scalar(file, "curves/" + name, step, values[step]);
  return file;
}

}  // namespace reprise::records
