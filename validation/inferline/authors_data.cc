#include "validation/inferline/authors_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "harness/files/text_lines.h"

namespace harness {
namespace {

/// A reader of a CSV file, which gives the fields of the current line by column.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path) : bytes_(read_file(path)), lines_(path, bytes_) {
    if (!lines_.next()) throw lines_.error("header", "nothing", "names of columns");
    split_fields(lines_.line(), fields_);
    for (std::size_t i = 0; i < fields_.size(); ++i) columns_[std::string(fields_[i])] = i;
  }

  bool next() {
    if (!lines_.next_filled()) return false;
    split_fields(lines_.line(), fields_);
    return true;
  }
  std::string text(const std::string& column) const {
    const auto at = columns_.find(column);
    if (at == columns_.end() || at->second >= fields_.size())
      throw lines_.error(column, "no such column", "the column");
    return std::string(fields_[at->second]);
  }
  double number(const std::string& column) const {
    const std::string field = text(column);
    return field.empty() ? NAN : number_field(lines_, column, field, 0, 1e9);
  }
  InputError error(const std::string& column) const {
    return lines_.error(column, harness::quoted(text(column)), "model=gpu/1cpu/b1/x1;...");
  }

 private:
  std::string bytes_;
  TextLines lines_;
  std::vector<std::string_view> fields_;
  std::map<std::string, std::size_t> columns_;
};

/// Returns the number that `text` begins with, and removes it; returns `fallback` if there is no number.
double leading_number(std::string_view& text, double fallback) {
  double value = fallback;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Reads "v100/1cpu", or "2xv100+4cpu".
void read_resources(std::string_view text, AuthorsStage& stage) {
  if (const std::size_t times = text.find('x'); times != std::string_view::npos) {
    stage.gpus = static_cast<int>(leading_number(text, 1));
    text.remove_prefix(1);
  } else {
    stage.gpus = text.starts_with("none") ? 0 : 1;
  }
  const std::size_t end = text.find_first_of("/+");
  stage.gpu = text.substr(0, end);
  text.remove_prefix(end + 1);
  stage.cpus = static_cast<int>(leading_number(text, 0));
}

std::vector<AuthorsStage> stages_of(const CsvFile& file) {
  std::vector<AuthorsStage> stages;
  const std::string config = file.text("config");
  std::string_view rest = config;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    AuthorsStage& stage = stages.emplace_back();
    const std::size_t equals = part.find('=');
    const std::size_t batch = part.find("/b");
    const std::size_t replicas = part.find("/x");
    if (equals == std::string_view::npos || batch == std::string_view::npos ||
        replicas == std::string_view::npos || part.find("cpu") > batch)
      throw file.error("config");
    stage.model = part.substr(0, equals);
    read_resources(part.substr(equals + 1, batch - equals - 1), stage);
    std::string_view number = part.substr(batch + 2);
    stage.batch = leading_number(number, 0);
    number = part.substr(replicas + 2);
    stage.replicas = static_cast<int>(leading_number(number, 0));
  }
  return stages;
}

AuthorsPlan plan_of(const CsvFile& file) {
  return {file.text("key"),
          file.text("pipeline"),
          file.text("planner"),
          file.number("slo_s"),
          file.number("scv"),
          file.number("utilization_cap"),
          file.number("lam_qps"),
          stages_of(file),
          file.number("cost_estimated_usd_per_h"),
          file.number("est_path_p99_sum_s"),
          file.number("est_throughput_qps")};
}

AuthorsRun run_of(const CsvFile& file) {
  return {file.text("run_id"),
          file.text("set"),
          file.text("pipeline"),
          file.number("slo_s"),
          file.number("scv"),
          file.number("lam_qps"),
          file.number("utilization_cap"),
          file.number("cost_usd_per_h"),
          file.number("gpus"),
          stages_of(file),
          file.number("slo_miss_rate")};
}

}  // namespace

double AuthorsData::price(const AuthorsStage& stage) const {
  return stage.cpus * prices.at("cpu") + (stage.gpus > 0 ? stage.gpus * prices.at(stage.gpu) : 0);
}

AuthorsData read_authors(const std::string& folder) {
  AuthorsData data;
  for (CsvFile file(folder + "/prices.csv"); file.next();) {
    if (file.text("cloud") == "aws") data.prices[file.text("resource")] = file.number("usd_per_h");
  }
  for (CsvFile file(folder + "/profiles.csv"); file.next();) {
    data.profiles.push_back({file.text("path"), file.text("kind"), file.text("model"), file.text("gpu"),
                             file.number("batch_mean"), file.number("throughput_qps"),
                             file.number("p99_ms")});
  }
  for (CsvFile file(folder + "/planner_choices.csv"); file.next();) data.plans.push_back(plan_of(file));
  for (CsvFile file(folder + "/runs.csv"); file.next();) data.runs.push_back(run_of(file));
  return data;
}

}  // namespace harness
