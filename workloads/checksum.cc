#include "workloads/checksum.h"

#include <openssl/evp.h>

#include "harness/core/error.h"
#include "workloads/file_bytes.h"

namespace harness {

std::string sha256_of(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  HARNESS_CHECK(done == 1, "SHA-256 failed");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

std::string sha256_of_file(const std::string& path) { return sha256_of(read_file(path)); }

}  // namespace harness
