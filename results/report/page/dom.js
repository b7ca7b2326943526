"use strict";
// Elements. Whatever comes from a file becomes text, never markup.

/** Control characters as a reader sees them: "\x1b". */
function shown(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (c) => "\\x" + c.charCodeAt(0).toString(16).padStart(2, "0"));
}

/** An element with attributes ("on..." are listeners, a boolean sets or leaves out) and children, texts among them. */
function h(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(shown(child)));
  }
}

function fill(parent, ...children) {
  parent.replaceChildren();
  append(parent, children);
}

function section(id, title, ...children) {
  return h("section", { id, "aria-labelledby": id + "-title" }, h("h2", { id: id + "-title", tabindex: "-1" }, title), children);
}

/** At most four significant digits, as a reader wants them; a table's title has all. */
function number(value) {
  if (value === null || value === undefined) return "-";
  if (value === "inf" || value === "-inf") return value === "inf" ? "\u221e" : "-\u221e";  // as JSON has them
  if (Number.isInteger(value)) return Math.abs(value) >= 10000 ? value.toLocaleString("en") : String(value);
  const size = Math.abs(value);
  if (size >= 10000) return Math.round(value).toLocaleString("en");
  if (size >= 1000) return value.toFixed(1);
  if (size >= 100) return value.toFixed(1);
  if (size >= 1) return value.toFixed(2);
  return size >= 0.001 || size === 0 ? value.toFixed(4) : value.toExponential(2);
}

/** Returns a mean with half of its interval, and of how many of `all` values it is where some have none. */
function withHalf({ mean, half, n }, all) {
  const text = half === null ? number(mean) : `${number(mean)} ± ${number(half)}`;
  return all === undefined || n === all || mean === null ? text : `${text} (${n} of ${all})`;
}

function plural(count, word) {
  return `${number(count)} ${word}${count === 1 ? "" : "s"}`;
}

function say(text) {
  document.getElementById("said").textContent = shown(text);
}

/** A labelled list of choices; `choices`: [value, text]. */
function select(label, choices, chosen, onchange) {
  const list = h("select", { onchange: (event) => onchange(event.target.value) },
    choices.map(([value, text]) => h("option", { value, selected: String(value) === String(chosen) }, text)));
  return h("label", {}, label, list);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { style: "position:fixed;top:-10rem" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A command line with a button that copies it. */
function command(text) {
  const button = h("button", {
    type: "button",
    "aria-label": "Copy: " + text,
    onclick: async () => {
      const done = await copyText(text);
      button.textContent = done ? "copied" : "select it";
      say(done ? "copied" : "could not be copied");
      setTimeout(() => (button.textContent = "copy"), 1500);
    },
  }, "copy");
  return h("div", { class: "command" }, button, h("code", { tabindex: "0" }, text));
}

/** Names and values in two columns. */
function facts(pairs) {
  return h("dl", {}, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}
