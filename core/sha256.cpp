#include "core/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/regular_file.h"

namespace reprise {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) fail();
  }
  void add(const char* bytes, std::size_t size) {
    if (EVP_DigestUpdate(context_.get(), bytes, size) != 1) fail();
  }
  std::string hexadecimal() {
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (EVP_DigestFinal_ex(context_.get(), raw, &size) != 1) fail();
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < size; ++i) {
      text += digits[raw[i] >> 4];
      text += digits[raw[i] & 15];
    }
    return text;
  }

 private:
  [[noreturn]] static void fail() {
    throw Error("OpenSSL gives no SHA-256", "check that the installed libcrypto is complete");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hexadecimal();
}

std::string sha256_file(const std::filesystem::path& path) {
  RegularFile file(path);
  Digest digest;
  // One MiB at a time, so that a large data set does not fill the memory.
  std::vector<char> piece(1 << 20);
  while (const auto got = file.read(piece.data(), piece.size())) digest.add(piece.data(), got);
  return digest.hexadecimal();
}

std::string sha256_list(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.push_back(entry.path().lexically_relative(folder).generic_string());
  // A folder lists its entries in any order.
  std::ranges::sort(files);
  std::string text;
  for (const auto& file : files) text += sha256_file(folder / file) + "  " + file + "\n";
  return text;
}

std::string sha256_path(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? sha256(sha256_list(path)) : sha256_file(path);
}

}  // namespace reprise
