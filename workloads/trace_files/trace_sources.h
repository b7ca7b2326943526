// The real traces that the project knows: their sources, and their import from a folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/spec/trace_spec.h"

namespace harness {

/// An entry of workloads/traces/SOURCES.toml.
struct TraceSource {
  std::string name;        ///< name of the imported trace
  std::string file;        ///< name of the file in the folder it is taken from
  std::string repository;  ///< owner/name
  std::string commit;
  std::string path;  ///< path of the original in the repository
  std::string licence;
  std::string sha256;
  std::string description;
  std::string format;  ///< TraceSpec::format with which the file is read
  std::string column;  ///< TraceSpec::column of the file; "": not given
  double bin_s = 0;    ///< TraceSpec::bin_s of the file; 0: not given
};

/// Returns the sources shipped in workloads/traces/SOURCES.toml. Throws InputError.
std::vector<TraceSource> trace_sources();
/// Reads sources from text. Throws InputError.
std::vector<TraceSource> parse_trace_sources(const std::string& file, std::string_view text);

/// The result of import_sources() for one source.
struct ImportOutcome {
  enum class Kind { kImported, kMissing, kOtherChecksum };
  TraceSource source;
  Kind kind = Kind::kMissing;
  std::string found_at;      ///< path of the imported file, or (kOtherChecksum) of the last with that name
  std::string found_sha256;  ///< checksum of the file at `found_at`
  std::string written_to;    ///< path of the trace that was written (kImported)
  double requests = 0;       ///< number of requests in that trace
  std::size_t bins = 0;      ///< number of bins in that trace
};

/// Imports each source's file to out_folder/NAME.csv.gz as counts per bin, in the form that shape "file"
/// reads: the published bins, or bins of 1 s for recorded times. The file may lie anywhere below `folder`.
/// Among the files of its name the first in order of path whose checksum is right is taken; files with
/// another checksum are never imported. out_folder is made if need be. Throws InputError if `folder` is no
/// folder or a file cannot be read, EnvironmentError if a file cannot be written.
std::vector<ImportOutcome> import_sources(const std::vector<TraceSource>& sources, const std::string& folder,
                                          const std::string& out_folder);

/// Returns one line for people: "tweet: imported ...", "wiki: missing ...".
std::string describe(const ImportOutcome& outcome);

/// Returns the SHA-256 (hex) of the trace's file; "" for generated shapes. Throws InputError if it cannot be
/// read; if there is no file, the message names the key and, for the real traces in
/// workloads/traces/SOURCES.toml, says what to do.
std::string trace_checksum(const TraceSpec& spec);

}  // namespace harness
