#include <chrono>
#include <cstring>
#include <fstream>

#include "tests/support.h"
#include "tests/weights/states.h"
#include "weights/safetensors.h"
#include "weights/state_dict.h"

namespace reprise::weights {
namespace {

using testing::HasSubstr;

/// A file with this header and so many bytes of data.
std::string file_of(const std::string& header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + std::string(data, '\1');
}

auto parsing_safetensors(const std::string& bytes) {
  return [bytes] { parse_safetensors(bytes, "some.safetensors"); };
}

TEST(Safetensors, EveryTypeShapeAndNameComesBackInOrder) {
  const auto state = one_of_each_type();
  const auto read =
      parse_safetensors(safetensors_bytes(state, {{"note", "a \"quoted\" text"}}), "memory");
  ASSERT_EQ(read.tensors.size(), state.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    EXPECT_EQ(read.tensors[i].first, state[i].first);
    EXPECT_EQ(read.tensors[i].second.scalar_type(), state[i].second.scalar_type());
    EXPECT_TRUE(at::equal(read.tensors[i].second, state[i].second)) << state[i].first;
  }
  EXPECT_EQ(read.metadata, (Metadata{{"note", "a \"quoted\" text"}}));
}

TEST(Safetensors, TheSameTensorsGiveTheSameBytes) {
  EXPECT_EQ(safetensors_bytes(one_of_each_type()), safetensors_bytes(one_of_each_type()));
}

TEST(Safetensors, EveryTensorIsAlignedToItsType) {
  const std::string bytes = safetensors_bytes(one_of_each_type());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0U);
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  for (const auto& [name, tensor] : one_of_each_type())
    EXPECT_EQ(header[name]["data_offsets"][0].get<std::uint64_t>() % tensor.element_size(), 0U)
        << name;
}

TEST(Safetensors, AFileOnDiskIsReadByContentWhateverItsName) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "weights.pth";
  write_safetensors(path, one_of_each_type());
  EXPECT_EQ(read_weights(path).size(), one_of_each_type().size());
}

TEST(Safetensors, ABoolThatIsNeitherZeroNorOneIsTrue) {
  const auto read =
      parse_safetensors(file_of(R"({"b":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", 0) +
                            std::string("\0\7", 2),
                        "memory");
  EXPECT_TRUE(at::equal(read.tensors[0].second, at::tensor({0, 1}).to(at::kBool)));
}

TEST(Safetensors, AHeaderLongerThanTheFileIsRefusedWithoutAllocatingIt) {
  std::string bytes = file_of("{}", 0);
  bytes[6] = '\x7f';
  EXPECT_THAT(parsing_safetensors(bytes),
              ThrowsUsageError(HasSubstr("some.safetensors"), HasSubstr("has a header of"),
                               HasSubstr("only 2 follow")));
  EXPECT_THAT(parsing_safetensors("short"),
              ThrowsUsageError(HasSubstr("shorter than the 8 bytes")));
}

TEST(Safetensors, OffsetsMustTileTheData) {
  const auto two = [](int a0, int a1, int b0, int b1) {
    return R"({"a":{"dtype":"U8","shape":[)" + std::to_string(a1 - a0) + R"(],"data_offsets":[)" +
           std::to_string(a0) + "," + std::to_string(a1) + R"(]},"b":{"dtype":"U8","shape":[)" +
           std::to_string(b1 - b0) + R"(],"data_offsets":[)" + std::to_string(b0) + "," +
           std::to_string(b1) + "]}}";
  };
  EXPECT_EQ(parse_safetensors(file_of(two(0, 4, 4, 8), 8), "memory").tensors.size(), 2U);
  EXPECT_THAT(parsing_safetensors(file_of(two(0, 5, 4, 8), 8)),
              ThrowsUsageError(HasSubstr("\"b\" overlaps another")));
  EXPECT_THAT(parsing_safetensors(file_of(two(0, 3, 4, 8), 8)),
              ThrowsUsageError(HasSubstr("1 bytes before tensor \"b\" belong to no tensor")));
  EXPECT_THAT(parsing_safetensors(file_of(two(0, 4, 4, 7), 8)),
              ThrowsUsageError(HasSubstr("1 bytes at the end belong to no tensor")));
  EXPECT_THAT(parsing_safetensors(file_of(two(0, 4, 4, 9), 8)),
              ThrowsUsageError(HasSubstr("\"b\" ends at byte 9"), HasSubstr("the file has 8")));
}

TEST(Safetensors, AShapeMustBeTheSizeOfItsOffsets) {
  EXPECT_THAT(
      parsing_safetensors(file_of(R"({"w":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8)),
      ThrowsUsageError(HasSubstr("\"w\" needs 12 bytes by its shape, but its offsets hold 8")));
  EXPECT_THAT(
      parsing_safetensors(file_of(
          R"({"w":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0)),
      ThrowsUsageError(HasSubstr("beyond 64 bits")));
  EXPECT_THAT(
      parsing_safetensors(file_of(
          R"({"w":{"dtype":"F32","shape":[0,4611686018427387904,4],"data_offsets":[0,0]}})", 0)),
      ThrowsUsageError(HasSubstr("beyond 64 bits")));
}

TEST(Safetensors, AHeaderOfAnotherFormIsRefusedByWhatIsWrong) {
  const auto refused = [](const std::string& header, const std::string& why) {
    EXPECT_THAT(parsing_safetensors(file_of(header, 0)), ThrowsUsageError(HasSubstr(why)))
        << header;
  };
  refused(R"({"w":{"dtype":"F4","shape":[0],"data_offsets":[0,0]}})",
          "tensor \"w\": type F4 is not supported");
  refused(R"({"w":{"shape":[0],"data_offsets":[0,0]}})", "needs dtype, shape and data_offsets");
  refused(R"({"w":{"dtype":"F32","shape":[-1],"data_offsets":[0,0]}})",
          "shape has -1, which is no whole number");
  refused(R"({"w":{"dtype":"F32","shape":[0.5],"data_offsets":[0,0]}})",
          "shape has 0.5, which is no whole number");
  refused(R"({"w":{"dtype":"F32","shape":[0],"data_offsets":[4,0]}})", "begin <= end");
  refused(R"({"w":{"dtype":"F32","shape":[0],"data_offsets":[0]}})", "must be [begin, end]");
  refused(R"({"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"more":"x"}})",
          "and nothing else");
  refused(R"({"w":{"dtype":"F32","shape":[[0]],"data_offsets":[0,0]}})",
          "shape has [0], which is no whole number");
  refused(R"({"w":{"dtype":"F32","shape":{},"data_offsets":[0,0]}})", "shape is no list");
  refused(R"({"w":1})", "needs dtype");
  refused(R"({"w":null})", "needs dtype");
  refused(R"(["w"])", "an object was expected");
  refused(R"({"__metadata__":{"a":1}})", "__metadata__ is no object of texts");
  refused(
      R"({"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
      "the key \"w\" is given twice");
  refused("{\"w", "not complete JSON: character");
  refused(std::string(200000, '['), "nested lists");
  refused("{\"w\":" + std::string(200000, '{'), "not complete JSON");
}

TEST(Safetensors, AHeaderIsNotCutAtANulByte) {
  const std::string tensor = R"({"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})";
  EXPECT_EQ(parse_safetensors(file_of(tensor + "   ", 0), "memory").tensors.size(), 1U);
  EXPECT_THAT(parsing_safetensors(file_of(tensor + std::string("\0{}", 3), 0)),
              ThrowsUsageError(HasSubstr("NUL")));
}

TEST(Safetensors, TheWriterRefusesWhatItCouldNotReadBack) {
  EXPECT_THAT(
      [] {
        safetensors_bytes({{"a", at::ones(1)}, {"a", at::ones(1)}});
      },
      ThrowsError(HasSubstr("the name \"a\" is given twice")));
  EXPECT_THAT(
      [] {
        safetensors_bytes({{"__metadata__", at::ones(1)}});
      },
      ThrowsError(HasSubstr("\"__metadata__\" is given twice")));
  EXPECT_THAT(
      [] {
        safetensors_bytes({{"a", at::Tensor()}});
      },
      ThrowsError(HasSubstr("\"a\" is undefined")));
  EXPECT_THAT(
      [] {
        safetensors_bytes({{"a", at::ones(1, at::kComplexHalf)}});
      },
      ThrowsError(HasSubstr("ComplexHalf")));
  EXPECT_THAT(
      [] {
        safetensors_bytes({{"\xff", at::ones(1)}});
      },
      ThrowsError(HasSubstr("not UTF-8")));
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.safetensors";
  EXPECT_THAT(
      [&] {
        write_safetensors(path, {{"w\xff", at::ones(1)}});
      },
      ThrowsError(HasSubstr(path.string()), HasSubstr("\"w\\xff\" is not")));
  EXPECT_THAT(
      [&] {
        write_safetensors(path, {}, {{"k", "\xff"}});
      },
      ThrowsError(HasSubstr(path.string()), HasSubstr("metadata")));
}

// Converting takes time with the number of tensors, not with its square: these take one second, and
// took more than a minute.
TEST(Safetensors, ManyTensorsAreWrittenInTimeThatGrowsWithTheirNumberSlow) {
  StateDict many;
  const auto empty = at::empty({0});
  for (int i = 0; i < 200'000; ++i) many.emplace_back("tensor" + std::to_string(i), empty);
  const auto start = std::chrono::steady_clock::now();
  const auto bytes = safetensors_bytes(many);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20);
  EXPECT_EQ(parse_safetensors(bytes, "many").tensors.size(), many.size());
}

// A terminal obeys escape sequences, and a line feed makes a line that nobody wrote.
TEST(Safetensors, NamesFromAFileAreShownAsPrintableCharacters) {
  EXPECT_THAT(parsing_safetensors(file_of(
                  R"({"a\u001b[2J\nb":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8)),
              ThrowsUsageError(HasSubstr("\"a\\x1b[2J\\x0ab\" needs 12 bytes")));
  EXPECT_THAT(parsing_safetensors(
                  file_of(R"({"w":{"dtype":"\u001b[2J","shape":[3],"data_offsets":[0,8]}})", 8)),
              ThrowsUsageError(HasSubstr("type \\x1b[2J is not")));
}

}  // namespace
}  // namespace reprise::weights
