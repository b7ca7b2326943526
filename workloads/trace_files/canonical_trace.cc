#include "workloads/trace_files/canonical_trace.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "harness/core/input_error.h"
#include "harness/core/input_file.h"
#include "harness/core/printable.h"
#include "harness/core/wording.h"
#include "harness/files/file_bytes.h"
#include "harness/files/sha256.h"
#include "harness/files/table_reader.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

static_assert(std::endian::native == std::endian::little);
static_assert(std::is_trivially_copyable_v<TokenCount> && sizeof(TokenCount) == 8);

constexpr std::string_view kBeginning = "# harness trace 1\n";
constexpr std::string_view kEndOfHeader = "\n---\n";
constexpr double kMax = 1e10;  // requests, bins, functions

InputError damaged(const std::string& path, const std::string& found) {
  return input_error({path, 0, ""}, found, "a trace as `harness trace import` writes it");
}

struct CanonicalHeader {
  std::size_t requests = 0;
  std::size_t bins = 0;
  std::size_t functions = 0;
  bool has_tokens = false;
  std::string sha256;  ///< checksum of all arrays
};

/// Takes the arrays of a file one after the other.
class Arrays {
 public:
  /// `read_ahead` has the bytes read after the header; `bytes` is the size of all arrays.
  Arrays(InputFile& file, const std::string& path, std::string read_ahead, std::size_t bytes)
      : file_(file), path_(path), read_ahead_(std::move(read_ahead)), left_(bytes) {}

  template <class Number>
  void take(std::vector<Number>& numbers, std::size_t count) {
    if (count > left_ / sizeof(Number)) throw damaged(path_, "fewer bytes than its header says");
    const std::size_t bytes = count * sizeof(Number);
    left_ -= bytes;
    numbers.resize(count);
    fill(reinterpret_cast<char*>(numbers.data()), bytes);
    pieces_.emplace_back(reinterpret_cast<const char*>(numbers.data()), bytes);
  }

  /// Throws InputError unless these were all bytes and their checksum is this one. The arrays that were taken
  /// must still exist.
  void check(const std::string& sha256) const {
    if (left_ > 0) throw damaged(path_, "more bytes than its header says");
    if (sha256_of(pieces_) != sha256) throw damaged(path_, "other numbers than its checksum says");
  }

 private:
  void fill(char* into, std::size_t bytes) {
    const std::size_t ahead = std::min(bytes, read_ahead_.size() - at_);
    if (ahead > 0) std::memcpy(into, read_ahead_.data() + at_, ahead);
    at_ += ahead;
    for (std::size_t done = ahead; done < bytes;) {
      const std::size_t count = file_.read(into + done, bytes - done);
      if (count == 0) throw damaged(path_, "an end within its numbers");
      done += count;
    }
  }

  InputFile& file_;
  const std::string& path_;
  std::string read_ahead_;
  std::size_t at_ = 0;
  std::size_t left_;
  std::vector<std::string_view> pieces_;
};

/// Reads up to the end of the header. Stores bytes read beyond it in `rest`.
std::string header_of(InputFile& file, const std::string& path, std::string& rest) {
  std::string text;
  char chunk[1 << 16];
  for (;;) {
    const std::size_t end = text.find(kEndOfHeader);
    if (end != std::string::npos) {
      rest = text.substr(end + kEndOfHeader.size());
      text.resize(end + 1);
      return text;
    }
    const std::size_t count = file.read(chunk, sizeof chunk);
    if (text.empty() && !std::string_view(chunk, count).starts_with(kBeginning))
      throw damaged(path, "another beginning");
    if (count == 0 || text.size() > kLargestTrace) throw damaged(path, "no end of its header");
    text.append(chunk, count);
  }
}

CanonicalHeader read_header(const TableReader& fields, TraceData& data) {
  fields.require_known({"format", "parts", "bin_s", "reading", "notes", "source", "source_sha256", "requests",
                        "bins", "functions", "has_tokens", "modules", "sha256"});
  data.format = fields.text("format");
  const std::vector<std::string> formats = trace_format_names();
  if (data.format == "auto" || std::find(formats.begin(), formats.end(), data.format) == formats.end())
    throw input_error(fields.place("format"), data.format, join_names(formats));
  data.bin_s = fields.number("bin_s", 1e-9, 1e9);
  data.reading = printable(fields.text("reading"));
  data.notes = fields.texts("notes");
  for (std::string& note : data.notes) note = printable(note);
  data.source_sha256 = fields.text("source_sha256");
  data.modules = fields.texts("modules");
  CanonicalHeader header;
  header.requests = static_cast<std::size_t>(fields.number("requests", 0, kMax));
  header.bins = static_cast<std::size_t>(fields.number("bins", 0, kMax));
  header.functions = static_cast<std::size_t>(fields.number("functions", 0, kMax));
  header.has_tokens = fields.flag_or("has_tokens", false);
  header.sha256 = fields.text("sha256");
  return header;
}

/// Throws InputError for numbers that no trace can have.
void check_numbers(const std::string& path, const TraceData& data) {
  constexpr TimeNs kLatest = 1'000'000'000 * kNsPerS;
  const auto& times = data.times_ns;
  if (!times.empty() && (times.back() > kLatest || !data.counts.empty()))
    throw damaged(path, times.back() > kLatest ? "times after 1e9 s" : "times beside counts");
  if (!std::is_sorted(times.begin(), times.end()) || (!times.empty() && times.front() < 0))
    throw damaged(path, "times that fall");
  const auto is_count = [](auto count) { return std::isfinite(count) && count >= 0; };
  bool are_counts = std::all_of(data.counts.begin(), data.counts.end(), is_count);
  for (const std::vector<float>& rates : data.rates)
    are_counts = are_counts && std::all_of(rates.begin(), rates.end(), is_count);
  if (!are_counts) throw damaged(path, "a count below 0, or none");
  const auto is_place = [&](std::int32_t place) {
    return place >= 0 && static_cast<std::size_t>(place) < data.modules.size();
  };
  if (!std::all_of(data.module_of.begin(), data.module_of.end(), is_place))
    throw damaged(path, "a request of a module that it does not name");
  if (times.empty() && data.counts.empty() && data.rates.empty()) throw damaged(path, "no requests");
}

}  // namespace

bool is_canonical_trace(const std::string& path, const InputPlace& named_at) {
  InputFile file(path, "a readable file", named_at);
  char begin[kBeginning.size()];
  std::size_t size = 0;
  while (const std::size_t count = file.read(begin + size, sizeof begin - size)) size += count;
  return std::string_view(begin, size) == kBeginning;
}

TraceData read_canonical_trace(const std::string& path) {
  InputFile file(path);
  std::string rest;
  const std::string text = header_of(file, path, rest);
  if (file.size() + 1 < text.size() + kEndOfHeader.size()) throw damaged(path, "an end within its header");
  const std::size_t size = file.size() - text.size() - (kEndOfHeader.size() - 1);
  TraceData data;
  const TomlValue document = parse_toml(path, text);
  const CanonicalHeader header = read_header(TableReader(path, document), data);
  Arrays arrays(file, path, std::move(rest), size);
  arrays.take(data.times_ns, header.requests);
  if (header.has_tokens) arrays.take(data.tokens, header.requests);
  if (!data.modules.empty()) arrays.take(data.module_of, header.requests);
  if (header.functions == 0) arrays.take(data.counts, header.bins);
  if (header.functions > 0 && (header.bins == 0 || header.functions > size / sizeof(float)))
    throw damaged(path, "fewer bytes than its header says");
  data.rates.resize(header.functions);
  for (std::vector<float>& rates : data.rates) arrays.take(rates, header.bins);
  arrays.check(header.sha256);
  check_numbers(path, data);
  return data;
}

}  // namespace harness
