#include "harness/experiment/running/driver.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "harness/core/error.h"
#include "harness/experiment/cells/cell_distribution.h"
#include "harness/experiment/running/crash_mark.h"
#include "harness/experiment/running/experiment_run.h"
#include "harness/record/analysis/text_table.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/files/file_bytes.h"
#include "workloads/files/table_reader.h"

namespace harness {
namespace {

void check_member(const Suite& suite, std::size_t index, const std::vector<std::string>& files) {
  const NamedAt& member = suite.experiments[index];
  const std::string& file = files[index];
  std::error_code error;
  if (!std::filesystem::exists(file, error) && !error) {
    const InputPlace& at = member.place;
    throw input_error({at.file, at.line, at.key + " = " + file}, "no such file", "experiment files");
  }
  if (parse_suite(file, read_file(file, kLargestText, member.place)))
    throw input_error(member.place, file + ", a suite", "experiments: a suite holds no other");
  for (std::size_t other = 0; other < index; ++other) {
    if (stem_of(files[other]) != stem_of(file)) continue;
    throw input_error(member.place, files[other] + " and " + file,
                      "a name of its own for each: results are named after it");
  }
}

}  // namespace

std::optional<Suite> parse_suite(const std::string& file_name, std::string_view text) {
  const TomlValue tree = parse_toml(file_name, text);
  const TableReader document(file_name, tree, "");
  if (!document.has("suite")) return std::nullopt;
  document.require_known(plain_keys_of("suite"));
  return Suite{document.text_or("name", stem_of(file_name)), document.text_axis("suite")};
}

ExperimentFiles experiment_files(const std::string& path) {
  const std::optional<Suite> suite = parse_suite(path, read_file(path));
  if (!suite) return {false, stem_of(path), {path}};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::vector<std::string> files;
  for (const NamedAt& member : suite->experiments) files.push_back(resolve_path(folder, member.name));
  for (std::size_t i = 0; i < files.size(); ++i) check_member(*suite, i, files);
  return {true, suite->name, files};
}

ExperimentPart parse_part(const std::string& text) {
  constexpr std::uint32_t kMax = 1'000'000;
  ExperimentPart part;
  const char* const end = text.data() + text.size();
  const auto [slash, fault] = std::from_chars(text.data(), end, part.number);
  const bool has_slash = fault == std::errc() && slash != end && *slash == '/';
  const auto [rest, other_fault] =
      has_slash ? std::from_chars(slash + 1, end, part.of) : std::from_chars_result{slash, fault};
  if (!has_slash || other_fault != std::errc() || rest != end || part.of > kMax || part.number < 1 ||
      part.number > part.of)
    throw input_error({"", 0, "--part"}, text,
                      "K/N: the K-th of N parts, K from 1 to N, N at most 1,000,000, such as 3/100");
  return part;
}

namespace {

using Clock = std::chrono::steady_clock;

std::atomic<int> stop_signal = 0;  // read by the watch of devices, too

void install_signal_handlers() {
  const auto stop = [](int signal) {
    stop_signal = signal;
    std::signal(signal, SIG_DFL);
  };
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  // The terminal is gone; under nohup that does not count.
  if (std::signal(SIGHUP, stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

/// The experiments of one call of the program, in one process.
class Driver {
 public:
  Driver(const RunOptions& options, CellDistribution& ranks) : options_(options), ranks_(ranks) {}
  int run();

 private:
  void find_experiments();
  int run_each();
  int dry_run();
  void print_ends(const std::vector<ExperimentEnd>& ends) const;

  const RunOptions& options_;
  CellDistribution& ranks_;
  Clock::time_point began_ = Clock::now();
  ExperimentFiles what_;
  std::vector<std::unique_ptr<ExperimentRun>> runs_;
};

void Driver::find_experiments() {
  on_all_ranks(ranks_, options_.file, [this](RankReport& report) {
    what_ = options_.text.empty() ? experiment_files(options_.file)
                                  : ExperimentFiles{false, stem_of(options_.file), {options_.file}};
    // Only the number must be the same here: each experiment is compared by itself.
    report.digest = std::to_string(what_.files.size());
  });
  const auto check_signal = [this] {
    if (stop_signal == 0) return;
    throw EnvironmentError(options_.dry_run ? "interrupted"
                                            : "interrupted; the same command finishes the rest");
  };
  for (const std::string& file : what_.files)
    runs_.push_back(std::make_unique<ExperimentRun>(options_, file, ranks_, check_signal));
}

int Driver::run() {
  find_experiments();
  // An experiment of a suite that was not reached could not tell that it is to start over.
  if (!is_launched() && !options_.again && !(options_.fresh && what_.is_suite)) start_again_after_crashes();
  for (const auto& run : runs_) run->check();
  return options_.dry_run ? dry_run() : run_each();
}

int Driver::dry_run() {
  const bool speaks = ranks_.rank() == 0;
  int worst = kAllWell;
  std::vector<Json> plans;
  for (const auto& run : runs_) {
    std::string plan;
    worst = std::max(worst, run->dry_run(what_.is_suite, plan));
    if (options_.json)
      plans.push_back({plan});
    else if (speaks)
      std::fputs(plan.c_str(), stdout);
  }
  if (!options_.json || !speaks) return worst;
  JsonObject document;
  document.add("name", what_.name);
  document.add("is_suite", what_.is_suite);
  document.add("experiments", plans);
  std::fputs((document.json(",\n").text + "\n").c_str(), stdout);
  return worst;
}

int Driver::run_each() {
  const bool speaks = what_.is_suite && ranks_.rank() == 0;
  std::vector<ExperimentEnd> ends;
  int worst = kAllWell;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (speaks && options_.progress == ProgressForm::kText)
      std::fprintf(stderr, "experiment %zu of %zu: %s\n", i + 1, runs_.size(), what_.files[i].c_str());
    ends.push_back(runs_[i]->run());
    worst = std::max(worst, ends.back().exit_code);
    runs_[i].reset();  // its plans and the lock on its results
  }
  if (speaks) print_ends(ends);
  return worst;
}

void Driver::print_ends(const std::vector<ExperimentEnd>& ends) const {
  std::size_t cells = 0;
  std::size_t width = 0;
  for (const std::string& file : what_.files) width = std::max(width, file.size());
  for (const ExperimentEnd& end : ends) cells += end.cells;
  const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
  std::printf("suite %s: %s, %s, %s\n", what_.name.c_str(), counted(ends.size(), "experiment").c_str(),
              counted(cells, "cell").c_str(), short_time(seconds).c_str());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::printf("  %-*s  %6zu cell%s  %s%s\n", static_cast<int>(width), what_.files[i].c_str(), ends[i].cells,
                ends[i].cells == 1 ? " " : "s", ends[i].how.c_str(),
                ends[i].exit_code == kAllWell ? "" : "; cells skipped or invalid");
  }
}

}  // namespace

int run_experiment_on(const RunOptions& options, CellDistribution& ranks) {
  install_signal_handlers();
  return Driver(options, ranks).run();
}

int run_experiment(const RunOptions& options) {
  CellDistribution ranks;
  try {
    return run_experiment_on(options, ranks);
  } catch (const RankStopped&) {
    return kAllWell;  // rank 0 says what is wrong; a launcher may end all ranks before that, as soon as one
                      // fails
  }
}

}  // namespace harness
