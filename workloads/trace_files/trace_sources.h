// The real traces the project knows: where they come from, and how to take them from a folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/spec/trace_spec.h"

namespace harness {

/// One entry of workloads/traces/SOURCES.toml.
struct TraceSource {
  std::string name;        ///< how the imported trace is called
  std::string file;        ///< name of the file in the folder it is taken from
  std::string repository;  ///< owner/name
  std::string commit;
  std::string path;  ///< in the repository
  std::string licence;
  std::string sha256;
  std::string description;
  std::string format;  ///< as in TraceSpec
  std::string column;
  double bin_s = 0;
};

/// The sources shipped in workloads/traces/SOURCES.toml. Throws InputError.
std::vector<TraceSource> trace_sources();
/// The same from text.
std::vector<TraceSource> parse_trace_sources(const std::string& file, std::string_view text);

/// What import_sources did with one source.
struct ImportOutcome {
  enum class Kind { kImported, kMissing, kOtherChecksum };
  TraceSource source;
  Kind kind = Kind::kMissing;
  std::string found_at;      ///< path of the file that was read
  std::string found_sha256;  ///< its checksum
  std::string written_to;    ///< path of the normalised trace
  double requests = 0;
  std::size_t bins = 0;
};

/// Looks for each source's file by name anywhere below `folder` (the first in order of path whose checksum is
/// right counts) and writes it to out_folder/NAME.csv.gz as counts per bin that shape "file" reads: the
/// published bins, or bins of 1 s for recorded times. Files with another checksum are not taken. out_folder
/// is made if need be. Throws InputError when `folder` is no folder or a file cannot be read,
/// EnvironmentError when a file cannot be written.
std::vector<ImportOutcome> import_sources(const std::vector<TraceSource>& sources, const std::string& folder,
                                          const std::string& out_folder);

/// One line for people: "tweet: imported ...", "wiki: missing ...".
std::string describe(const ImportOutcome& outcome);

}  // namespace harness
