"""The page: one file with its style, scripts, plots' library and data, that asks nothing of any network."""

import html
from pathlib import Path

from contents import written

FOLDER = Path(__file__).with_name("page")
SCRIPTS = ("data.js", "dom.js", "table.js", "plots.js", "overview.js", "cell_plots.js", "cell.js", "claims.js", "robust.js", "compare.js", "settings.js", "main.js")


def inside_script(text):
    """JSON that no text of a file can leave, nor a reader of scripts take for anything else."""
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def page(data, library):
    """The whole page; `library`: the text of Vega."""
    if "</script" in library or "<!--" in library:
        raise ValueError("the library of the plots would end its script element")
    template = (FOLDER / "page.html").read_text(encoding="utf-8")
    title = ", ".join(file["label"] for file in data["files"])
    scripts = "\n".join(f"<script>\n{(FOLDER / name).read_text(encoding='utf-8')}</script>" for name in SCRIPTS)
    parts = {
        "title": html.escape(title),
        "style": (FOLDER / "page.css").read_text(encoding="utf-8"),
        "data": inside_script(written(data)),
        "library": library,
        "scripts": scripts,
    }
    made = []
    for piece in template.split("@@"):
        made.append(parts.get(piece, piece))
    return "".join(made)
