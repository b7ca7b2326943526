"""Each rule of style_rules.py fires on a bad example and is silent on a good one."""

import unittest

import comment_rules
import style_rules as rules


def messages(findings):
    return [finding.message for finding in findings]


class Layers(unittest.TestCase):

    def expect(self, path, include, allowed):
        findings = rules.check_layers(path, f'#pragma once\n#include "{include}"\n')
        self.assertEqual(findings == [], allowed, f"{path} -> {include}: {findings}")
        if not allowed:
            self.assertEqual(findings[0].line, 2)

    def test_arrows_of_the_design(self):
        for path, include in [
            ("harness/serving/plan.h", "harness/core/types.h"),
            ("systems/pard/pard.cc", "harness/serving/scheduler.h"),
            ("systems/pard/pard.cc", "systems/pard/state.h"),
            ("systems/pard/pard.cc", "harness/serving/milp.h"),
            ("systems/all_systems.cc", "systems/pard/pard.h"),
            ("harness/engine/accounting.h", "harness/record/run/run_record.h"),
            ("harness/engine/accounting.h", "harness/record/run/latency_histogram.h"),
            ("harness/sim/world.cc", "harness/engine/accounting.h"),
            ("harness/live/run/live_loop.cc", "harness/gpu/device/device.h"),
            ("workloads/spec/trace.cc", "harness/core/stream.h"),
            ("harness/record/hdf5/results_file.cc", "harness/record/run/run_record.h"),
            ("harness/experiment/running/driver.cc", "systems/all_systems.h"),
            ("harness/cli/show.cc", "harness/experiment/running/driver.h"),
            ("harness/claims/claim.cc", "harness/files/toml_value.h"),
            ("workloads/spec/trace.cc", "harness/files/toml_value.h"),
            ("harness/files/toml_value.cc", "harness/core/check.h"),
            ("harness/record/analysis/changes.cc", "harness/text/text_table.h"),
            ("harness/cli/claims.cc", "harness/claims/claim.h"),
            ("harness/main.cc", "harness/cli/commands.h"),
            ("harness/live/run/live_loop.cc", "harness/live/transport/packet_header.h"),
            ("harness/live/run/live_loop.cc", "harness/ranks/watchdog.h"),
            ("harness/ranks/rank_watch.cc", "harness/machine/steady_clock.h"),
            ("harness/gpu/torch/engine.cc", "harness/gpu/torch/zoo/zoo.h"),
            ("harness/core/random_stream_test.cc", "harness/sim/simulation.h"),
            ("harness/sim/test_world.h", "systems/all_systems.h"),
            ("tests/conformance_test.cc", "systems/pard/pard.h"),
        ]:
            self.expect(path, include, True)

    def test_any_other_arrow(self):
        for path, include in [
            ("harness/core/types.h", "harness/serving/plan.h"),
            ("harness/serving/plan.h", "harness/engine/accounting.h"),
            ("harness/serving/plan.h", "systems/all_systems.h"),
            ("systems/pard/pard.cc", "systems/nexus/nexus.h"),
            ("systems/pard/pard.cc", "harness/engine/accounting.h"),
            ("systems/pard/pard.cc", "harness/record/run/run_record.h"),
            ("systems/pard/pard.cc", "workloads/catalogue.h"),
            ("systems/all_systems.cc", "harness/sim/simulation.h"),
            ("harness/engine/accounting.h", "harness/record/hdf5/results_file.h"),
            ("harness/engine/accounting.h", "harness/sim/simulation.h"),
            ("harness/engine/accounting.h", "systems/all_systems.h"),
            ("harness/record/run/summary_row.cc", "harness/engine/accounting.h"),
            ("harness/record/run/summary_row.cc", "harness/text/json.h"),
            ("workloads/spec/trace.cc", "harness/serving/plan.h"),
            ("harness/files/toml_value.cc", "workloads/spec/trace.h"),
            ("harness/claims/claim.cc", "workloads/spec/trace.h"),
            ("harness/views/timeline.cc", "workloads/spec/trace.h"),
            ("systems/pard/pard.cc", "harness/files/toml_value.h"),
            ("harness/live/transport/packet_header.cc", "harness/live/run/live_loop.h"),
            ("harness/ranks/rank_watch.cc", "harness/live/run/live_loop.h"),
            ("harness/live/transport/packet_header.cc", "harness/live/rooms/live_loop.h"),
            ("harness/gpu/device.h", "harness/live/loop.h"),
            ("harness/experiment/running/driver.cc", "systems/pard/pard.h"),
            ("harness/experiment/running/driver.cc", "harness/cli/show.h"),
            ("harness/experiment/running/driver.cc", "harness/claims/claim.h"),
            ("harness/claims/judgement.cc", "harness/experiment/running/driver.h"),
            ("harness/core/types.h", "harness/sim/test_world.h"),
            ("harness/core/types.h", "types.h"),
            ("harness/nowhere/types.h", "harness/core/types.h"),
            ("stray.cc", "harness/core/types.h"),
        ]:
            findings = rules.check_layers(path, f'#pragma once\n#include "{include}"\n')
            self.assertEqual(len(findings), 1, f"{path} -> {include}: {findings}")

    def test_libraries_stay_behind_their_files(self):
        for path, header, allowed in [
            ("harness/files/toml_value.cc", "toml++/toml.h", True),
            ("harness/files/toml_value.h", "toml++/toml.h", False),
            ("workloads/catalogue/catalogue.cc", "toml++/toml.h", False),
            ("harness/engine/accounting.cc", "toml++/toml.h", False),
            ("harness/cli/arguments.cc", "CLI/CLI.hpp", True),
            ("harness/experiment/running/driver.cc", "CLI/CLI.hpp", False),
            ("harness/record/hdf5/results_file.cc", "hdf5.h", True),
            ("harness/sim/simulation.cc", "hdf5.h", False),
            ("harness/ranks/spread.cc", "mpi.h", True),
            ("harness/experiment/spread.cc", "mpi.h", False),
            ("harness/serving/milp.cc", "glpk.h", True),
            ("harness/serving/milp.h", "glpk.h", False),
            ("systems/loki/allocation.cc", "glpk.h", False),
            ("harness/core/check.cc", "gtest/gtest.h", False),
            ("harness/core/check_test.cc", "gtest/gtest.h", True),
            ("harness/core/check.cc", "vector", True),
        ]:
            findings = rules.check_libraries(path, f"#include <{header}>\n")
            self.assertEqual(findings == [], allowed, f"{path} -> {header}")


class Folders(unittest.TestCase):

    def test_a_folder_of_sources_has_a_page(self):
        sources, page = {"harness/live/run/a.cc"}, {"harness/live/run/README.md"}
        self.assertEqual(rules.check_folders(sources | page), [])
        self.assertIn("no README.md", messages(rules.check_folders(sources))[0])
        self.assertEqual(rules.check_folders({"harness/live/run/a_test.cc"}), [])


class Prose(unittest.TestCase):

    def test_lines_of_prose_are_short_and_tables_are_free(self):
        long = "word " * 21
        self.assertEqual(len(rules.check_prose_lines("a.md", f"{long}\n\n- {long}\n")), 2)
        for free in (f"| {long} |\n", f"    {long}\n", f"```\n{long}\n```\n", "word " * 19 + "\n", f"[{long}](x.md)\n"):
            self.assertEqual(rules.check_prose_lines("a.md", free), [], free)
        self.assertEqual(rules.check_prose_lines("a.h", f"// {long}\n"), [])


class Comments(unittest.TestCase):

    def found(self, text):
        return [finding.message.split("'")[1] for finding in comment_rules.check_comments("harness/core/a.h", text)]

    def test_a_doc_comment_begins_with_a_subject_or_a_verb(self):
        self.assertEqual(self.found("/// Whether it runs.\nbool runs();\n\n/// Of all parts.\nint cells();\n"), ["Whether", "Of"])
        for text in ("/// True if it runs.\n", "/// Returns the number\n/// of parts.\n", "// Of a source.\n", "int a;  ///< number of parts\n"):
            self.assertEqual(self.found(text), [], text)

    def test_a_trailing_comment_names_its_noun(self):
        self.assertEqual(self.found("int a;  ///< of a server\nint b;  ///< By module\n/// As above.\n"), ["of", "By", "As"])

    def test_turns_of_phrase_count_in_comments_alone(self):
        self.assertEqual(self.found("// What stands there.\nint a;  ///< rate; that of the plan\n"), ["stands", "that of"])
        self.assertEqual(self.found('const char* kText = "it stands // here";\n// L stands for latency.\nchar c = \'"\'; // that of a\n'), ["that of"])
        self.assertEqual(comment_rules.check_comments("a.py", "# What stands there.\n"), [])


class RetiredWords(unittest.TestCase):

    def test_pages_and_messages_say_the_new_word(self):
        for path, text in (("docs/a.md", "Each queue domain has one.\n"), ("harness/cli/a.cc", 'add_flag("--paced", "x");\n'),
                           ("experiments/a.toml", "lateness_limit_ms = 2\n")):
            self.assertEqual(len(rules.check_retired_words(path, text)), 1, path)
        for path, text in (("docs/terms.md", "queue domain\n"), ("harness/cli/a.cc", "int batch_cap = 1;  // not printed\n"),
                           ("docs/a.md", "Each queue has one.\n")):
            self.assertEqual(rules.check_retired_words(path, text), [], path)


class Banned(unittest.TestCase):

    def fires(self, path, text):
        return rules.check_banned(path, text) != []

    def test_in_systems(self):
        for text in [
            "#include <chrono>\n", "#include <thread>\n", "#include <random>\n", "#include <iostream>\n",
            "#include <unordered_map>\n", "auto t = std::chrono::steady_clock::now();\n", "std::unordered_set<int> s;\n",
            "std::cout << 1;\n", "printf(x);\n", "now = steady_ns();\n", "int x = rand();\n", "long t = time(nullptr);\n", "long t = clock();\n",
            "static int count = 0;\n", "void f() { static std::vector<int> cache; }\n", "thread_local int x;\n",
            "double y = std::log(x);\n", "std::mt19937_64 rng;\n",
        ]:
            self.assertTrue(self.fires("systems/pard/pard.cc", text), text)

    def test_elsewhere_only_what_changes_results(self):
        self.assertTrue(self.fires("harness/engine/accounting.cc", "#include <unordered_map>\n"))
        self.assertTrue(self.fires("workloads/shapes.cc", "double y = std::exp(x);\n"))
        self.assertTrue(self.fires("harness/files/table.cc", "std::unordered_map<int, int> rows;\n"))
        self.assertFalse(self.fires("harness/sim/simulation.cc", "#include <chrono>\n"))
        self.assertFalse(self.fires("harness/cli/show.cc", "#include <iostream>\n"))

    def test_silent_on_good_code(self):
        for text in [
            "// std::cout is not for systems; no static int either\n", 'const char* kDoc = "std::chrono rand()";\n',
            "static constexpr int kCount = 3;\n", "static const char* const kNames[] = {kA};\n",
            "static TimeNs start_of(const Worker& worker, TimeNs now) {\n", "static_assert(true);\n",
            "on_timer(now); expected_time(0); wake_at_time(&x); static_cast<int>(x);\n", "portable_log(x);\n",
            "double service_time(0);\n",
        ]:
            self.assertFalse(self.fires("systems/pard/pard.cc", text), text)
        self.assertFalse(self.fires("systems/pard/pard_test.cc", "#include <iostream>\n"))


def body(name, lines):
    return f"void {name}() {{\n" + "  work();\n" * (lines - 2) + "}\n"


class Lengths(unittest.TestCase):

    def test_functions(self):
        self.assertEqual(rules.check_function_length("a.cc", "namespace n {\n" + body("f", 70) + "}\n"), [])
        findings = rules.check_function_length("a.cc", "namespace n {\n" + body("f", 71) + "}\n")
        self.assertEqual([(f.line, f.message) for f in findings], [(2, "f has 71 lines, at most 70")])
        python = "def f():\n" + "    work()\n" * 70
        self.assertEqual(len(rules.check_function_length("a.py", python)), 1)

    def test_share_of_usual_functions(self):
        self.assertEqual(rules.check_usual_length([10] * 95 + [60] * 5), "")
        self.assertNotEqual(rules.check_usual_length([10] * 94 + [41] * 6), "")

    def test_functions_are_found_in_every_place(self):
        text = """
namespace a::b {
template <class T, std::function<int(int)> F>
class Queue : public Base<T> {
 public:
  explicit Queue(int n) : size_{n}, items_(f(n), {1, 2}) {
    start();
  }
  ~Queue() override { stop(); }
  template <class U = std::vector<T>>
  bool operator<(const Queue<U>& other) const noexcept {
    return std::any_of(x, y, [](int v) { return v < '{'; });
  }
  bool operator==(const Queue&) const { return true; }
  auto size(std::vector<int> none = {}) const -> std::size_t { return 1'000; }

 private:
  struct Slot {
    int worker{0};
    int room = 1;
  };
  std::function<int(int)> hook_{nullptr};
  std::vector<int> sizes_ = {1, 2, 3};
};
constexpr int kTable[] = {1, 2};  // a brace in a comment: {
const auto kText = R"x(void g() {)x";
#define HARNESS_F(x) if (x) {
enum class Kind { kA, kB };
int free_function(const std::map<int, std::pair<int, int>>& map,
                  int other) {
  for (const auto& [key, value] : map) { use(key); }
  return other;
}
TEST(Suite, Name) {
  EXPECT_EQ(free_function({}, 1), 1);
}
}  // namespace a::b
"""
        found = [(name, length) for name, _, length in rules.cpp_functions(text)]
        self.assertEqual(found, [("Queue", 3), ("~Queue", 1), ("operator<", 4), ("operator==", 1), ("size", 1),
                                 ("free_function", 5), ("TEST", 3)])


class Leftovers(unittest.TestCase):

    def test_words(self):
        for word in ["TODO", "FIXME", "XXX", "HACK"]:
            self.assertEqual(messages(rules.check_leftovers("a.md", f"one\n// {word}: later\n")), [word])
        self.assertEqual(rules.check_leftovers("a.md", "HACKNEY, todo lists and PREFIXMEN\n"), [])

    def test_placeholders_in_documents(self):
        self.assertEqual(messages(rules.check_leftovers("a.md", "one\n    @TEST@\n")), ["@TEST@"])
        self.assertEqual(rules.check_leftovers("a.md", "a@b.org and @x@, @A or A@\n"), [])
        self.assertEqual(rules.check_leftovers("a.cmake", "configured: @NAME@\n"), [])

    def test_machine_paths(self):
        for folder in ("work", "root", "home"):
            for before in ("see ", 'open("'):
                text = f"{before}/{folder}/x"
                self.assertEqual(len(rules.check_machine_paths("a.py", text)), 1, text)
            for before in ("network", "${HOME}", "requests / "):
                text = f"{before}/{folder}/x" if before[-1] != " " else f"{before}{folder} / time"
                self.assertEqual(rules.check_machine_paths("a.py", text), [], text)
        for text in ("../shared/data", "/usr/bin/python3"):
            self.assertEqual(rules.check_machine_paths("a.py", text), [], text)

    def test_header_guard(self):
        self.assertEqual(len(rules.check_header_guard("a.h", "int x;\n")), 1)
        self.assertEqual(rules.check_header_guard("a.h", "#pragma once\n"), [])


class HeaderSubject(unittest.TestCase):

    def found(self, path, text):
        return [(finding.rule, finding.line) for finding in rules.check_header_subject(path, text)]

    def test_the_first_class_bears_the_name(self):
        enum, kept, other = "enum class Kind { kA };\n", "struct BatchWait {\n};\n", "struct Other final : public A {\n};\n"
        for text in (kept, enum + kept, "class Other;\n" + kept + other, "int batch_wait(int);\n" + other, "int other();\n"):
            self.assertEqual(self.found("harness/a/batch_wait.h", text), [], text)
        self.assertEqual(self.found("harness/a/batch_wait.h", enum + other + kept), [("header-name", 2)])
        self.assertEqual(self.found("harness/a/batch_wait.h", "\n" + enum), [("header-name", 2)])
        self.assertEqual(self.found("harness/a/kind.h", "enum class Other { kA };\n" + enum), [("header-name", 1)])
        self.assertEqual(self.found("harness/a/test_batch.h", other), [])

    def test_no_comment_begins_a_second_subject(self):
        text = "// One.\n\n#pragma once\n\nint one();\n\n// Two,\n// really.\n\nint two();\n"
        self.assertEqual(self.found("harness/a/one.h", text), [("banner", 7)])
        self.assertEqual(self.found("harness/a/one.h", text.replace("really.\n\n", "really.\n")), [])

    def test_a_source_has_its_header(self):
        paths = {"harness/a/one.cc", "harness/a/one.h", "harness/a/two.cc", "harness/a/two_test.cc", "harness/cli/show_command.cc"}
        self.assertEqual([finding.path for finding in rules.check_sources_have_headers(paths)], ["harness/a/two.cc"])


class TypesOnce(unittest.TestCase):

    def test_a_name_belongs_to_one_header(self):
        found = rules.check_types_once({
            "harness/a/table.h": "namespace harness {\nclass Reader;\nclass Reader {\n};\n",
            "harness/b/reader.h": "\nclass Reader final : public Other {\n};\nstruct Inner {\n  struct Reader {\n  };\n};\n"})
        self.assertEqual([(finding.path, finding.line) for finding in found], [("harness/b/reader.h", 2)])
        self.assertIn("harness/a/table.h", found[0].message)

    def test_declarations_sources_and_tests_do_not_count(self):
        self.assertEqual(rules.check_types_once({
            "harness/a/table.h": "class Reader {\n};\n", "harness/b/uses.h": "class Reader;\n",
            "harness/b/own.cc": "class Reader {\n};\n", "harness/b/test_reader.h": "class Reader {\n};\n"}), [])


if __name__ == "__main__":
    unittest.main()
