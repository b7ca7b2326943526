#include "harness/experiment/running/run_status.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/property_tree/json_parser.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <type_traits>
#include <utility>

#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "harness/files/file_writer.h"
#include "harness/machine/host_name.h"
#include "harness/text/json.h"
#include "harness/text/text_table.h"

namespace harness {
namespace {

constexpr double kSilentS = 3600;  // limit that allows for loading models and long live cells

double now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Calls `member` with the name and the value of each member of the file.
void list(auto& status, auto&& member) {
  member("state", status.state);
  member("experiment", status.experiment);
  member("results", status.results);
  member("host", status.host);
  member("pid", status.pid);
  member("pid_start", status.pid_start);
  member("ranks", status.ranks);
  member("total", status.total);
  member("done", status.done);
  member("failed", status.failed);
  member("running", status.running);
  member("started_s", status.started_s);
  member("updated_s", status.updated_s);
  member("elapsed_s", status.elapsed_s);
  member("eta_s", status.eta_s);
  member("cell", status.cell);
  member("cell_share", status.cell_share);
  member("last_cell", status.last_cell);
}

/// Returns the start time of a process; 0 if there is no such process, or the kernel does not show it.
std::int64_t start_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return 0;
  constexpr int kBefore = 19;  // fields between the name and the start time
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 0; i < kBefore; ++i) fields >> field;
  std::int64_t start = 0;
  return fields >> start ? start : 0;
}

}  // namespace

RunStatus own_status() {
  RunStatus status;
  status.host = host_name();
  status.pid = ::getpid();
  status.pid_start = start_of(status.pid);
  status.started_s = now_s();
  return status;
}

RunStatus read_status(const std::string& path) {
  RunStatus status;
  try {
    std::istringstream text(read_file(path));
    boost::property_tree::ptree tree;
    boost::property_tree::read_json(text, tree);
    list(status, [&tree](const char* name, auto& value) {
      using Value = std::remove_reference_t<decltype(value)>;
      if constexpr (std::is_same_v<Value, double>)
        value = tree.get<std::string>(name) == "null" ? kNoValue : tree.get<double>(name);
      else
        value = tree.get<Value>(name);
    });
  } catch (const boost::property_tree::ptree_error&) {
    throw input_error({path, 0, ""}, "another file", "the status of a run");
  }
  return status;
}

bool is_dead(const RunStatus& status) {
  const bool is_here = status.host == host_name() && status.pid_start != 0 && start_of(::getpid()) != 0;
  return is_here ? start_of(status.pid) != status.pid_start : silent_s(status) > kSilentS;
}

double silent_s(const RunStatus& status) { return now_s() - status.updated_s; }

StatusFile::StatusFile(std::string path, const RunStatus& first) : status(first), path_(std::move(path)) {
  write();
}

StatusFile::~StatusFile() {
  if (!is_open_) return;
  status.state = "stopped";
  status.running = 0;
  write();
}

void StatusFile::update(std::chrono::milliseconds at_least) {
  if (is_open_ && (!written_ || Clock::now() - *written_ >= at_least)) write();
}

void StatusFile::write() {
  written_ = Clock::now();
  status.updated_s = now_s();
  status.elapsed_s = std::chrono::duration<double>(*written_ - began_).count();
  JsonObject object;
  list(status, [&object](const char* name, const auto& value) { object.add(name, value); });
  const std::string temporary = path_ + ".tmp";
  ::unlink(temporary.c_str());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) return;
  const bool is_whole = write_fully(file, object.json(",\n").text + "\n") == 0;
  ::close(file);
  if (!is_whole || std::rename(temporary.c_str(), path_.c_str()) != 0) ::unlink(temporary.c_str());
}

}  // namespace harness
