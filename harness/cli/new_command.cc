#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/printing.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/file_bytes.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

// The names of the system in the templates.
constexpr std::string_view kName = "my_system";
constexpr std::string_view kType = "MySystem";

struct NewOptions {
  std::string name;
  std::string output;
  bool out_of_tree = false;
};

/// A file to write and its contents.
struct NewFile {
  std::string path;
  std::string text;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Returns "MySystem" for "my_system".
std::string type_of(const std::string& name) {
  std::string type;
  bool begins = true;
  for (const char c : name) {
    if (c != '_') type += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    begins = c == '_';
  }
  return type;
}

std::string renamed(std::string text, const std::string& name) {
  replace_all(text, kName, name);
  replace_all(text, kType, type_of(name));
  return text;
}

std::string template_text(const std::string& file, const std::string& name) {
  const std::string path = home_folder() + "/templates/" + file;
  if (!fs::exists(path)) throw EnvironmentError(path + ": not found (set HARNESS_HOME)");
  return renamed(read_file(path), name);
}

void check_name(const std::string& what, const std::string& name) {
  const bool is_plain = !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0 &&
                        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  const InputPlace place{"", 0, "new " + what};
  if (!is_plain) throw input_error(place, "'" + name + "'", "a lower-case letter, then these, digits and _");
  std::vector<std::string> taken = top_level_names();
  for (const char* target : {"all", "clean", "harness", "help", "install", "package", "test"})
    taken.emplace_back(target);  // CMake's, and the library's
  if (what == "system" && std::find(taken.begin(), taken.end(), name) != taken.end())
    throw input_error(place, "'" + name + "', which is there already",
                      "another name than " + join_names(taken));
}

/// Writes the files, or none of them if one is there already.
void write_new(const std::vector<NewFile>& files) {
  for (const NewFile& file : files) {
    std::error_code absent;
    if (fs::exists(fs::symlink_status(file.path, absent)))
      throw input_error({file.path, 0, ""}, "a file that is there already",
                        "another NAME, or -o for another place");
  }
  for (const NewFile& file : files) {
    const fs::path folder = fs::path(file.path).parent_path();
    std::error_code error;
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) throw EnvironmentError(folder.string() + ": cannot be made: " + error.message());
    write_file(file.path, file.text);
    print_text("wrote " + file.path + "\n");
  }
}

std::vector<NewFile> system_files(const std::string& folder, const std::string& name) {
  std::vector<NewFile> files;
  for (const char* ending : {".h", ".cc", "_test.cc"})
    files.push_back({folder + "/" + name + ending,
                     template_text("systems/my_system/my_system" + std::string(ending), name)});
  files.push_back({folder + "/README.md", template_text("systems/my_system/README.md", name)});
  return files;
}

/// Returns the list of systems with one more: its header in alphabetical order, its entry at the end.
std::string with_entry(const std::string& path, const std::string& name) {
  std::string text = read_file(path);
  const std::string include = "#include \"systems/" + name + "/" + name + ".h\"\n";
  constexpr std::string_view kAnyInclude = "#include \"systems/";
  std::size_t at = text.find("\n\n", text.find("#include <")) + 2;
  while (text.compare(at, kAnyInclude.size(), kAnyInclude) == 0 &&
         text.compare(at, include.size(), include) < 0)
    at = text.find('\n', at) + 1;
  text.insert(at, include);
  const std::size_t end = text.find("\n  };\n");
  if (end == std::string::npos) throw input_error({path, 0, ""}, "no end of the list of systems", "\"  };\"");
  text.insert(end + 1,
              "      SystemEntry{\"" + name + "\", \"one line with the paper\", make_" + name + "},\n");
  return text;
}

/// Returns systems/README.md with one more row of its table, the last.
std::string with_row(const std::string& path, const std::string& name) {
  std::string text = read_file(path);
  std::size_t at = text.find("|---|");
  if (at == std::string::npos) throw input_error({path, 0, ""}, "no table of systems", "a table");
  while (at < text.size() && text[at] == '|') at = text.find('\n', at) + 1;
  text.insert(at, "| [" + name + "](" + name + "/README.md) | one line with the paper |\n");
  return text;
}

/// Returns docs/keys.md with the system's parameters after the last system's.
std::string with_keys(const std::string& path, const std::string& name) {
  std::string text = read_file(path);
  const std::string last = std::string("<!-- keys: ") + all_systems().back().name + " -->\n";
  const std::size_t end = text.find("\n\n", text.find(last));
  if (end == std::string::npos)
    throw input_error({path, 0, ""}, "no " + last, "the parameters of all systems");
  text.insert(end + 2, template_text("keys.md", name) + "\n");
  return text;
}

void new_system_in_tree(const NewOptions& options) {
  const std::string systems = home_folder() + "/systems";
  const std::string list = systems + "/all_systems.cc";
  const std::string page = systems + "/README.md";
  if (!fs::exists(list))
    throw input_error({"", 0, "new system"}, "no sources at " + home_folder(),
                      "--out-of-tree, or HARNESS_HOME=SOURCES");
  std::vector<NewFile> files = system_files(systems + "/" + options.name, options.name);
  files.push_back({systems + "/" + options.name + "/CMakeLists.txt",
                   template_text("systems/my_system/CMakeLists.txt", options.name)});
  const std::string keys = home_folder() + "/docs/keys.md";
  const std::vector<NewFile> changed = {{list, with_entry(list, options.name)},
                                        {page, with_row(page, options.name)},
                                        {keys, with_keys(keys, options.name)}};
  write_new(files);
  for (const NewFile& file : changed) {
    write_file(file.path, file.text);
    print_text("changed " + file.path + "\n");
  }
  print_text("\nNext: cmake --build --preset release && ctest --test-dir build/release -R " +
             type_of(options.name) + "\n");
}

void new_system_out_of_tree(const NewOptions& options) {
  const std::string folder = options.output.empty() ? options.name : options.output;
  std::vector<NewFile> files = system_files(folder + "/systems/" + options.name, options.name);
  for (const char* file : {"CMakeLists.txt", "library.cc", "experiment.toml"})
    files.push_back({folder + "/" + file, template_text("out-of-tree/" + std::string(file), options.name)});
  write_new(files);
  print_text(
      "\nNext, where harness is installed at PREFIX (ci/install PREFIX):\n  cd " + folder +
      "\n  cmake -B build -S . -DCMAKE_PREFIX_PATH=PREFIX && cmake --build build && ctest --test-dir build\n"
      "  PREFIX/bin/harness experiment.toml\n");
}

void add_file_kind(CLI::App& command, const char* what, const char* doc) {
  const auto options = std::make_shared<NewOptions>();
  CLI::App* kind = command.add_subcommand(what, doc);
  kind->add_option("name", options->name, "what it is called: NAME.toml")->required()->type_name("NAME");
  kind->add_option("-o,--output", options->output, "the file (default: NAME.toml)")->type_name("FILE.toml");
  kind->callback([options, what] {
    check_name(what, options->name);
    const std::string path = options->output.empty() ? options->name + ".toml" : options->output;
    write_new({{path, template_text(what + std::string(".toml"), options->name)}});
    print_text("\nNext: harness check " + path + "\n");
  });
}

}  // namespace

void add_new_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  CLI::App* command =
      app.add_subcommand("new", "Write a system, pipeline, set of profiles or experiment to start from");
  command->require_subcommand(1);
  command->footer(
      "What it writes is sound and runs as it is. Nothing that is there is overwritten.\n"
      "Examples:\n"
      "  harness new system mine                  systems/mine in the sources, and its line in the list\n"
      "  harness new system mine --out-of-tree    a folder mine that builds against an installed harness\n"
      "  harness new pipeline mine                mine.toml\n"
      "Exit codes: 0 written; 2 a name that cannot be, or a file that is there; 3 the environment failed.");
  const auto options = std::make_shared<NewOptions>();
  CLI::App* system =
      command->add_subcommand("system", "a serving system: source, test, README (systems/README.md)");
  system->add_option("name", options->name, "what experiments call it")->required()->type_name("NAME");
  CLI::Option* outside =
      system->add_flag("--out-of-tree", options->out_of_tree,
                       "in a folder of its own, built into a shared library that experiments name");
  system->add_option("-o,--output", options->output, "with --out-of-tree: the folder (default: NAME)")
      ->needs(outside)
      ->type_name("DIR");
  system->callback([options] {
    check_name("system", options->name);
    if (options->out_of_tree)
      new_system_out_of_tree(*options);
    else
      new_system_in_tree(*options);
  });
  add_file_kind(*command, "pipeline", "a pipeline of modules");
  add_file_kind(*command, "profile", "a set of profiles: how long batches of models take");
  add_file_kind(*command, "experiment", "an experiment");
}

}  // namespace harness
