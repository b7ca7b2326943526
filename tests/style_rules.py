"""The rules of the code's form: layers, lengths, banned words, leftovers. Each takes a file's path (from the
repository root, with '/') and its text, and returns findings. style_test.py runs them over the tree."""

import ast
import re
from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: [{self.rule}] {self.message}"


MAX_FUNCTION_LINES = 70
USUAL_FUNCTION_LINES = 40
USUAL_FUNCTION_SHARE = 0.95
MAX_PROSE_LINE = 100

# Arrows of the design: which layers a layer may include. "record/run" is what a run leaves behind, without HDF5.
LAYERS = {
    "core": {"core"},
    "files": {"core", "files"},
    "text": {"core", "text"},
    "serving": {"core", "serving"},
    "machine": {"core", "machine"},
    "ranks": {"core", "machine", "ranks"},
    "record/run": {"core", "record/run"},
    "record": {"core", "text", "record/run", "record"},
    "engine": {"core", "serving", "record/run", "engine"},
    "sim": {"core", "serving", "record/run", "engine", "sim"},
    "gpu": {"core", "machine", "gpu"},
    "remote": {"core", "text", "machine", "remote"},
    "live": {"core", "machine", "ranks", "serving", "record/run", "engine", "gpu", "remote", "live"},
    "workloads": {"core", "files", "workloads"},
    "systems_list": {"core", "serving", "systems_list", "system"},
    "system": {"core", "serving"},
}
EVERYTHING = set(LAYERS) - {"system"}
LAYERS["experiment"] = EVERYTHING | {"experiment"}
LAYERS["claims"] = {"core", "files", "text", "record/run", "record", "claims"}
LAYERS["decide"] = EVERYTHING - {"workloads"} | {"experiment", "claims", "decide"}
LAYERS["fit"] = EVERYTHING - {"workloads"} | {"experiment", "claims", "fit"}
LAYERS["doctor"] = EVERYTHING - {"workloads"} | {"experiment", "doctor"}
LAYERS["views"] = EVERYTHING - {"ranks", "workloads"} | {"experiment", "views"}
LAYERS["cli"] = EVERYTHING | {"experiment", "claims", "decide", "fit", "doctor", "views", "cli"}
LAYERS["main"] = LAYERS["cli"] | {"main"}

# The folders within a layer, from below: a file may include its own folder and those that are named before it.
FOLDERS = {
    "workloads": ["spec", "catalogue", "arrivals", "trace_files", "streams"],
    "experiment": ["reading", "cells", "storing", "running"],
    "engine": ["", "replay", "accounting", "bounds", "queues", "servers", "dispatch"],
    "record": ["run", "analysis", "hdf5"],
    "gpu": ["inputs", "exchange", "device", "profiling", "cuda", "nccl", "torch/zoo", "torch"],
    "live": ["transport", "protocol", "tensors", "run", "server"],
}

# Libraries that stay behind a few files: header -> files that may include it. Tests and benchmarks are free.
LIBRARIES = [
    (r"toml\+\+/|toml\.hpp", r"^harness/files/[a-z_0-9]+\.cc$"),
    (r"CLI/", r"^harness/(cli/[a-z_0-9]+|main)\.cc$"),
    (r"hdf5", r"^harness/record/[a-z_0-9/]+\.(h|cc)$"),
    (r"xxhash\.h$", r"^harness/record/hdf5/[a-z_0-9]+\.cc$"),
    (r"glpk", r"^harness/serving/milp\.cc$"),
    (r"mpi\.h$", r"^harness/(ranks|live/transport)/[a-z_0-9]+\.cc$"),
    (r"zlib\.h$", r"^harness/files/[a-z_0-9]+\.cc$"),
    (r"openssl/", r"^harness/files/[a-z_0-9]+\.cc$"),
    (r"curl/|nlohmann/", r"^harness/remote/[a-z_]+\.cc$"),
    (r"torch/|ATen/|c10/", r"^harness/gpu/torch/"),
    (r"cuda|nvml", r"^harness/gpu/(cuda|torch|nccl)/"),
    (r"google/protobuf/", r"^harness/views/[a-z_]+\.cc$"),
    (r"nccl\.h$", r"^harness/gpu/nccl/"),
    (r"gtest/|gmock/|benchmark/", r"^$"),
]

# What a system must not touch: it is fed values and returns decisions.
SYSTEM_HEADERS = re.compile(
    r"^(chrono|ctime|time\.h|thread|mutex|shared_mutex|atomic|condition_variable|future|semaphore|barrier|latch|stop_token|"
    r"random|iostream|fstream|ostream|istream|sstream|cstdio|stdio\.h|filesystem|unordered_map|unordered_set|"
    r"csignal|signal\.h|unistd\.h|pthread\.h|sys/.*)$")
SYSTEM_WORDS = re.compile(
    r"std::(chrono|thread|jthread|mutex|atomic\w*|async|cout|cerr|clog|cin|endl|filesystem|random_device|mt19937\w*|"
    r"\w+_distribution|unordered_\w+)\b|\b(thread_local|getenv|clock_gettime|steady_ns|gettimeofday|usleep|nanosleep|fopen|printf|"
    r"fprintf|puts|srand|rand|drand48)\b\s*(?=\(|\b)|(?<![\w.>:])(?:std::)?(?:time|clock)\s*\(\s*(?:\)|NULL|nullptr|0|&)")
# Results must be bit-identical everywhere: no order of hash tables, no distribution or libm of the platform's.
DECIDING = re.compile(r"^(systems|workloads|harness/(core|files|serving|engine|sim))/")
DECIDING_HEADERS = re.compile(r"^(random|unordered_map|unordered_set)$")
DECIDING_WORDS = re.compile(
    r"std::(unordered_\w+|\w+_distribution|mt19937\w*|log|log2|log10|log1p|exp|exp2|expm1|pow|sin|cos|tan|tgamma|lgamma|erf|"
    r"cbrt|tanh)\s*(?=[(<{])")

LEFTOVER = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
# A place in a document that some number was to fill.
PLACEHOLDER = re.compile(r"@[A-Z]+@")
MACHINE_PATH = re.compile("(?<![\\w.}])/(" + "|".join(["wor" + "k", "roo" + "t", "hom" + "e"]) + r")/[A-Za-z.]")

# Words that the project has given up (docs/terms.md): pages and what the program prints say the new one.
RETIRED = re.compile(
    r"queue domain|seed by seed|\btrees? of tasks\b|verdict against you|older harness|at the door\b|side_by_side|(?<!,)--paced\b|"
    r"\bpace_limit\b|most_seeds|normalised_goodput|reservation_rps|bound_gap\b|optimal_goodput_rps|scheduler_busy\b|visit_share|"
    r"batch_cap\b|lateness_|scheduler_inbox|(?<!,)--(?:again|halfwidth|ledger|picture)\b|least_loaded|herd_load\b|what became worse|"
    r"stand-in\b|left too? late|\bthe books\b", re.IGNORECASE)
NAMES_RETIRED_WORDS = {"docs/terms.md"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)
STATIC = re.compile(r"\bstatic\b([^;{=(]*)([;{=(])")


def is_cpp(path):
    return path.endswith((".h", ".cc", ".cu", ".cuh"))


def is_code(path):
    return is_cpp(path) or path.endswith((".py", ".sh", ".cmake", "CMakeLists.txt")) or path.startswith(("ci/", ".ci/"))


def is_test(path):
    """Tests, what only they include (test_*.h), fuzz targets, benchmarks and validations may include anything."""
    return path.startswith(("tests/", "bench/", "validation/")) or re.search(r"(_test|/test_\w+)\.(h|cc|cu)$", path) is not None


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def place_of(path):
    """Where a file of templates/ will stand once `harness new` has written it; other files stand where they are."""
    return re.sub(r"^templates/", "", path).replace("out-of-tree/", "systems/my_system/") if path.startswith("templates/") else path


def layer_of(path):
    """The layer of a product file, or None when it stands outside the layout."""
    if path.startswith("harness/record/run/"):
        return "record/run"
    if re.match(r"^harness/main\.cc$", path):
        return "main"
    match = re.match(r"^harness/([a-z_]+)/", path)
    if match:
        return match.group(1) if match.group(1) in LAYERS else None
    if re.match(r"^systems/[a-z_0-9]+/", path):
        return "system"
    return {"systems": "systems_list", "workloads": "workloads"}.get(path.split("/")[0])


def part_of(path):
    """(part, folder within it): ("live", "transport"); ("core", ""). What systems include has a rule of its own."""
    part, *folders = path.removeprefix("harness/").split("/")[:-1] or ["main"]
    return part, "" if part == "systems" else "/".join(folders)


def may_include_folder(path, target):
    """Between two files of one part."""
    part, folder = part_of(path)
    order = FOLDERS.get(part, [""])
    return part_of(target)[1] in order[:order.index(folder) + 1]


def check_layers(path, text):
    if not is_cpp(path) or is_test(path):
        return []
    layer = layer_of(path)
    if layer is None:
        return [Finding(path, 1, "layers", "stands in no layer of the design")]
    part, folder = part_of(path)
    if folder not in FOLDERS.get(part, [""]):
        return [Finding(path, 1, "layers", f"{PurePosixPath(path).parent} is no folder of the design")]
    findings = []
    for match in INCLUDE.finditer(text):
        if match.group(1) == "<":
            continue
        target, line = match.group(2), line_of(text, match.start())
        other = layer_of(target)
        if is_test(target):
            findings.append(Finding(path, line, "layers", f"includes the test's file {target}"))
        elif other is None:
            findings.append(Finding(path, line, "layers", f"{target} is not a path from the repository root"))
        elif layer == "system" and other == "system":
            if path.split("/")[1] != target.split("/")[1]:
                findings.append(Finding(path, line, "layers", f"includes another system's file {target}"))
        elif part_of(target)[0] == part and not may_include_folder(path, target):
            findings.append(Finding(path, line, "layers", f"{target} is in a folder above this file's"))
        elif other not in LAYERS[layer]:
            findings.append(Finding(path, line, "layers", f"{layer} must not include {other} ({target})"))
    return findings


def check_libraries(path, text):
    if not is_cpp(path) or is_test(path):
        return []
    findings = []
    for match in INCLUDE.finditer(text):
        if match.group(1) == '"':
            continue
        for header, allowed in LIBRARIES:
            if re.match(header, match.group(2)) and not re.match(allowed, path):
                findings.append(Finding(path, line_of(text, match.start()), "libraries",
                                        f"<{match.group(2)}> is not for this file"))
    return findings


def check_banned(path, text):
    if not is_cpp(path) or is_test(path):
        return []
    findings = []
    in_system = path.startswith("systems/")
    if not in_system and not DECIDING.match(path):
        return []
    code = strip_code(text)
    headers = SYSTEM_HEADERS if in_system else DECIDING_HEADERS
    for match in INCLUDE.finditer(text):
        if match.group(1) == "<" and headers.match(match.group(2)):
            findings.append(Finding(path, line_of(text, match.start()), "banned", f"<{match.group(2)}>"))
    for words in [SYSTEM_WORDS, DECIDING_WORDS] if in_system else [DECIDING_WORDS]:
        for match in words.finditer(code):
            findings.append(Finding(path, line_of(code, match.start()), "banned", match.group(0).strip()))
    if in_system:
        for match in STATIC.finditer(code):
            declares_variable = match.group(2) != "("
            if declares_variable and not re.search(r"\b(const|constexpr|constinit)\b", match.group(1)):
                findings.append(Finding(path, line_of(code, match.start()), "banned", "static variable that can change"))
    return sorted(set(findings))


def check_function_length(path, text):
    return [
        Finding(path, start, "function-length", f"{name} has {length} lines, at most {MAX_FUNCTION_LINES}")
        for name, start, length in functions(path, text) if length > MAX_FUNCTION_LINES
    ]


def check_leftovers(path, text):
    patterns = [LEFTOVER, PLACEHOLDER] if path.endswith(".md") else [LEFTOVER]
    return [
        Finding(path, number, "leftover", match.group(0))
        for number, line in enumerate(text.splitlines(), 1) for pattern in patterns for match in pattern.finditer(line)
    ]


def check_retired_words(path, text):
    """In pages, and in the literals of the program."""
    if path in NAMES_RETIRED_WORDS or path.startswith("tests/") or not (path.endswith((".md", ".toml")) or (is_cpp(path) and not is_test(path))):
        return []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line if not is_cpp(path) else " ".join(re.findall(r'"(?:\\.|[^"\\])*"', line)) if "#include" not in line else ""
        found += [Finding(path, number, "retired-word", f"{match.group(0)} (docs/terms.md)") for match in RETIRED.finditer(words)]
    return found


def check_prose_lines(path, text):
    """Paragraphs and lists of pages; tables, code, headings and what one link or code span fills are free."""
    findings, fenced = [], False
    for number, line in enumerate(text.splitlines() if path.endswith(".md") else [], 1):
        fenced ^= line.lstrip().startswith("```")
        one_word = " " not in re.sub(r"`[^`]*`|!?\[[^\]]*\]\([^)]*\)[.,;:]?", "x", line.strip())
        if len(line) > MAX_PROSE_LINE and not (fenced or one_word or re.match(r"    |[|#<]", line)):
            findings.append(Finding(path, number, "prose-line", f"{len(line)} characters, at most {MAX_PROSE_LINE}"))
    return findings


def check_machine_paths(path, text):
    return [
        Finding(path, number, "machine-path", line.strip()[:100])
        for number, line in enumerate(text.splitlines(), 1) if MACHINE_PATH.search(line)
    ]


def check_header_guard(path, text):
    if path.endswith((".h", ".cuh")) and "#pragma once" not in text:
        return [Finding(path, 1, "header-guard", "no #pragma once")]
    return []


TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)(?: final)?(?: :(?!:)| \{)", re.MULTILINE)


def check_types_once(texts):
    """`texts` by path. Two types of one name in namespace harness make a program of both undefined, without a word from
    compiler and linker."""
    found, findings = {}, []
    for path, text in sorted(texts.items()):
        if not path.endswith(".h") or PurePosixPath(path).name.startswith("test_"):
            continue
        for match in TYPE.finditer(text):
            first = found.setdefault(match.group(1), path)
            if first != path:
                findings.append(Finding(path, line_of(text, match.start()), "type-once", f"{match.group(1)} is also in {first}"))
    return findings


def check_folders(paths):
    """`paths`: all files of the tree. A folder of sources is a subject: a page says what it is for."""
    findings, sources = [], {}
    for path in paths:
        if is_cpp(path) and not is_test(path) and not path.startswith("templates/"):
            sources.setdefault(PurePosixPath(path).parent.as_posix(), []).append(path)
    for folder, files in sorted(sources.items()):
        if f"{folder}/README.md" not in paths:
            findings.append(Finding(files[0], 1, "folders", f"{folder} has no README.md"))
    return findings


DEFINED = re.compile(r"^(class|struct|union|enum class|enum) (?:\w+\([^)]*\) )?(\w+)(?: final)?(?: : [^;{]*)? \{", re.MULTILINE)
FUNCTION = re.compile(r"^(?!using|class|struct|enum|union|template|namespace|#|/|\}|\s|static_assert)[^;{(=]*?\b(\w+)\(", re.MULTILINE)
BANNER = re.compile(r"\n\n((?://(?!/)[^\n]*\n)+)\n")
# Sources that are their own subject: programs, commands, networks of the zoo, modules that are loaded.
WITHOUT_HEADER = re.compile(
    r"^bench/|^validation/|/main\.cc$|^harness/cli/\w+_command\.cc$|^harness/gpu/torch/zoo/|"
    r"^harness/gpu/torch/(device_module|precompiled|write_test_models)\.cc$")


def check_header_subject(path, text):
    """A header is one subject: the first class (without one, the first enum) bears its name, unless a function does; no
    comment on its own begins a second subject."""
    if not path.endswith(".h") or is_test(path):
        return []
    findings = []
    start = text.find("#pragma once")
    for match in BANNER.finditer(text, start):
        findings.append(Finding(path, line_of(text, match.start()) + 2, "banner", match.group(1).splitlines()[0]))
    name = PurePosixPath(path).stem.replace("_", "")
    types = [(match.group(1).startswith("enum"), match) for match in DEFINED.finditer(text)]
    first = next((match for is_enum, match in types if not is_enum), types[0][1] if types else None)
    if first and first.group(2).lower() != name and PurePosixPath(path).stem not in FUNCTION.findall(strip_code(text)):
        findings.append(Finding(path, line_of(text, first.start()), "header-name", f"{first.group(2)} comes first"))
    return findings


def check_sources_have_headers(paths):
    """`paths`: all files of the tree. A source is the other half of a header, or a subject of its own."""
    return [
        Finding(path, 1, "source-header", "no header has its name") for path in sorted(paths)
        if path.endswith((".cc", ".cu")) and not is_test(path) and not path.startswith("templates/") and
        not WITHOUT_HEADER.search(path) and not {str(PurePosixPath(path).with_suffix(end)) for end in (".h", ".cuh")} & paths
    ]


RULES = [
    check_layers, check_libraries, check_banned, check_function_length, check_leftovers,
    check_machine_paths, check_header_guard, check_prose_lines, check_retired_words,
    check_header_subject
]


def check_usual_length(lengths):
    """`lengths` of all functions of the tree; returns "" or what is wrong."""
    if not lengths:
        return ""
    share = sum(length <= USUAL_FUNCTION_LINES for length in lengths) / len(lengths)
    if share >= USUAL_FUNCTION_SHARE:
        return ""
    return (f"{share:.1%} of {len(lengths)} functions are within {USUAL_FUNCTION_LINES} lines, "
            f"at least {USUAL_FUNCTION_SHARE:.0%} must be")


def functions(path, text):
    """(name, first line, number of lines) of each function; a lambda counts in the function around it."""
    if is_cpp(path):
        return cpp_functions(text)
    if path.endswith(".py"):
        return [(node.name, node.lineno, node.end_lineno - node.lineno + 1)
                for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return []


def cpp_functions(text):
    code = strip_code(text)
    found = []
    begin = 0  # start of the declaration now read
    i, parens = 0, 0
    while i < len(code):
        c = code[i]
        if c in "([":
            parens += 1
        elif c in ")]":
            parens -= 1
        elif c in ";}" and parens == 0:
            begin = i + 1
        elif c == "{":
            kind = "initialiser" if parens > 0 else kind_of(code[begin:i])
            if kind == "scope":
                begin = i + 1
            else:
                end = matching_brace(code, i)
                if kind == "function":
                    header = re.sub(r"^(\s*(public|private|protected)\s*:)+", blanks, code[begin:i])
                    first = begin + len(header) - len(header.lstrip())
                    start = line_of(code, first)
                    found.append((name_of(header), start, line_of(code, end) - start + 1))
                    begin = end + 1
                i = end
        i += 1
    return found


def kind_of(header):
    """What the brace after `header` opens: "scope" (namespace, type), "function" or "initialiser"."""
    text = re.sub(r"\b(public|private|protected)\s*:(?!:)", " ", header)
    previous = None
    while previous != text:  # parentheses and template arguments without their contents, innermost first
        previous = text
        text = re.sub(r"\([^()\x01]*\)", "\x01", text)
        text = re.sub(r"<[^<>]*>", " ", text)
        text = re.sub(r"\x01\s*\x01", "\x01", text)
        text = re.sub(r"\(([^()]*)\)", lambda m: "\x01" if "\x01" in m.group(1) else m.group(0), text)
    text = re.sub(r"\btemplate\b|\boperator\s*[^\s\w\x01]+|\[\[.*?\]\]", " ", text).strip()
    if re.match(r"(inline\s+)?namespace\b|extern\s*$|(enum|class|struct|union)\b", text):
        return "scope"
    if "\x01" not in text or re.search(r"(?<![=!<>])=(?!=)", text):
        return "initialiser"
    if re.search(r"\x01[^:]*(?<!:):(?!:)", text) and re.search(r"[\w>]$", text):
        return "initialiser"  # a member's braces in a constructor's list
    return "function"


def name_of(header):
    match = re.search(r"([~\w]+(?:::[~\w]+)*|operator[^\s(]+)\s*\(", header)
    return match.group(1) if match else "?"


def matching_brace(code, opening):
    depth = 0
    for i in range(opening, len(code)):
        if code[i] == "{":
            depth += 1
        elif code[i] == "}":
            depth -= 1
            if depth == 0:
                return i
    return len(code) - 1


TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])|"
    r"^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)


def strip_code(text):
    """The text with comments, literals and preprocessor lines blanked; lines and columns stay."""
    return TOKEN.sub(blanks, text)


def blanks(match):
    return re.sub(r"[^\n]", " ", match.group(0))
