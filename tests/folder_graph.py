"""The picture of docs/architecture.md: which folder includes which, drawn from the #include lines.

folder_graph.py            checks that docs/figures/folders.svg shows the tree as it is, and that no folder includes one above it
folder_graph.py --draw     draws it (by Graphviz's dot)

What follows from other arrows is left out: an arrow from a to c where a includes b, and b includes c."""

import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path

import style_rules
from style_test import ROOT, files_of_tree, text_of

PICTURE = ROOT / "docs/figures/folders.svg"
COLOURS = {"core": "#eeeeee", "files": "#eeeeee", "text": "#eeeeee", "serving": "#e3f0da", "systems": "#e3f0da", "workloads": "#fbe9d0", "record": "#fbe9d0",
           "engine": "#dbe7f6", "sim": "#dbe7f6", "live": "#dbe7f6", "gpu": "#f3dcec", "machine": "#f3dcec", "ranks": "#f3dcec"}


def folder_of(path):
    """As in the picture: all systems are one."""
    folder = str(Path(path).parent).removeprefix("harness/")
    return "systems" if folder.startswith("systems/") else folder


def includes_by_folder():
    graph = {}
    for path in files_of_tree():
        if path.startswith("templates/") or not style_rules.is_cpp(path) or style_rules.is_test(path):
            continue
        targets = graph.setdefault(folder_of(path), set())
        for match in style_rules.INCLUDE.finditer(text_of(path)):
            if match.group(1) == '"' and folder_of(match.group(2)) != folder_of(path):
                targets.add(folder_of(match.group(2)))
    return graph


def below(graph, folder, way=()):
    """All that the folder includes, directly or not. Fails on a circle."""
    if folder in way:
        sys.exit("folders include each other: " + " -> ".join(way[way.index(folder):] + (folder,)))
    found = set(graph[folder])
    for target in graph[folder]:
        found |= below(graph, target, way + (folder,))
    return found


def arrows(graph):
    """Without those that follow from others."""
    return {(folder, target) for folder, targets in graph.items() for target in targets
            if not any(target in below(graph, other) for other in targets)}


def as_dot(graph):
    lines = ["digraph folders {", "rankdir=TB; ranksep=0.35; nodesep=0.15;",
             'node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, height=0.3, margin="0.08,0.04"];',
             'edge [arrowsize=0.5, color="#666666"];']
    for folder in sorted(graph):
        colour = COLOURS.get(folder.split("/")[0], "#ffffff")
        lines.append(f'"{folder}" [fillcolor="{colour}"];')
    lines += [f'"{folder}" -> "{target}";' for folder, target in sorted(arrows(graph))]
    return "\n".join(lines + ["}", ""])


def arrows_of_picture():
    root = xml.etree.ElementTree.parse(PICTURE).getroot()
    edges = [group for group in root.iter("{http://www.w3.org/2000/svg}g") if group.get("class") == "edge"]
    return {tuple(edge.find("{http://www.w3.org/2000/svg}title").text.split("->")) for edge in edges}


def main():
    graph = includes_by_folder()
    if sys.argv[1:] == ["--draw"]:
        subprocess.run(["dot", "-Tsvg", "-o", PICTURE], input=as_dot(graph).encode(), check=True)
    drawn, real = arrows_of_picture(), arrows(graph)
    for sign, folder, target in [("+", *arrow) for arrow in sorted(real - drawn)] + [("-", *arrow) for arrow in sorted(drawn - real)]:
        print(f"{sign} {folder} -> {target}")
    if drawn != real:
        print(f"{PICTURE.relative_to(ROOT)} shows another tree (+: missing, -: no longer there); tests/folder_graph.py --draw")
    return 0 if drawn == real else 1


if __name__ == "__main__":
    sys.exit(main())
