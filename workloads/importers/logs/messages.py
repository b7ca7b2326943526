"""The one line that says what is wrong with an input, and how texts and numbers stand in it.

Texts of files are strings with a character per byte (Latin-1): `raw` makes one of a string, `shown`
the string that is printed."""

import shlex
from dataclasses import dataclass

LONGEST_FILE, LONGEST_KEY, LONGEST_FOUND, LONGEST_SENTENCE = 400, 200, 160, 4000  # bytes that are shown
HIDDEN = (*range(0x20), *range(0x7f, 0xa0), 0x61c, *range(0x200b, 0x2010), *range(0x2028, 0x202f), *range(0x2060, 0x206a), 0xfeff)
ESCAPED = {code: "".join(f"\\x{byte:02x}" for byte in chr(code).encode()) for code in HIDDEN}
ESCAPED |= {code: f"\\x{code & 0xff:02x}" for code in range(0xdc80, 0xdd00)}  # bytes that are no UTF-8


class BadInput(Exception):
    """The text is the whole line that says what is wrong."""


@dataclass(frozen=True)
class Place:
    """Where an input stands; what is empty or 0 is left out."""

    file: str = ""
    line: int = 0
    key: str = ""


def raw(text):
    """Returns the text with a character per byte of its UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def text_of_raw(text):
    """Returns the string of which `raw` makes this text."""
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


def shortened(text, longest):
    """Returns the beginning, two thirds, and the end of a long text; no character of UTF-8 is cut
    in two."""
    if len(text) <= longest:
        return text
    head, tail = longest - longest // 3, len(text) - longest // 3
    while head > 0 and "\x80" <= text[head] <= "\xbf":
        head -= 1
    while tail < len(text) and "\x80" <= text[tail] <= "\xbf":
        tail += 1
    return text[:head] + "..." + text[tail:]


def shown(text, longest=LONGEST_SENTENCE):
    """Returns a raw text as it is printed: on one line, what is no visible character of UTF-8 as
    \\x0a."""
    return text_of_raw(shortened(text, longest)).translate(ESCAPED)


def refusal(place, sentence):
    """Returns the BadInput "FILE:LINE: KEY: SENTENCE"; its parts are raw texts."""
    where = (shown(place.file, LONGEST_FILE) + ":" if place.file else "") + (f"{place.line}:" if place.line > 0 else "")
    key = shown(place.key, LONGEST_KEY) + ": " if place.key else ""
    return BadInput((where + " " if where else "") + key + shown(sentence))


def bad_input(place, found, allowed):
    """Returns the BadInput "FILE:LINE: KEY: found FOUND; allowed: ALLOWED"; of a long `found` both
    ends are shown."""
    if found == "nothing":
        return refusal(place, "missing; expected " + allowed)
    return refusal(place, "found " + raw(shown(found, LONGEST_FOUND)) + ("; allowed: " + allowed if allowed else ""))


def quoted(text):
    return f"'{text}'"


def option_text(key, value):
    """Returns how a key is given in an experiment, and as an option."""
    toml = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{key} = "{toml}" (--{key.replace("_", "-")} {shlex.quote(value)})'


def joined(names):
    """Returns "a, b, c"; names that are empty at the beginning leave no comma."""
    text = ""
    for name in names:
        text += (", " if text else "") + name
    return text


def text_of(value):
    """Returns the shortest text that is read as this number again, with an exponent where that is
    shorter: 60, 1e+09, 0.1."""
    value = float(value)
    mantissa, exponent = f"{value!r}".replace("-", "", value < 0), 0
    if "e" in mantissa:
        mantissa, power = mantissa.split("e")
        exponent = int(power)
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent += len(whole) - 1 - (len(whole + fraction) - len(digits)) if digits else 0
    digits = digits.rstrip("0") or "0"
    with_power = digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if exponent < 0:
        fixed = "0." + "0" * (-exponent - 1) + digits
    elif len(digits) <= exponent + 1:
        fixed = str(int(abs(value)))
    else:
        fixed = digits[:exponent + 1] + "." + digits[exponent + 1:]
    return ("-" if value < 0 else "") + (fixed if len(fixed) <= len(with_power) else with_power)


def counted(count, what):
    return f"{count} {what}" + ("" if count == 1 else "s")
