// The zip layout in the forms that PyTorch itself does not write, but that its users and attackers
// do.
#include <archive.h>
#include <archive_entry.h>

#include "tests/support.h"
#include "tests/weights/pickles.h"
#include "weights/pytorch_file.h"

namespace reprise::weights {
namespace {

using testing::HasSubstr;

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string zip(const Entries& entries, const char* compression) {
  std::string bytes(1 << 20, '\0');
  std::size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format_zip(writer);
  archive_write_set_options(writer, compression);
  archive_write_set_bytes_in_last_block(writer, 1);
  EXPECT_EQ(archive_write_open_memory(writer, bytes.data(), bytes.size(), &used), ARCHIVE_OK);
  for (const auto& [name, content] : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname_utf8(entry, name.c_str());
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
    EXPECT_EQ(archive_write_header(writer, entry), ARCHIVE_OK);
    EXPECT_EQ(archive_write_data(writer, content.data(), content.size()),
              static_cast<la_ssize_t>(content.size()));
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  bytes.resize(used);
  return bytes;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}
const std::string two_floats = protocol + named(tensor(storage(2, "0"), 0, {2}, {1})) + ".";
auto parsing_zip(const Entries& entries, const char* compression = "zip:compression=store") {
  return [=] { parse_zip(zip(entries, compression), "some.pth"); };
}

TEST(Zip, StoredAndDeflatedEntriesGiveTheSameTensors) {
  const Entries entries{{"net/data.pkl", two_floats}, {"net/data/0", floats({1, 2})}};
  for (const auto* compression : {"zip:compression=store", "zip:compression=deflate"}) {
    const auto state = parse_zip(zip(entries, compression), "some.pth");
    ASSERT_EQ(state.size(), 1U) << compression;
    EXPECT_TRUE(at::equal(state[0].second, at::tensor({1.0F, 2.0F}))) << compression;
  }
}

TEST(Zip, TheOrderOfEntriesAndANameThatIsNotAsciiDoNotMatter) {
  const auto state =
      parse_zip(zip({{"données/data/0", floats({1, 2})}, {"données/data.pkl", two_floats}},
                    "zip:compression=store"),
                "some.pth");
  EXPECT_TRUE(at::equal(state.at(0).second, at::tensor({1.0F, 2.0F})));
}

TEST(Zip, ADeflatedBombIsRefusedBeforeItIsInflatedSlow) {
  const std::string zeros(100 << 20, '\0');
  const std::string bytes =
      zip({{"net/data.pkl", two_floats}, {"net/data/0", zeros}}, "zip:compression=deflate");
  ASSERT_LT(bytes.size(), 1U << 18);
  EXPECT_THAT([&] { parse_zip(bytes, "some.pth"); },
              ThrowsUsageError(HasSubstr("some.pth"), HasSubstr("16 times its size")));
}

TEST(Zip, ADamagedStorageIsFoundByItsCheckSum) {
  std::string bytes =
      zip({{"net/data.pkl", two_floats}, {"net/data/0", floats({1, 2})}}, "zip:compression=store");
  bytes[bytes.find(floats({1, 2}))] ^= 1;
  EXPECT_THAT([&] { parse_zip(bytes, "some.pth"); },
              ThrowsUsageError(HasSubstr("zip entry net/data/0 is damaged")));
}

TEST(Zip, WhatATensorNeedsMustBeThere) {
  EXPECT_THAT(parsing_zip({{"net/data.pkl", two_floats}}),
              ThrowsUsageError(HasSubstr("\"w\" needs storage 0, which is missing")));
  EXPECT_THAT(parsing_zip({{"net/data.pkl", two_floats}, {"other/data/0", floats({1, 2})}}),
              ThrowsUsageError(HasSubstr("which is missing")));
  EXPECT_THAT(parsing_zip({{"net/data.pkl", two_floats}, {"net/data/0", floats({1})}}),
              ThrowsUsageError(HasSubstr("2 elements, but the file holds 1")));
  EXPECT_THAT(parsing_zip({{"net/data/0", floats({1, 2})}}),
              ThrowsUsageError(HasSubstr("without NAME/data.pkl")));
  EXPECT_THAT(parsing_zip({{"a/data.pkl", two_floats}, {"b/data.pkl", two_floats}}),
              ThrowsUsageError(HasSubstr("two pickles, a/data.pkl and b/data.pkl")));
  EXPECT_THAT(
      parsing_zip(
          {{"net/data.pkl", two_floats}, {"net/byteorder", "big"}, {"net/data/0", floats({1, 2})}}),
      ThrowsUsageError(HasSubstr("big-endian")));
}

}  // namespace
}  // namespace reprise::weights
