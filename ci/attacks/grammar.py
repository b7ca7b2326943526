"""Texts of the real formats with hostile values in them. What an experiment may hold is read from docs/keys.md, whose
tables are made from the program's own lists."""
import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Values of no meaning, as TOML.
HOSTILE = [
    "-1", "0", "1e-320", "1e400", "-1e308", "1e308", "1e18", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "9007199254740993", "nan", "-nan", "inf", "-inf", "-0.0", "0.1", "1_000_000_000", "0x7fffffffffffffff", "true", "false", '""',
    '"a"', '" "', '"\\u0007\\u001b[2J"', '"\\u202etxt"', '"\\u0000"', '"a\\nb"', '"../../../etc/passwd"', '"/"', '"."',
    '"/dev/zero"', '"/dev/full"', '"/proc/self/mem"', '"/proc/self/environ"', '"fifo"', '"link"', '"folder"', '"gone"', '"%s%n%d"', '"*"',
    '"é\U0001F600"',
    "[]", "[[]]", "[1, 1]", '[1, "a"]', "[0]", "[-1, 2]", "[nan]", "{}", "{ a = 1 }", "[{}]", "2020-01-01", "07:32:00",
    "1979-05-27T00:32:00.999999-07:00", "0b1", "0o7", "'''x'''", '"""x"""', "[[[[[[]]]]]]",
]
# What is no TOML, or hardly any.
BROKEN = ["", "=", '"', "[", "{", "nul", "\\", "\x00", "\x1b[2J", "\x07", "\r", "\ufeff", "1e", "+", "--1", "0x", "1..2", '"\\q"', "#"]


def huge(choice):
    """A value whose size is its fault."""
    size = choice.choice([1000, 20000, 100000])
    return choice.choice([
        lambda: f'"{"x" * size}"', lambda: "[" * size, lambda: "[" * size + "]" * size, lambda: "1" * size,
        lambda: "{a=" * size + "1" + "}" * size, lambda: f"[{', '.join(map(str, range(size)))}]", lambda: f"[{'0, ' * size}]",
        lambda: '"' + "\\u0301" * size + '"', lambda: "0." + "0" * size + "1", lambda: "a." * size + "b = 1"])()


def hostile(choice):
    if choice.random() < 0.05:
        return huge(choice)
    return choice.choice(BROKEN) if choice.random() < 0.05 else choice.choice(HOSTILE)


@functools.cache
def tables():
    """Of each part of an experiment its keys, with what each allows."""
    text = (ROOT / "docs/keys.md").read_text(encoding="utf-8")
    found = {}
    for name, rows in re.findall(r"<!-- keys: (\w+) -->\n((?:\|.*\n)+)", text):
        cells = [[cell.strip().strip("`") for cell in row.split(" | ")] for row in rows.splitlines()[2:]]
        found[name] = [(key.lstrip("| `").rstrip("`"), allowed) for key, _, allowed, *_ in cells]
    return found


def number(choice, low, high, whole):
    """Mostly a small one, sometimes an end of the range."""
    usual = [low, min(high, max(low, choice.choice([1, 2, 3, 5, 10]))), min(high, low + 10 ** choice.uniform(-3, 2))]
    value = choice.choice([low, high, 10 ** choice.uniform(-9, 12)]) if choice.random() < 0.1 else choice.choice(usual)
    value = min(high, max(low, value))
    return str(int(value)) if whole else repr(float(value))


def legal(choice, allowed):
    """A value that a key of that description may have; None where the description does not say."""
    ends = re.match(r"(a number|numbers|an integer|integers) (?:from|above) (\S+?),?(?: to |, at most | at most )(\S+)$", allowed)
    if ends:
        low, high = (float(end.replace("2^53", "9007199254740992")) if re.match(r"[\d.-]", end) else 8.0 for end in ends.groups()[1:])
        value = number(choice, low if "above" not in allowed else 1e-9, high, "integer" in allowed)
        return value if allowed[0] == "a" or choice.random() < 0.7 else f"[{value}]"
    if allowed == "true or false":
        return choice.choice(["true", "false"])
    if allowed.startswith("one of "):
        return f'"{choice.choice(allowed[7:].split(", "))}"'
    return None


def some_keys(choice, part, most, share, others=()):
    """Up to so many lines KEY = VALUE of that part, no key twice and none of the `others`, with that share of hostile
    values. Without hostile values keys are left out of which the tables do not say enough."""
    lines = []
    for key, allowed in choice.sample(tables()[part], min(most, len(tables()[part]))):
        value = hostile(choice) if choice.random() < share else legal(choice, allowed)
        if key not in others and (value is not None or share > 0):
            lines.append(f"{key} = {hostile(choice) if value is None else value}")
    return lines


def text_of(lines):
    return "".join(line + "\n" for line in lines)


def spoil(choice, text):
    """A text with a fault: of its lines, its bytes or its end."""
    lines = text.splitlines()
    place = choice.randrange(len(lines)) if lines else 0
    kinds = ["twice", "gone", "swap", "unknown", "value", "value", "value", "bytes", "cut", "deep", "mark", "ends", "key"]
    match choice.choice(kinds) if lines else "bytes":
        case "twice":
            lines.insert(choice.randrange(len(lines) + 1), lines[place])
        case "gone":
            del lines[place]
        case "swap":
            other = choice.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
        case "unknown":
            lines.insert(place, choice.choice(["nme = 1", "[clutser]", "[[systm]]", '"" = 1', '"\\u001b" = 1', "a.b.c.d = 1", "[[fault]]",
                                               "[trace]", "[module]", "[gpu.x]", f"{'k' * choice.choice([10, 10000])} = 1"]))
        case "value":
            with_value = [number for number, line in enumerate(lines) if "=" in line]
            if with_value:
                place = choice.choice(with_value)
                lines[place] = lines[place].split("=", 1)[0] + "= " + hostile(choice)
        case "key":
            lines[place] = choice.choice(["Name", "NAME", "naem", "x.y", '"a b"', "'"]) + lines[place][choice.randrange(3):]
        case "deep":
            lines.insert(place, "x = " + choice.choice(["[", "{a=", "[[1],", '"""']) * choice.choice([5, 300, 50000]))
        case "mark":
            lines[0] = "\ufeff" + lines[0]
        case "ends":
            return ("\r\n" if choice.random() < 0.5 else "\r").join(lines).encode()
        case kind:
            data = bytearray(text.encode())
            if kind == "cut":
                return bytes(data[:choice.randrange(len(data) + 1)])
            for _ in range(choice.randrange(1, 5)):
                spot = choice.randrange(len(data) + 1)
                data[spot:spot + choice.randrange(2)] = choice.randbytes(1)
            return bytes(data)
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")
