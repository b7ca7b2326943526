#include "harness/files/file_bytes.h"

#include <zlib.h>

#include <new>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/input_file.h"
#include "harness/files/file_writer.h"

namespace harness {
namespace {

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

InputError too_large(const InputPlace& place, std::size_t largest) {
  return input_error(place, "more than " + mebibytes(largest), "at most " + mebibytes(largest));
}

}  // namespace

std::string read_file(const std::string& path, std::size_t largest, const InputPlace& named_at) {
  InputFile file(path, "a readable file", named_at);
  const InputPlace place = place_of_file(path, named_at);
  if (file.size() > largest) throw too_large(place, largest);
  constexpr std::size_t kChunk = std::size_t{1} << 16;
  std::string bytes;
  char chunk[kChunk];
  while (const std::size_t count = file.read(chunk, sizeof chunk)) {
    bytes.append(chunk, count);
    if (bytes.size() > largest) throw too_large(place, largest);
  }
  return bytes;
}

std::string packed(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string result(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int state = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  HARNESS_CHECK(state == Z_STREAM_END, "zlib cannot pack");
  return result;
}

void write_file(const std::string& path, std::string_view bytes) {
  const bool gzipped = path.size() > 3 && path.ends_with(".gz");
  FileWriter file(path);
  if (gzipped)
    file.add(packed(bytes));
  else
    file.add(bytes);
  file.commit();
}

}  // namespace harness
