"use strict";
// Tables that are sorted by the buttons of their heads and filtered by words.

const FIRST_ROWS = 700;

/**
 * columns: {key, label, title, number, name (not broken) or kind (a class), value(row) for sorting, cell(row) -> text or element (default: the value), full(row)}.
 * options: caption, sort: [key, descending], filter: a label, keep(row) a further filter, chosen(row), after(rows).
 */
class Table {
  constructor(columns, rows, options) {
    this.columns = columns;
    this.rows = rows;
    this.options = options || {};
    this.sort = this.options.sort || null;
    this.limit = FIRST_ROWS;
    this.words = "";
    this.body = h("tbody");
    this.heads = columns.map((column) => this.head(column));
    this.count = h("p", { class: "note", role: "status" });
    this.more = h("button", { type: "button", hidden: true, onclick: () => { this.limit = Infinity; this.draw(); } });
    this.table = h("table", {}, h("caption", { class: "unseen" }, this.options.caption || ""),
      h("thead", {}, h("tr", {}, this.heads)), this.body);
    this.box = h("div", { class: this.options.short ? "wide short" : "wide", tabindex: "0", role: "region", "aria-label": this.options.caption || "table" }, this.table);
    this.search = h("input", { type: "search", placeholder: "words that a row must have", oninput: (event) => {
      this.words = event.target.value;
      this.draw();
    } });
    this.element = h("div", {}, this.options.filter ? h("div", { class: "row" }, h("label", {}, this.options.filter, this.search)) : null,
      this.box, this.more, this.options.filter ? this.count : null);
    this.draw();
  }

  head(column) {
    return h("th", { scope: "col", class: column.number ? "number" : "", title: column.title || null },
      h("button", { type: "button", onclick: () => this.sortBy(column) }, column.label));
  }

  sortBy(column) {
    const again = this.sort && this.sort[0] === column.key;
    this.sort = [column.key, again ? !this.sort[1] : Boolean(column.number)];
    this.draw();
    say(`sorted by ${column.label}, ${this.sort[1] ? "descending" : "ascending"}`);
  }

  text(column, row) {
    const cell = column.cell ? column.cell(row) : column.value(row);
    return cell instanceof Node ? cell.textContent : String(cell ?? "");
  }

  matching() {
    const words = this.words.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = this.options.keep ? this.rows.filter(this.options.keep) : this.rows;
    if (words.length === 0) return rows;
    return rows.filter((row) => {
      const text = this.columns.map((column) => this.text(column, row)).join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }

  sorted(rows) {
    if (!this.sort) return rows;
    const column = this.columns.find((each) => each.key === this.sort[0]);
    if (!column) return rows;
    const sign = this.sort[1] ? -1 : 1;
    const keyed = rows.map((row) => [column.value(row), row]);
    const none = (value) => value === null || value === undefined;
    keyed.sort(([a], [b]) => {
      if (none(a) || none(b)) return Number(none(a)) - Number(none(b));
      return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true }));
    });
    return keyed.map(([, row]) => row);
  }

  draw() {
    const rows = this.sorted(this.matching());
    this.columns.forEach((column, at) => {
      const own = this.sort && this.sort[0] === column.key;
      this.heads[at].setAttribute("aria-sort", own ? (this.sort[1] ? "descending" : "ascending") : "none");
    });
    fill(this.body, rows.slice(0, this.limit).map((row) => this.row(row)));
    this.more.hidden = rows.length <= this.limit;
    this.more.textContent = `show all ${rows.length} rows`;
    fill(this.count, `${rows.length} of ${plural(this.rows.length, "row")}`);
  }

  row(row) {
    const chosen = this.options.chosen && this.options.chosen(row);
    return h("tr", { class: chosen ? "chosen" : null }, this.columns.map((column) => {
      const cell = column.cell ? column.cell(row) : column.number ? number(column.value(row)) : column.value(row);
      const full = column.full ? column.full(row) : column.number ? column.value(row) : null;
      const kind = column.number ? "number" : column.name ? "name" : column.kind;
      return h("td", { class: kind, title: full === null || full === undefined ? null : shown(full) }, cell);
    }));
  }
}
