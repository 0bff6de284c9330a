// Files compressed by the tests.
#pragma once
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <string>

namespace reprise {

/// `filter`: archive_write_add_filter_gzip and its like.
inline std::string compressed(const std::string& text, int (*filter)(archive*)) {
  std::string packed(text.size() + 4096, '\0');
  std::size_t used = 0;
  auto* file = archive_write_new();
  EXPECT_EQ(filter(file), ARCHIVE_OK);
  archive_write_set_format_raw(file);
  archive_write_set_bytes_in_last_block(file, 1);  // no zeros at the end
  EXPECT_EQ(archive_write_open_memory(file, packed.data(), packed.size(), &used), ARCHIVE_OK);
  auto* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  EXPECT_EQ(archive_write_header(file, entry), ARCHIVE_OK);
  EXPECT_EQ(archive_write_data(file, text.data(), text.size()),
            static_cast<la_ssize_t>(text.size()));
  archive_entry_free(entry);
  EXPECT_EQ(archive_write_close(file), ARCHIVE_OK);
  archive_write_free(file);
  packed.resize(used);
  return packed;
}

}  // namespace reprise
