"""Checks the whole tree against style_rules.py: prints a line per finding and fails when there is one."""

import statistics
import subprocess
import sys
from pathlib import Path

import comment_rules
import style_rules

ROOT = Path(__file__).resolve().parent.parent
# Texts that must name what the rules forbid.
EXEMPT = {"tests/style_rules_test.py", "LICENSE"}
SKIPPED_FOLDERS = {"build", "results-out", ".git", "__pycache__"}
BINARY = (".png", ".pdf", ".h5", ".gz")


def files_of_tree():
    """Tracked and new files, ignored ones left out; outside a clone, all files but build outputs."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, check=False)
    if listed.returncode == 0:
        paths = listed.stdout.decode().split("\0")
    else:
        paths = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")
                 if not SKIPPED_FOLDERS & set(path.relative_to(ROOT).parts)]
    return sorted(path for path in set(paths) if path and (ROOT / path).is_file() and path not in EXEMPT)


def text_of(path):
    if path.endswith(BINARY) or path.startswith("tests/fuzz/corpus/"):
        return None
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def print_shape(lines, lengths):
    """For the reader: how far the tree is from the sizes aimed at."""
    few = sum(count < 40 for count in lines)
    short = sum(length <= style_rules.USUAL_FUNCTION_LINES for length in lengths) / max(1, len(lengths))
    print(f"{len(lines)} C++ files without tests, median {statistics.median(lines or [0]):.0f} lines, {few} under 40; "
          f"{len(lengths)} functions, {short:.1%} within {style_rules.USUAL_FUNCTION_LINES} lines, "
          f"longest {max(lengths, default=0)}")


def main():
    findings, lengths, lines, texts = [], [], [], {}
    for path in files_of_tree():
        text = text_of(path)
        if text is None:
            continue
        texts[path] = text
        for rule in [*style_rules.RULES, comment_rules.check_comments]:
            findings += rule(style_rules.place_of(path), text)
        lengths += [length for _, _, length in style_rules.functions(path, text)]
        if style_rules.is_cpp(path) and not style_rules.is_test(path):
            lines.append(len(text.splitlines()))
    paths = set(texts)
    findings += (style_rules.check_types_once(texts) + style_rules.check_folders(paths) +
                 style_rules.check_sources_have_headers(paths))
    for finding in sorted(findings):
        print(finding)
    wrong = style_rules.check_usual_length(lengths)
    if wrong:
        print(wrong)
    print_shape(lines, lengths)
    return 1 if findings or wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
