#include <ATen/ATen.h>

#include "datasets/formats/npy.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// A file with this header text, of either version.
std::string file(const std::string& header, const std::string& data, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += {static_cast<char>(version), '\x00', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  if (version == 2) bytes += {'\x00', '\x00'};
  return bytes + header + data;
}

TEST(Npy, EveryTypeAndShapeReadsBackAsItWasWritten) {
  for (const auto type : {at::kFloat, at::kDouble, at::kLong, at::kByte})
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{}, {1}, {5}, {0, 3}, {2, 3, 4}}) {
      std::int64_t n = 1;
      for (const auto size : shape) n *= size;
      const auto tensor = at::arange(n).reshape(shape).to(type);
      const auto read = parse_npy(npy_bytes(tensor), "a.npy");
      EXPECT_EQ(read.scalar_type(), type);
      EXPECT_EQ(read.sizes(), tensor.sizes());
      EXPECT_TRUE(at::equal(read, tensor));
    }
}

TEST(Npy, ATransposedTensorIsWrittenInRowMajorOrder) {
  const auto tensor = at::arange(6).reshape({2, 3}).t();
  EXPECT_TRUE(at::equal(parse_npy(npy_bytes(tensor), "a.npy"), tensor));
}

TEST(Npy, BytesAreThoseOfNumPy) {
  // numpy.save of numpy.array([[1], [2]], dtype="uint8")
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1), }";
  const std::string expected = file(header + std::string(128 - 10 - header.size() - 1, ' ') + "\n", "\x01\x02");
  EXPECT_EQ(npy_bytes(at::tensor({1, 2}, at::kByte).reshape({2, 1})), expected);
}

TEST(Npy, BothVersionsAndAnyOrderOfKeysAreRead) {
  const std::string header = "{'shape': (2,), 'fortran_order': False, 'descr': '|u1'}\n";
  for (const int version : {1, 2}) EXPECT_TRUE(at::equal(parse_npy(file(header, "\x05\x07", version), "a"), at::tensor({5, 7}, at::kByte)));
}

TEST(Npy, DamagedAndHostileFilesAreRefusedWithTheReason) {
  const auto parse = [](const std::string& bytes) { return [bytes] { parse_npy(bytes, "a.npy"); }; };
  const auto header = [](const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  };
  EXPECT_THAT(parse("item,label\na,1\n"), ThrowsUsageError(HasSubstr("a.npy"), HasSubstr("not a .npy")));
  EXPECT_THAT(parse(file(header("|u1", "(2,)"), "ab", 3)), ThrowsUsageError(HasSubstr("version 3")));
  EXPECT_THAT(parse(file(header(">f4", "(1,)"), "abcd")), ThrowsUsageError(HasSubstr("'>f4'"), HasSubstr("astype")));
  EXPECT_THAT(parse(file(header("|O", "(1,)"), "abcdefgh")), ThrowsUsageError(HasSubstr("'|O'")));
  EXPECT_THAT(parse(file(header("<f4", "(2, 2)", "True"), std::string(16, 'x'))), ThrowsUsageError(HasSubstr("Fortran")));
  EXPECT_THAT(parse(file(header("<f4", "(3,)"), "abcd")), ThrowsUsageError(HasSubstr("4 bytes"), HasSubstr("asks for 12")));
  EXPECT_THAT(parse(file(header("<f8", "(4611686018427387904, 4611686018427387904)"), "abcd")),
              ThrowsUsageError(HasSubstr("more than a file can hold")));
  EXPECT_THAT(parse(file(header("<f8", "(0, 4611686018427387904, 4611686018427387904)"), "")),
              ThrowsUsageError(HasSubstr("a.npy"), HasSubstr("more than a file can hold")));
  EXPECT_THAT(parse(file(header("<f8", "(-1,)"), "abcd")), ThrowsUsageError(HasSubstr("header")));
  EXPECT_THAT(parse(file("{'descr': '<f4'}", "")), ThrowsUsageError(HasSubstr("header")));
  EXPECT_THAT(parse(file("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (), }", "")),
              ThrowsUsageError(HasSubstr("header")));
  EXPECT_THAT(parse(file(header("<f4", "__import__('os')"), "")), ThrowsUsageError(HasSubstr("header")));
  const std::string whole = npy_bytes(at::arange(3));
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_THAT(parse(whole.substr(0, size)), ThrowsUsageError()) << size;
  EXPECT_THAT([] { npy_bytes(at::zeros({2}, at::kBool)); }, ThrowsUsageError(HasSubstr("Bool")));
}

}  // namespace
}  // namespace reprise::datasets
