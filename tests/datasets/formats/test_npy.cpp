#include <ATen/ATen.h>

#include <algorithm>

#include "datasets/formats/npy.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// A file with this header text, of either version.
std::string file(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += {static_cast<char>(version), '\x00', static_cast<char>(header.size() & 0xFF),
            static_cast<char>(header.size() >> 8)};
  if (version > 1) bytes += {'\x00', '\x00'};
  return bytes + header + data;
}

TEST(Npy, EveryTypeAndShapeReadsBackAsItWasWritten) {
  for (const auto type : {at::kFloat, at::kDouble, at::kLong, at::kByte})
    for (const auto& shape :
         std::vector<std::vector<std::int64_t>>{{}, {1}, {5}, {0, 3}, {2, 3, 4}}) {
      std::int64_t n = 1;
      for (const auto size : shape) n *= size;
      const auto tensor = at::arange(n).reshape(shape).to(type);
      const auto read = parse_npy(encode_npy(tensor), "a.npy");
      EXPECT_EQ(read.scalar_type(), type);
      EXPECT_EQ(read.sizes(), tensor.sizes());
      EXPECT_TRUE(at::equal(read, tensor));
    }
}

TEST(Npy, ATransposedTensorIsWrittenInRowMajorOrder) {
  const auto tensor = at::arange(6).reshape({2, 3}).t();
  EXPECT_TRUE(at::equal(parse_npy(encode_npy(tensor), "a.npy"), tensor));
}

TEST(Npy, BytesAreThoseOfNumPy) {
  // numpy.save of numpy.array([[1], [2]], dtype="uint8")
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1), }";
  const std::string expected =
      file(header + std::string(128 - 10 - header.size() - 1, ' ') + "\n", "\x01\x02");
  EXPECT_EQ(encode_npy(at::tensor({1, 2}, at::kByte).reshape({2, 1})), expected);
}

TEST(Npy, AllVersionsAndAnyOrderOfKeysAreRead) {
  const std::string header = "{'shape': (2,), 'fortran_order': False, 'descr': '|u1'}\n";
  for (const int version : {1, 2, 3})
    EXPECT_TRUE(at::equal(parse_npy(file(header, "\x05\x07", version), "a"),
                          at::tensor({5, 7}, at::kByte)));
}

std::string header_of(const std::string& descr, const std::string& shape,
                      const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

/// Bytes of numbers, the first byte of each the highest where `big`.
template <typename Number>
std::string numbers(const std::vector<Number>& values, bool big) {
  std::string bytes;
  for (const auto value : values) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof value);
    if (big) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

template <typename Number>
void expect_read(const std::string& code, const std::vector<Number>& values, at::ScalarType type) {
  const auto expected = at::tensor(std::vector<double>(values.begin(), values.end())).to(type);
  for (const char order : {'<', '>', '='}) {
    const auto read =
        parse_npy(file(header_of(order + code, "(3,)"), numbers(values, order == '>')), "a.npy");
    EXPECT_EQ(read.scalar_type(), type) << order << code;
    EXPECT_TRUE(at::equal(read, expected)) << order << code;
  }
}

TEST(Npy, EveryTypeOfNumbersIsReadInBothByteOrders) {
  expect_read<std::int8_t>("i1", {-128, 0, 127}, at::kChar);
  expect_read<std::int16_t>("i2", {-32768, 258, 32767}, at::kShort);
  expect_read<std::int32_t>("i4", {-5, 66051, 7}, at::kInt);
  expect_read<std::int64_t>("i8", {-5, 1 << 20, 7}, at::kLong);
  expect_read<std::uint8_t>("u1", {0, 5, 255}, at::kByte);
  expect_read<std::uint16_t>("u2", {0, 258, 65535}, at::kInt);
  expect_read<std::uint32_t>("u4", {0, 66051, 4294967295U}, at::kLong);
  expect_read<std::uint64_t>("u8", {0, 66051, 1}, at::kLong);
  expect_read<float>("f4", {-1.5F, 0, 1e30F}, at::kFloat);
  expect_read<double>("f8", {-1.5, 0, 1e300}, at::kDouble);
  const auto halves = numbers<std::uint16_t>({0x3C00, 0xC100, 0x0001}, true);
  EXPECT_TRUE(at::equal(parse_npy(file(header_of(">f2", "(3,)"), halves), "a"),
                        at::tensor({1.0F, -2.5F, 5.9604645e-8F})));
  const auto flags = parse_npy(file(header_of("|b1", "(3,)"), std::string("\x00\x01\x02", 3)), "a");
  EXPECT_TRUE(at::equal(flags, at::tensor({0, 1, 1}).to(at::kBool)));
  EXPECT_THAT(
      [] { parse_npy(file(header_of("<u8", "(1,)"), std::string(8, '\xFF')), "a.npy"); },
      ThrowsUsageError(HasSubstr("a.npy"), HasSubstr("uint64"), HasSubstr("astype(\"float64\")")));
}

TEST(Npy, AnArrayInFortranOrderIsTheSameArray) {
  // numpy.save of numpy.arange(24).reshape(2, 3, 4).astype("<i4", order="F"): the first index runs
  // fastest.
  std::vector<std::int32_t> values;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) values.push_back(12 * i + 4 * j + k);
  const auto read =
      parse_npy(file(header_of("<i4", "(2, 3, 4)", "True"), numbers(values, false)), "a");
  EXPECT_TRUE(at::equal(read, at::arange(24).reshape({2, 3, 4}).to(at::kInt)));
  EXPECT_TRUE(read.is_contiguous());
  EXPECT_EQ(parse_npy(file(header_of("<f4", "()", "True"), std::string(4, '\0')), "a").dim(), 0);
}

// A fix that leads to the next refusal is none: it names the type that the caller takes.
TEST(Npy, WhatIsNoNumberIsNamedWithAFixForWhatWasAskedFor) {
  const auto parse = [](const std::string& header) {
    return [header] { parse_npy(file(header, "abcdefgh"), "a.npy", "int64"); };
  };
  EXPECT_THAT(
      parse(header_of("|O", "(1,)")),
      ThrowsUsageError(HasSubstr("Python objects"), HasSubstr("never loaded"), HasSubstr("int64")));
  EXPECT_THAT(parse(header_of("<c8", "(1,)")),
              ThrowsUsageError(HasSubstr("complex"), HasSubstr("array.real.astype(\"int64\")")));
  EXPECT_THAT(parse(header_of("<U2", "(1,)")),
              ThrowsUsageError(HasSubstr("texts"), HasSubstr("astype(\"int64\")")));
  EXPECT_THAT(parse(header_of("<f16", "(1,)")),
              ThrowsUsageError(HasSubstr("'<f16'"), HasSubstr("astype(\"int64\")")));
  EXPECT_THAT(parse(header_of("<M8[s]", "(1,)")), ThrowsUsageError(HasSubstr("'<M8[s]'")));
  EXPECT_THAT(
      parse(
          "{'descr': [('x', '<f4'), ('label', '<i4')], 'fortran_order': False, 'shape': (1,), }\n"),
      ThrowsUsageError(HasSubstr("records"), HasSubstr("'label'"), HasSubstr("array[\"FIELD\"]")));
  EXPECT_THAT([] { parse_npy("PK\x03\x04 and so on", "a.npz"); },
              ThrowsUsageError(HasSubstr("archive"), HasSubstr("numpy.save")));
}

TEST(Npy, DamagedAndHostileFilesAreRefusedWithTheReason) {
  const auto parse = [](const std::string& bytes) {
    return [bytes] { parse_npy(bytes, "a.npy"); };
  };
  EXPECT_THAT(parse("item,label\na,1\n"),
              ThrowsUsageError(HasSubstr("a.npy"), HasSubstr("not a .npy")));
  EXPECT_THAT(parse(file(header_of("|u1", "(2,)"), "ab", 4)),
              ThrowsUsageError(HasSubstr("version 4")));
  EXPECT_THAT(parse(file(header_of("<f4", "(3,)"), "abcd")),
              ThrowsUsageError(HasSubstr("4 bytes"), HasSubstr("asks for 12")));
  EXPECT_THAT(parse(file(header_of("<f8", "(4611686018427387904, 4611686018427387904)"), "abcd")),
              ThrowsUsageError(HasSubstr("more than a file can hold")));
  EXPECT_THAT(parse(file(header_of("<f8", "(0, 4611686018427387904, 4611686018427387904)"), "")),
              ThrowsUsageError(HasSubstr("a.npy"), HasSubstr("more than a file can hold")));
  EXPECT_THAT(parse(file(header_of("<f8", "(-1,)"), "abcd")),
              ThrowsUsageError(HasSubstr("header")));
  EXPECT_THAT(parse(file("{'descr': '<f4'}", "")), ThrowsUsageError(HasSubstr("header")));
  EXPECT_THAT(
      parse(file("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (), }", "")),
      ThrowsUsageError(HasSubstr("header")));
  EXPECT_THAT(parse(file(header_of("<f4", "__import__('os')"), "")),
              ThrowsUsageError(HasSubstr("header")));
  const std::string whole = encode_npy(at::arange(3));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THAT(parse(whole.substr(0, size)), ThrowsUsageError()) << size;
  EXPECT_THAT([] { encode_npy(at::zeros({2}, at::kBool)); }, ThrowsUsageError(HasSubstr("Bool")));
}

}  // namespace
}  // namespace reprise::datasets
