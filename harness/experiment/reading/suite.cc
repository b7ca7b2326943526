#include "harness/experiment/reading/suite.h"

#include <filesystem>

#include "harness/core/input_error.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/file_bytes.h"
#include "workloads/catalogue/catalogue.h"

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

void Suite::list(ParamList& params) {
  params
      .text_axis("suite", experiments, "paths of experiment files, from the suite's folder",
                 "the experiments, in the order in which they run")
      .needed();
  params.text("name", name, "a text", "what the last lines call the suite").by_default("the file's stem");
}

std::optional<Suite> parse_suite(const std::string& file_name, std::string_view text) {
  const TomlValue tree = parse_toml(file_name, text);
  const TableReader document(file_name, tree, "");
  if (!document.has("suite")) return std::nullopt;
  auto suite = document.read_as<Suite>();
  if (suite.name.empty()) suite.name = stem_of(file_name);
  return suite;
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

}  // namespace harness
