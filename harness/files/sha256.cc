#include "harness/files/sha256.h"

#include <openssl/evp.h>

#include <memory>
#include <new>

#include "harness/core/check.h"
#include "harness/core/input_file.h"

namespace harness {
namespace {

/// Computes the SHA-256 of bytes that come piece by piece.
class Digest {
 public:
  Digest() {
    if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw std::bad_alloc();
  }

  void add(std::string_view bytes) {
    HARNESS_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "SHA-256 failed");
  }

  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    HARNESS_CHECK(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1, "SHA-256 failed");
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) {
      hex += kDigits[digest[i] >> 4];
      hex += kDigits[digest[i] & 15];
    }
    return hex;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

std::string sha256_of(std::string_view bytes) { return sha256_of(std::span(&bytes, 1)); }

std::string sha256_of(std::span<const std::string_view> pieces) {
  Digest digest;
  for (const std::string_view piece : pieces) digest.add(piece);
  return digest.hex();
}

std::string sha256_of_file(const std::string& path, const InputPlace& named_at) {
  InputFile file(path, "a readable file", named_at);
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  Digest digest;
  char chunk[kChunk];
  while (const std::size_t count = file.read(chunk, sizeof chunk)) digest.add({chunk, count});
  return digest.hex();
}

}  // namespace harness
