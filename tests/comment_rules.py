"""The rule of comments: a doc comment of C++ is a sentence in the usual order with subject and verb, and one that trails a member
names its noun ("number of ...", "time of ..."). It must not begin with a word that opens a clause without both.

`comment_rules.py [PATH ...]` lists the offenders of the tree, or of what is under the paths."""

import re
import sys

from style_rules import Finding, is_cpp

OPENING = re.compile(r"(What|Whether|Of|By|Where|As|Those|That|Who|Whose|How|Which|None)\b")
TRAILING = re.compile(r"(of|by|what|whether|where|as|those|that|who|whose|how|which|none)\b", re.IGNORECASE)
# Turns of phrase that a reader must solve, in any comment of C++.
TURNS = re.compile(r"\b(?:stands?(?! for\b)|stood|none (?:that|who|which)|(?:is|are) none|that of|those of)\b")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|(//[^\n]*)|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'')


def comment_of(line):
    """The comment of a line of C++, from its slashes on, or ""."""
    return next((match.group(1) for match in COMMENT.finditer(line) if match.group(1)), "")


def check_comments(path, text):
    if not is_cpp(path):
        return []
    findings, continues = [], False
    for number, line in enumerate(text.splitlines(), 1):
        comment = comment_of(line)
        if comment.startswith("///<"):
            opening = TRAILING.match(comment[4:].strip())
        else:
            is_doc = comment.startswith("///")
            opening = OPENING.match(comment[3:].strip()) if is_doc and not continues else None
            continues = is_doc
        for match in filter(None, (opening, TURNS.search(comment))):
            findings.append(Finding(path, number, "comment", f"'{match.group(0)}': {comment[:90]}"))
    return findings


def main():
    from style_test import files_of_tree, text_of
    under = tuple(sys.argv[1:])
    findings = [finding for path in files_of_tree() if not under or path.startswith(under)
                for finding in check_comments(path, text_of(path) or "")]
    print("\n".join(map(str, findings)))
    print(f"{len(findings)} comments")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
