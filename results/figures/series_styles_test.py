#!/usr/bin/env python3
"""Whatever systems a file holds: every figure of the catalogue draws each of them, in one colour in all figures, or refuses; and every
mean over seeds has its 95 % interval.

Usage: cast_test.py PAPER.h5 SWEEP.h5 STREAMS.h5 LOKI.h5 DROPPING.h5 INFERLINE.h5 QUART.h5 (write_example_results, and the examples
of loki_test.py, inferline_test.py and quart_test.py)
"""

import random
import shutil
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import h5py
import numpy as np
from matplotlib import colors
from matplotlib.container import ErrorbarContainer

from figures_testing import Drawn, profiles_for_slo, run, runtimes_for_slo, wanted_cells
import catalogue
import draw as draw_module
import style
from series_styles import SeriesStyles, chosen, system_of
from look import BAND_ALPHA
from harness_results.student_t import student_t_share
from intervals import seeds_text, spread, student_t_95
from harness_results.file import Cell, Results
from selection import LeftOut, Missing

PAPER, SWEEP, STREAMS, LOKI, DROPPING, INFERLINE, QUART = sys.argv[-7:]
del sys.argv[-7:]
SEED = 20260727


def slo_by_rate(row, rate):
    row["slo_ms"] = rate


def workers_by_rate(row, rate):
    row["parameters"] = f"cluster.workers={rate:g}"


def limits_by_rate(row, rate):
    limit = f" shepherd.herd_group_worker_limit={row['seed'] % 2}" if row["system"] == b"shepherd" else ""
    row["parameters"] = f"cluster.workers={rate:g}{limit}"


def window_for_lambda(row, _):
    row["parameters"] = row["parameters"].replace(b"pard.lambda", b"pard.queueing_window_s")


def batches_for_slo(row, _):
    row["parameters"] = row["parameters"] + f" planner.max_batch={row['slo_ms']:g}".encode()
    row["slo_ms"] = 500


def one_trace(row, _):
    row["status"] = row["status"] if row["trace"] == b"cv-4" else b"skipped"


def in_setting(row):
    row["parameters"] = row["parameters"] + b" setting=as written"


# From which example each figure is drawn, and what is changed in it to hold what the figure shows: edit(row of /summary, its rate).
EXAMPLES = {name: (PAPER, None) for name in catalogue.DRAWINGS if name.startswith("pard/")}
EXAMPLES |= {"pard/fig14a": (STREAMS, None), "pard/fig14b": (DROPPING, None), "pard/fig14c": (SWEEP, None),
             "pard/fig14d": (SWEEP, window_for_lambda)}
EXAMPLES |= {name: (STREAMS, None) for name in catalogue.LOAD_SWEEPS}
EXAMPLES |= {"shepherd/fig7": (STREAMS, None), "shepherd/fig8": (STREAMS, None), "shepherd/fig9": (STREAMS, slo_by_rate),
             "shepherd/fig10": (STREAMS, workers_by_rate), "shepherd/fig11a": (STREAMS, slo_by_rate),
             "shepherd/fig11b": (STREAMS, limits_by_rate)}
EXAMPLES |= {f"loki/fig{k}": (LOKI, None) for k in (1, 5, 6)} | {f"loki/fig{k}": (DROPPING, None) for k in (7, 8)}
EXAMPLES |= {name: (INFERLINE, None) for name in catalogue.DRAWINGS if name.startswith("inferline/")}
EXAMPLES |= {"inferline/fig3": (INFERLINE, batches_for_slo), "inferline/fig13": (INFERLINE, lambda row, _: profiles_for_slo(row)),
             "inferline/fig8": (INFERLINE, lambda row, _: runtimes_for_slo(row))}
EXAMPLES |= {f"quart/{name}": (QUART, None) for name in ("fig2", "fig3a", "fig3b")}
EXAMPLES |= {"quart/fig6": (QUART, one_trace), "quart/fig7": (QUART, None), "quart/fig8": (QUART, None)}
EXAMPLES |= {"robust": (PAPER, lambda row, _: in_setting(row))}


def publish_states(file):
    """States as figure 13 needs them."""
    states = np.zeros(12, dtype=[("at_ns", "i8"), ("module", "u2"), ("load", "f8"), ("band", "f8"), ("order", "u1")])
    states["at_ns"], states["load"], states["band"] = np.arange(12) * 5 * 10**8, 1.1, 0.2
    states["order"][5:] = 1
    for cell in file["cells"].values():
        cell.pop("states", None)
        cell["states"] = states


def give_cores(file):
    """Two numbers of cores as figure 3(b) of QUART needs them: by trace, which is then the same."""
    rows = file["summary"][:]
    for row in rows:
        plans = file[f"cells/{row['cell']}/plans"]
        edited = plans[:]
        edited["cores"] = 4 if row["trace"] == b"cv-4" else 2
        plans[:] = edited
    rows["trace"] = b"cv-4"
    file["summary"][:] = rows


def add_system(file, name, variants, where=lambda row: True):
    """The cells of the file's first series once more, those for which where(row) holds, as those of another system, which has none of
    the first's own parameters."""
    rows = file["summary"][:]
    first = rows[0]
    added = {}
    for variant in variants:
        for row in rows:
            if row["system"] != first["system"] or row["variant"] != first["variant"] or not where(row):
                continue
            copy = row.copy()
            copy["system"], copy["variant"] = name, variant
            copy["parameters"] = b" ".join(word for word in row["parameters"].split() if not word.startswith(b"pard."))
            what = tuple(copy[key] for key in ("variant", "pipeline", "trace", "load", "slo_ms", "seed", "parameters"))
            rate = file[f"cells/{row['cell']}"].attrs["effective_toml"]
            if added.setdefault((what, rate), copy) is copy:
                copy["cell"] = len(rows) + len(added) - 1
                file[f"cells/{copy['cell']}"] = file[f"cells/{row['cell']}"]
    del file["summary"]
    file["summary"] = np.concatenate([rows, np.array(list(added.values()), dtype=rows.dtype)])


def scatter(file):
    """Rates that are not the same for all seeds."""
    rows = file["summary"][:]
    rows["drop_rate"] += 0.01 * rows["seed"]
    file["summary"][:] = rows


@cache
def rates_of(example):
    return {cell["cell"]: cell.rate_rps for cell in Results(example).cells}


class Changed(Drawn):
    """Draws changed copies of the examples."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.random = random.Random(SEED)

    def change(self, name, edit_file):
        """A copy of the figure's example, with its edit and then edit_file(file) done."""
        example, edit = EXAMPLES[name]
        copy = self.folder / f"{len(list(self.folder.iterdir()))}.h5"  # one that has been read stays open
        shutil.copy(example, copy)
        rates = rates_of(example)
        with h5py.File(copy, "r+") as file:
            if name == "pard/fig13":
                publish_states(file)
            if name == "quart/fig3b":
                give_cores(file)
            if name == "robust":
                file.attrs["experiment_toml"] = '[robustness]\n[[setting]]\nname = "as written"\n'
            if edit is not None:
                rows = file["summary"][:]
                for row in rows:
                    edit(row, rates[row["cell"]])
                file["summary"][:] = rows
                if edit in (slo_by_rate, workers_by_rate, limits_by_rate):
                    for cell in file["cells"].values():
                        cell.attrs["effective_toml"] = "[workload]\nrates_rps = [0]\n"
            edit_file(file)
        return copy

    def texts(self, figure):
        """All that can be read in a figure."""
        found = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
        for axes in figure.axes:
            found += [text.get_text() for text in axes.get_xticklabels() + axes.get_yticklabels()]
            found += [axes.get_title(loc="left"), *axes.get_legend_handles_labels()[1]]
        return found

    def colours_of(self, figure, name):
        """Colours of the lines, points and bars that have the name."""
        for axes in figure.axes:
            for handle, label in zip(*axes.get_legend_handles_labels()):
                if label == name:
                    handle = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
                    handle = handle.patches[0] if hasattr(handle, "patches") else handle
                    yield colors.to_hex(handle.get_color() if hasattr(handle, "get_color") else handle.get_facecolor())


class EverySystemTest(Changed):
    def test_the_examples_are_of_all_figures(self):
        self.assertEqual(set(EXAMPLES), set(catalogue.DRAWINGS))

    def test_every_figure_draws_every_system_in_one_colour(self):
        names = [f"{''.join(self.random.choices('abcdefgh', k=4))}{rank}" for rank in range(3)]
        seen = {}
        for figure_name in catalogue.DRAWINGS:
            foreign = names[:self.random.randint(1, 3)]
            variants = {name: ["default"] if self.random.random() < 0.6 else ["one"] for name in foreign}
            copy = self.change(figure_name, lambda file: [add_system(file, name, variants[name]) for name in foreign])
            figures = self.figures(copy, figure_name)
            styles = SeriesStyles(Results(copy).cells)
            texts = [text for _, figure, caption in figures for text in [*self.texts(figure), caption.partition(" Not drawn: ")[0]]]
            for name in foreign:
                label = name if variants[name] == ["default"] else f"{name}-one"
                with self.subTest(figure=figure_name, system=label):
                    names_of_it = {label, label.replace("-one", ", one")}  # PARD's figure 15 calls policies so
                    self.assertTrue(any(one in text for one in names_of_it for text in texts), texts)
                    own = styles.colour(label.replace("-one", "/one"))
                    found = {colour for _, figure, _ in figures for colour in self.colours_of(figure, label)}
                    self.assertLessEqual(found, {colors.to_hex(own)})
                    for colour in found:
                        seen.setdefault((name, tuple(foreign)), set()).add(colour)
        self.assertTrue(seen)
        for colours in seen.values():
            self.assertEqual(len(colours), 1)

    def test_more_systems_than_a_panel_has_series_are_all_drawn(self):
        names = [f"system{rank}" for rank in range(11)]
        for figure_name in ("pard/fig8", "pard/fig14a", "shepherd/fig7", "loki/fig8"):
            copy = self.change(figure_name, lambda file: [add_system(file, name, ["default"]) for name in names])
            (_, figure, _), *_ = self.figures(copy, figure_name)
            found = [set(self.colours_of(figure, name)) for name in names]
            self.assertEqual([len(own) for own in found], [1] * len(names), figure_name)
            self.assertEqual(len(set.union(*found)), len(names), figure_name)
            results = Results(copy)
            markers = {SeriesStyles(results.cells).marker(name) for name in names}
            self.assertEqual(len(markers), len(names))

    def test_the_general_figures_draw_every_system(self):
        names = [f"system{rank}" for rank in range(11)]
        copy = self.change("pard/fig8", lambda file: [add_system(file, name, ["default"]) for name in names])
        kept = []
        real = style.save
        self.addCleanup(setattr, style, "save", real)
        style.save = lambda figure, folder, stem, caption: kept.append((stem, figure)) or []
        list(draw_module.draw_general(Results(copy), Path("."), 1))
        style.save = real
        self.assertEqual(len(kept), 1 + len(draw_module.WORKLOAD_FIGURES))
        for stem, figure in kept:
            texts = " ".join(self.texts(figure))
            self.assertEqual([name for name in names if name not in texts], [], stem)

    def test_the_first_of_each_system_is_always_chosen(self):
        for _ in range(200):
            names = [f"{self.random.choice('abcdef')}/{rank}" for rank in range(self.random.randint(1, 20))]
            most = self.random.randint(1, 12)
            kept = chosen(names, system_of, most)
            systems = {system_of(name) for name in names}
            self.assertEqual({system_of(name) for name in kept}, systems)
            self.assertEqual(len(kept), min(len(names), max(most, len(systems))))
            self.assertEqual(kept, [name for name in names if name in kept])


class LeftOutTest(Changed):
    def test_a_drawing_that_forgets_a_system_is_refused(self):
        real = catalogue.DRAWINGS["pard/fig8"]
        self.addCleanup(catalogue.DRAWINGS.__setitem__, "pard/fig8", real)
        catalogue.DRAWINGS["pard/fig8"] = catalogue.Drawing(
            lambda cells, styles: real.draw([cell for cell in cells if cell["system"] != "mine"], styles), real.series)
        copy = self.change("pard/fig8", lambda file: add_system(file, "mine", ["default"]))
        with self.assertRaisesRegex(LeftOut, "leaves out mine: "):
            self.figures(copy, "pard/fig8")

    def test_a_system_without_what_a_figure_shows_is_an_error(self):
        """Nothing is written, one line names the figure and the system, the exit code is 2; another figure is drawn."""
        copy = self.change("pard/fig11", lambda file: add_system(file, "mine", ["default"], lambda row: row["pipeline"] == b"tm"))
        folder = self.folder / "figures"
        for name in ("pard/fig11", "pard/fig12"):
            done = run(copy, "-o", folder, "--only", name)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn(f"{copy}: {name} is not drawn: it leaves out mine: ", done.stderr)
            self.assertEqual(list(folder.iterdir()), [])
        done = run(copy, "-o", folder, "--only=pard/fig11", "--only=pard/fig8")
        self.assertEqual(done.returncode, 2)
        self.assertEqual({path.name for path in folder.iterdir()}, {"pard-fig8.pdf", "pard-fig8.png"})

    def test_a_system_without_states_is_an_error(self):
        def edit(file):
            add_system(file, "mine", ["default"])
            for row in file["summary"][:]:
                if row["system"] == b"mine":
                    copy = f"cells/{row['cell']}"
                    source = file[copy]
                    del file[copy]
                    made = file.create_group(copy)
                    for key, value in source.attrs.items():
                        made.attrs[key] = value
                    for key in source:
                        if key != "states":
                            made[key] = source[key]

        copy = self.change("pard/fig13", edit)
        with self.assertRaisesRegex(LeftOut, "leaves out mine: no /cells/[0-9]+/states"):
            self.figures(copy, "pard/fig13")

    def test_a_system_only_in_settings_that_are_not_drawn_is_an_error(self):
        def edit(file):
            add_system(file, "mine", ["default"])
            rows = file["summary"][:]
            for row in rows:
                row["parameters"] = f"planner.sizing_factor={1 + row['cell'] % 13}"
            rows["parameters"][rows["system"] == b"mine"] = b"planner.sizing_factor=14"
            file["summary"][:] = rows

        copy = self.change("pard/fig8", edit)
        with self.assertRaises((LeftOut, Missing)):
            self.figures(copy, "pard/fig8")


class IntervalTest(Changed):
    def test_quantiles_of_student_t(self):
        for freedom, quantile in ((1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (9, 2.26216), (30, 2.04227), (99, 1.98422)):
            self.assertAlmostEqual(student_t_95(freedom), quantile, places=4)
        self.assertAlmostEqual(student_t_share(np.arctan(1.0), 1), 0.5)

    def test_spread_is_the_mean_and_the_half_width_over_the_seeds(self):
        mean, half = spread([1, 2, 3])
        self.assertAlmostEqual(mean, 2)
        self.assertAlmostEqual(half, 4.30265 / 3**0.5, places=4)
        self.assertTrue(np.isnan(spread([7])[1]))
        mean, half = spread([1, np.nan, 2, 3])
        self.assertAlmostEqual(half, spread([1, 2, 3])[1], msg="of those that have a value")
        self.assertEqual(mean, 2)
        self.assertTrue(np.isnan(spread([np.nan, np.nan])[0]))
        self.assertEqual(spread([1, np.inf])[0], np.inf)
        means, halves = spread([[1, 5], [3, 5]])
        np.testing.assert_allclose(means, [2, 5])
        np.testing.assert_allclose(halves, [12.7062, 0], rtol=1e-4)

    def test_captions_say_of_how_many_seeds(self):
        def cells(*seeds):
            return [Cell({"seed": seed}, None) for seed in seeds]

        self.assertEqual(seeds_text(cells(1), cells(2)), " One seed: no intervals.")
        self.assertEqual(seeds_text(cells(1, 2, 3)), " Mean of 3 seeds; whiskers: its 95 % interval (Student's t).")
        self.assertIn("Mean of 1 to 2 seeds; bands: its 95 % interval (Student's t; none of one seed).",
                      seeds_text(cells(1, 2), cells(1), what="bands"))

    def whiskers(self, figure):
        """Whiskers and bands."""
        bars = [one for axes in figure.axes for one in axes.containers if isinstance(one, ErrorbarContainer) and (one.has_yerr or one.has_xerr)]
        return bars + [one for axes in figure.axes for one in axes.collections if one.get_alpha() == BAND_ALPHA]

    def test_whiskers_of_fig8_are_the_intervals_of_the_rows(self):
        (_, figure, _), = self.figures(PAPER, "pard/fig8")
        axes = self.panel(figure, "(a)")
        bars = next(one for one in axes.containers if one.get_label() == "Nexus")
        with h5py.File(PAPER) as file:
            rates = file["summary"]["drop_rate"]
        pairs = [("tm", "wiki"), ("tm", "tweet"), ("lv", "wiki"), ("lv", "tweet")]
        for pair, (low, high) in zip(pairs, bars.errorbar.lines[2][0].get_segments()):
            values = 100 * rates[wanted_cells(PAPER, system="nexus", variant="default", pipeline=pair[0], trace=pair[1])]
            half = student_t_95(len(values) - 1) * values.std(ddof=1) / len(values) ** 0.5
            np.testing.assert_allclose([low[1], high[1]], [values.mean() - half, values.mean() + half])

    def test_every_figure_has_intervals_of_several_seeds_and_none_of_one(self):
        """Figures of single runs and of requests of all seeds together say so."""
        for name in catalogue.DRAWINGS:
            with self.subTest(figure=name):
                _, figure, caption = self.figures(self.change(name, scatter), name)[0]
                pooled = "all seeds together" in caption or "seed 1" in caption or "(seed 1)" in caption
                self.assertTrue("95 % interval" in caption or pooled, caption)
                self.assertTrue(self.whiskers(figure) or pooled)

                def one_seed(file):
                    rows = file["summary"][:]
                    rows["status"][rows["seed"] != rows["seed"][0]] = b"skipped"
                    file["summary"][:] = rows

                _, figure, caption = self.figures(self.change(name, one_seed), name)[0]
                self.assertNotIn("95 % interval", caption)
                self.assertTrue("One seed: no intervals." in caption or pooled, caption)
                self.assertEqual(self.whiskers(figure), [])


if __name__ == "__main__":
    unittest.main()
