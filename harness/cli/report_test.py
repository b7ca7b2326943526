"""`harness report` as a user calls it, and its pages in headless Chromium: they open, every kind of link and control works, and
the console stays empty.

    report_test.py HARNESS

Without vl-convert-python, Chromium or selenium (ci/setup installs them) only the exit codes are tested.
"""
import os
import re
import sys
import tempfile
import time

from program_testing import SMALL, Failures, edited, finish, run, several_cells, write

SKIPPED = 77  # for CTest
SWEEP = """[workload]
pipelines = ["tm"]
traces = ["poisson"]
loads = [0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4]
seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
duration_s = 5
""" + "".join(f'[[system]]\nname = "{name}"\n' for name in ("naive", "clipperpp", "nexus", "pard"))
# Of this name there are claims.
OVERALL = SWEEP.replace("poisson", "wiki").replace("[0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4]", "[1.5]").replace(
    ", 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]", "]")
HOSTILE = "<img src=x onerror=\"window.hacked=1\"></script><script>window.hacked=1</script>"
MAX_ROW_LINKS = 6  # of a table: its rows are all made alike


def check_exit_codes(harness, folder, failures):
    write(folder, "text.h5", "no HDF5")
    for what, words in (("no file", ["gone.h5"]), ("text", ["text.h5"]), ("nothing", [])):
        done = run([harness, "report", *words], folder)
        if done.returncode != 2 or done.stdout or len(done.stderr.strip().splitlines()) != 1:
            failures.append(f"{what}: {done.returncode} {done.stdout}{done.stderr}")
    done = run([harness, "report", "small.h5", "-o", "r.html"], folder)
    if done.returncode == 3:
        if not re.fullmatch(r"harness: plots need the Python package vl-convert-python .*pip install .*\n", done.stderr):
            failures.append(f"without the library: {done.stderr}")
        return False
    failures.expect("a report", done, 0, ["r.html: 1 cell, "])
    if run([harness, "report", "small.h5", "-o", "/dev/null/r.html"], folder).returncode != 3:
        failures.append("a page that cannot be written: not 3")
    check_outputs(harness, folder, failures)
    return True


def check_outputs(harness, folder, failures):
    """Nothing but a page is replaced."""
    path = os.path.join(folder, "small.h5")
    with open(path, "rb") as file:
        before = file.read()
    os.symlink("small.h5", os.path.join(folder, "link.html"))
    for output, code in (("small.h5", 2), ("link.html", 2), ("/dev/null", 2), (".", 2), ("gone/r.html", 3)):
        done = run([harness, "report", "small.h5", "-o", output], folder)
        if done.returncode != code or done.stdout or len(done.stderr.strip().splitlines()) != 1:
            failures.append(f"-o {output}: {done.returncode} {done.stdout}{done.stderr}")
    with open(path, "rb") as file:
        if file.read() != before:
            failures.append("a report replaced its results")


def browser():
    """A headless Chromium, or why there is none."""
    try:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        return None, "python3-selenium is not installed"
    if not os.path.exists("/usr/bin/chromedriver"):
        return None, "chromium-driver is not installed"
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1000"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options), ""


class Page:
    """A report in the browser."""

    def __init__(self, driver, failures, path, name):
        self.driver, self.failures, self.name = driver, failures, name
        driver.get("about:blank")
        driver.get("file://" + path)
        self.settle()
        self.opened_s = self.ask("return performance.getEntriesByType('navigation')[0].loadEventEnd") / 1000

    def ask(self, script, *words):
        return self.driver.execute_script(script, *words)

    def fail(self, text):
        self.failures.append(f"{self.name}: {text}")

    def settle(self):
        """Until all plots stand."""
        end = time.monotonic() + 60
        while self.ask("return document.documentElement.dataset.drawn") != "yes":
            if time.monotonic() > end:
                self.fail("its plots do not come")
                return
            time.sleep(0.05)

    def complaints(self):
        for entry in self.driver.get_log("browser"):
            self.fail(f"console: {entry['level']} {entry['message']}")

    def press(self, kind, selector, within="document"):
        """Clicks every element of that kind that is there now, the first ones of a table's rows; how many those were."""
        script = f"""
            const rows = new Map(), chosen = [];
            for (const each of {within}.querySelectorAll(arguments[0])) {{
              const table = each.closest("tbody");
              if (table) rows.set(table, (rows.get(table) || 0) + 1);
              if (!table || rows.get(table) <= {MAX_ROW_LINKS}) chosen.push(each);
            }}
            return chosen;"""
        count = len(self.ask(script, selector))
        for at in range(count):
            found = self.ask(script, selector)
            if at >= len(found):
                break
            self.ask("arguments[0].closest('details')?.setAttribute('open', ''); arguments[0].click()", found[at])
            self.settle()
        if count == 0:
            self.fail(f"no {kind}")
        return count

    def choose_all(self):
        """Every choice of every list; of the long list of cells the first ones."""
        for at in range(self.ask("return document.querySelectorAll('select').length")):
            for choice in range(min(8, self.ask("return document.querySelectorAll('select')[arguments[0]]?.options.length || 0", at))):
                self.ask("""const list = document.querySelectorAll('select')[arguments[0]];
                    if (list && list.options[arguments[1]]) { list.selectedIndex = arguments[1]; list.dispatchEvent(new Event('change')); }""", at, choice)
                self.settle()

    def check_links(self):
        """Each link leads to a place of the page, each cell's to a cell that is there."""
        lost = self.ask("""return [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((href) => {
            const cell = /^#cell-(\\d+)-(\\d+)$/.exec(href);
            return cell ? !FILES[cell[1]] || !FILES[cell[1]].places.has(Number(cell[2])) : !href.startsWith('#') || !document.getElementById(href.slice(1));
        })""")
        if lost:
            self.fail(f"links to nowhere: {lost[:5]}")

    def check_whole(self):
        self.check_links()
        self.press("section", "nav a")
        self.press("switch of rows", "#headline [role=group] button")
        self.press("heading", "thead button")
        self.press("cell", "tbody a[href^='#cell-']")
        self.press("copy", ".command button")
        self.press("box", "input[type=checkbox]")
        self.press("box", "input[type=checkbox]")  # and back
        self.press("details", "summary")
        self.choose_all()
        if self.ask("return performance.getEntriesByType('resource').length"):
            self.fail("asks for something outside of the page")
        self.complaints()


def check_sweep(driver, failures, folder):
    page = Page(driver, failures, os.path.join(folder, "sweep.html"), "540 cells")
    print(f"540 cells: {os.path.getsize(os.path.join(folder, 'sweep.html')) / 1e6:.1f} MB, opened in {page.opened_s:.2f} s")
    if os.path.getsize(os.path.join(folder, "sweep.html")) >= 5e6:
        page.fail("5 MB or more")
    rerun = page.ask("return [...document.querySelectorAll('#cell .command code')].map((each) => each.textContent)")
    if rerun != ["harness sweep.toml -o DIR --set 'record.rows=[0]'"]:
        page.fail(f"without rows: {rerun}")
    page.ask("""const box = document.querySelector('#headline input'); box.value = 'pard 1.4'; box.dispatchEvent(new Event('input'));""")
    texts = page.ask("return [...document.querySelectorAll('#headline tbody tr')].map((row) => row.textContent)")
    if not texts or any("pard" not in text or "1.4" not in text for text in texts):
        page.fail(f"the filter shows {texts}")
    page.check_whole()
    driver.set_window_size(420, 900)
    time.sleep(1)
    page.settle()
    if page.ask("return document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        page.fail("wider than a narrow screen")
    driver.set_window_size(1280, 1000)
    page.complaints()


def check_claims(driver, failures, folder):
    """From a claim to its cells, to a cell, to the command about a request: each one click."""
    page = Page(driver, failures, os.path.join(folder, "overall.html"), "claims")
    page.ask("document.querySelector('#claims tbody a').click()")
    page.settle()
    cells = page.ask("return [...document.querySelectorAll('#headline tbody a')].map((a) => a.getAttribute('href'))")
    if not 0 < len(cells) <= 8:
        page.fail(f"cells of a claim: {cells}")
    page.ask("document.querySelector('#headline tbody a').click()")
    page.settle()
    heading = page.ask("return document.activeElement.id")
    commands = page.ask("return [...document.querySelectorAll('#cell .command code')].map((each) => each.textContent)")
    number = cells[0].rpartition("-")[2]
    if "#" + heading != cells[0] or f"harness explain overall.h5 --cell {number} --worst 5" not in commands:
        page.fail(f"at {heading}, with {commands}")
    page.ask("""for (const [at, value] of [[0, 1], [1, 3]]) {
        const box = document.querySelectorAll('#cell input[type=number]')[at]; box.value = value; box.dispatchEvent(new Event('change')); }""")
    commands = page.ask("return [...document.querySelectorAll('#cell .command code')].map((each) => each.textContent)")
    where = f"harness explain overall.h5 --cell {number}"
    if f"{where} --worst 5 --from 1 --to 3" not in commands or f"{where} --at 2s" not in commands or not any(
            text.startswith("harness timeline") and " --from 1 --to 3 " in text for text in commands):
        page.fail(f"zoomed: {commands}")
    page.ask("const box = document.querySelector('#cell input[type=number]'); box.value = 4; box.dispatchEvent(new Event('change'));")
    typed = page.ask("return [...document.querySelectorAll('#cell input[type=number]')].map((each) => each.value)")
    if typed != ["4", "3"] or "from must be below to" not in page.ask("return document.querySelector('#cell').innerText"):
        page.fail(f"from above to: {typed}")
    page.ask("location.hash = '#cell-0-99'")
    time.sleep(0.3)
    if "There is no cell 99" not in page.ask("return document.getElementById('lost').innerText"):
        page.fail("a cell that is not there is not said")
    page.check_whole()


def check_pointer(driver, failures, folder):
    """A drag over the strip zooms, and the pointer over a plot tells its numbers."""
    from selenium.webdriver.common.action_chains import ActionChains

    page = Page(driver, failures, os.path.join(folder, "overall.html"), "pointer")
    plot = driver.find_element("css selector", "#cell .plot svg")
    page.ask("arguments[0].closest('.plot').scrollIntoView({block: 'end'})", plot)
    width, height = plot.size["width"], plot.size["height"]
    ActionChains(driver).move_to_element_with_offset(plot, -width // 5, height // 2 - 60).click_and_hold().move_by_offset(
        width // 4, 0).release().perform()
    time.sleep(0.5)
    start, end = (float(value) for value in page.ask("return [...document.querySelectorAll('#cell input[type=number]')].map((each) => each.value)"))
    if not 0 < start < end < 5:
        page.fail(f"a drag zooms to {start} to {end} s")
    page.ask("arguments[0].closest('.plot').scrollIntoView({block: 'start'})", plot)
    ActionChains(driver).move_to_element_with_offset(plot, 20, -height // 2 + 120).perform()
    time.sleep(0.5)
    told = page.ask("return document.querySelector('#vg-tooltip-element.visible')?.innerText")
    if not told or "sent" not in told or "in time" not in told:
        page.fail(f"the pointer tells {told}")
    gaps = page.ask("""const rows = moduleRows([[1, -2, 4]], 1, ["m"], (value) => (value === 0 ? null : (value - 1) / 10));
        return [rows.map((row) => row.value), told(rows, ["m"], "value").map((row) => row.told0), alone(rows).map((row) => row.t)]""")
    if gaps != [[0, None, None, 0.3], ["0", "none", "none", "0.3000"], [0.5, 3.5]]:
        page.fail(f"a wait of 0 and no wait: {gaps}")
    page.complaints()


def check_keyboard(driver, failures, folder):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page = Page(driver, failures, os.path.join(folder, "two.html"), "two files")
    told = page.ask("""const made = new Changes(REPORT.comparisons[0]);
        const wanted = made.changes.filter((change) => change.metric === made.metric).map((change) => change.movement);
        const rows = [...made.place.querySelector("table").tBodies[0].rows];
        return [wanted, rows.map((row) => row.cells[row.cells.length - 1].textContent)]""")
    if not told[0] or sorted(told[0]) != sorted(told[1]):
        page.fail(f"what moved, as diff says and as the table does: {told}")
    none = page.ask("""const made = Object.create(Changes.prototype);
        return Object.assign(made, {pairs: [], all: [[0, 0], [1, 1]]}).body().textContent""")
    if none != "2 pairs, none ran in both.":
        page.fail(f"skipped pairs: {none}")
    driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    if page.ask("return document.activeElement.className") != "skip":
        page.fail("the first stop of the keyboard is not the link over the head")
    page.ask("document.querySelector('#headline thead button').focus()")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    if page.ask("return document.querySelector('#headline th').getAttribute('aria-sort')") != "ascending":
        page.fail("a heading does not sort by the keyboard")
    outline = page.ask("return getComputedStyle(document.activeElement).outlineStyle")
    if outline != "solid":
        page.fail(f"the focus is not seen: {outline}")
    page.check_whole()


def check_hostile(driver, failures, folder):
    page = Page(driver, failures, os.path.join(folder, "hostile.html"), "hostile names")
    page.ask("document.querySelectorAll('details').forEach((each) => each.setAttribute('open', ''))")
    page.press("heading", "thead button")
    if page.ask("return window.hacked || document.querySelectorAll('img').length"):
        page.fail("a name became markup")
    if "onerror" not in page.ask("return document.body.innerText"):
        page.fail("the name is not shown")
    page.complaints()


def make_pages(harness, folder, failures):
    for name, text in (("sweep", SWEEP + "[cluster]\nworkers = 8\n[record]\nrows = false\n"), ("overall", OVERALL), ("base", several_cells(2)), ("now", several_cells(2))):
        failures.expect(name, run([harness, write(folder, name + ".toml", text), "-o", ".", "--quiet"], folder), 0)
    with edited(os.path.join(folder, "hostile.h5")) as file:
        rows = file["summary"][:]
        for column in ("system", "variant", "pipeline", "trace"):
            rows[column] = HOSTILE.encode()
        del file["summary"]
        file["summary"] = rows
    for page, files in (("sweep", ["sweep.h5"]), ("overall", ["overall.h5"]), ("two", ["base.h5", "now.h5"]), ("hostile", ["hostile.h5"])):
        failures.expect(page, run([harness, "report", *files, "-o", page + ".html"], folder), 0)


def main():
    harness, failures = sys.argv[1], Failures()
    with tempfile.TemporaryDirectory() as folder:
        failures.expect("the run", run([harness, write(folder, "small.toml", SMALL), "-o", ".", "--quiet"], folder), 0)
        has_library = check_exit_codes(harness, folder, failures)
        driver, why = browser() if has_library else (None, "vl-convert-python is not installed")
        if driver is None:
            print(f"skipped: no page is looked at: {why} (ci/setup installs it)")
            if not failures:
                sys.exit(SKIPPED)
            finish(failures)
        try:
            with open(os.path.join(folder, "small.h5"), "rb") as small:
                write(folder, "hostile.h5", small.read())
            make_pages(harness, folder, failures)
            for check in (check_sweep, check_claims, check_pointer, check_keyboard, check_hostile):
                check(driver, failures, folder)
        finally:
            driver.quit()
    finish(failures)


if __name__ == "__main__":
    main()
