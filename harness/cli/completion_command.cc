// Completion of shells and manual pages, from the options that the commands have.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/printing.h"
#include "harness/core/build_info.h"
#include "harness/core/environment_error.h"
#include "harness/files/file_bytes.h"

namespace harness {
namespace {

/// Calls `visit` for each command of the program, the program first, with its words, such as "harness show".
void each_command(const CLI::App& app, const std::string& words,
                  const std::function<void(const CLI::App&, const std::string&)>& visit) {
  visit(app, words);
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_name().empty()) each_command(*command, words + " " + command->get_name(), visit);
  }
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Returns the values of an option that has a fixed set of them, "" for others: CLI11 says "TEXT:{a,b}".
std::string values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return "";
  std::string values = type.substr(begin + 1, end - begin - 1);
  for (char& c : values) {
    if (c == ',') c = ' ';
  }
  return values;
}

// The script.

constexpr const char* kScriptHead =
    R"(# Completion for harness: source <(harness completion SHELL), or put this where the shell looks for such files.
_harness_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    if [[ -z $1 || -d $file || $file =~ \.($1)$ ]]; then COMPREPLY+=("$file"); fi
  done < <(compgen -f -- "$2")
}
_harness() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=harness word before=
  COMPREPLY=()
  if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$before" in
)";

constexpr const char* kScriptEnd = R"(  esac
}
complete -F _harness harness
)";

bool takes_value(const CLI::Option& option) {
  return !option.get_positional() && option.get_items_expected_max() > 0;
}

/// Returns "toml" for "FILE.toml", and "" if the type names no ending.
std::string ending_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t dot = type.rfind('.');
  const bool has_ending =
      dot != std::string::npos && dot + 1 < type.size() &&
      type.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789", dot + 1) == std::string::npos;
  return has_ending ? type.substr(dot + 1) : "";
}

/// Returns the endings of the files that a command takes: "h5|toml" for RESULTS.h5 and FILE.toml; "": any
/// ending.
std::string endings_of(const CLI::App& command) {
  std::set<std::string> endings;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) endings.insert(ending_of(*option));
  }
  return endings.count("") > 0 ? "" : joined({endings.begin(), endings.end()}, "|");
}

/// Returns the script's case for the value of an option.
std::string values_text(const CLI::Option& option) {
  const std::string values = values_of(option);
  return "        " + joined(names_of(option), "|") + ") " +
         (values.empty() ? "_harness_files '" + ending_of(option) + "' \"$current\""
                         : "COMPREPLY=($(compgen -W '" + values + "' -- \"$current\"))") +
         "; return ;;\n";
}

/// Returns the script's case for the words that follow a command's words.
std::string case_of(const CLI::App& command, const std::string& words) {
  std::vector<std::string> options;
  std::vector<std::string> commands;
  std::string values;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> names = names_of(*option);
    options.insert(options.end(), names.begin(), names.end());
    if (takes_value(*option)) values += values_text(*option);
  }
  for (const CLI::App* one : command.get_subcommands({})) commands.push_back(one->get_name());
  std::string text = "    '" + words + "')\n";
  if (!values.empty()) text += "      case \"$previous\" in\n" + values + "      esac\n";
  text += "      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W '" + joined(options, " ") +
          "' -- \"$current\")); return; fi\n";
  // A folder may have the name of a command: then the command is meant.
  if (!commands.empty())
    text += "      COMPREPLY=($(compgen -W '" + joined(commands, " ") +
            "' -- \"$current\"))\n      if [[ -n $current && ${#COMPREPLY[@]} -gt 0 ]]; then return; fi\n";
  const bool takes_files = commands.empty() || words == "harness";  // others take a command
  return text + (takes_files ? "      _harness_files '" + endings_of(command) + "' \"$current\" ;;\n"
                             : "      ;;\n");
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  std::string known;
  std::string cases;
  std::set<std::string> with_values;
  each_command(app, "harness", [&](const CLI::App& command, const std::string& words) {
    if (&command != &app) known += "      '" + words + "') command='" + words + "' ;;\n";
    cases += case_of(command, words);
    for (const CLI::Option* option : command.get_options()) {
      if (!takes_value(*option)) continue;
      for (const std::string& name : names_of(*option)) with_values.insert(name);
    }
  });
  return (shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "") + std::string(kScriptHead) +
         "      " + joined({with_values.begin(), with_values.end()}, "|") +
         ") before=$word; continue ;;  # the value of an option is no command\n    esac\n    before=$word\n"
         "    case \"$command $word\" in\n" +
         known + "    esac\n  done\n  case \"$command\" in\n" + cases + kScriptEnd;
}

// Manual pages.

/// Returns the text escaped so that troff shows it as it is.
std::string troff(const std::string& text) {
  std::string safe;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '\\')
      safe += "\\e";
    else if (c == '-')
      safe += "\\-";
    else
      safe += c;
    begins = c == '\n';
  }
  return safe;
}

std::string page_name(std::string words) {
  for (char& c : words) {
    if (c == ' ') c = '-';
  }
  return words;
}

std::string option_text(const CLI::Option& option) {
  const std::vector<std::string> names = names_of(option);
  std::string type = option.get_items_expected_max() > 0 ? option.get_type_name() : "";
  if (const std::size_t set = type.find(":{"); set != std::string::npos) type.erase(0, set + 1);
  const std::string name = names.empty() ? type : joined(names, ", ") + (type.empty() ? "" : " " + type);
  const std::string standard = option.get_default_str();
  return ".TP\n.B " + troff(name) + "\n" + troff(option.get_description()) +
         (standard.empty() ? "" : " (default: " + troff(standard) + ")") + "\n";
}

std::string manual_page(const CLI::App& command, const std::string& words) {
  const std::string name = page_name(words);
  std::string arguments;
  std::string options;
  for (const CLI::Option* option : command.get_options()) {
    options += option_text(*option);
    if (option->get_positional()) arguments += " " + option->get_type_name();
  }
  std::string commands;
  for (const CLI::App* one : command.get_subcommands({}))
    commands += ".TP\n.BR " + troff(page_name(words + " " + one->get_name())) + " (1)\n" +
                troff(one->get_description()) + "\n";
  std::string page =
      ".TH \"" + troff(name) + "\" 1 \"\" \"" + troff(version_text().substr(0, version_text().find(','))) +
      "\"\n.SH NAME\n" + troff(name) + " \\- " + troff(command.get_description()) + "\n.SH SYNOPSIS\n.B " +
      troff(words) + "\n[OPTIONS]" + troff(arguments) + (commands.empty() ? "" : " [COMMAND]") + "\n";
  if (!options.empty()) page += ".SH OPTIONS\n" + options;
  if (!commands.empty()) page += ".SH COMMANDS\n" + commands;
  if (!command.get_footer().empty()) page += ".SH NOTES\n.nf\n" + troff(command.get_footer()) + "\n.fi\n";
  return page;
}

void write_manual(const CLI::App& app, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw EnvironmentError(folder + ": cannot be made: " + error.message());
  each_command(app, "harness", [&](const CLI::App& command, const std::string& words) {
    write_file(folder + "/" + page_name(words) + ".1", manual_page(command, words));
  });
}

}  // namespace

void add_completion_commands(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script that completes commands in a shell");
  completion->footer(
      "Commands, options, their fixed values, and files by their endings.\n"
      "Example, for .bashrc:\n"
      "  source <(harness completion bash)");
  completion->add_option("shell", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  completion->callback([&app, shell] { print_text(completion_script(app, *shell)); });

  const auto folder = std::make_shared<std::string>();
  CLI::App* manual = app.add_subcommand("man", "Write manual pages, one for each command");
  manual->footer(
      "Example:\n"
      "  harness man -o ~/.local/share/man/man1 && man harness-show\n"
      "Exit codes: 0 written; 3 they cannot be.");
  manual->add_option("-o,--output", *folder, "folder for harness.1, harness-show.1, ...")
      ->required()
      ->type_name("DIR");
  manual->callback([&app, folder] { write_manual(app, *folder); });
}

}  // namespace harness
