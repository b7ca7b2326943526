"""Series of Loki's figures, as experiments name them: system, or system/variant."""

from selection import group, name_of, series_of

LOKI = "loki"
SYSTEMS = (LOKI, "proteus", "inferline")
# Figure 7's four versions of early dropping, as the paper calls them.
DROPPING = {
    "loki/none": "no early\ndropping",
    "loki/last_task": "last-task\ndropping",
    "loki/per_task": "per-task\nearly dropping",
    "loki/reroute": "opportunistic\nrerouting",
}


def one_of_each(cells, systems):
    """{system: its cells of one variant}: the default one, or else the first of the file; and a sentence for captions, which says what
    stands for a system that has no default, what is left out and what the file lacks."""
    series = group(cells, series_of)
    chosen, words, left_out = {}, "", []
    for system in systems:
        own = [name for name in series if name.partition("/")[0] == system]
        if not own:
            words += f" Not in the file: {name_of(system)}."
            continue
        name = system if system in own else own[0]
        chosen[system] = series[name]
        left_out += [name_of(other) for other in own if other != name]
        if name != system:
            words += f" {name_of(system)}: its variant {name.partition('/')[2]}."
    if left_out:
        words += f" Not drawn: {', '.join(left_out)}."
    return chosen, words
