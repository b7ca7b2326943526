"""Reads the texts of results files: parameters, names, numbers."""

# Values of stored enumerations that are printed under another name.
SHOWN_VALUES = {"inbox_full": "scheduler_queue_full"}


def pairs_of(text):
    """{key: value} of "KEY=VALUE KEY=VALUE": a word without "=" belongs to the value before it, and of a key that comes again the last counts."""
    pairs = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if equals:
            pairs.pop(key, None)
            pairs[key] = value
        elif pairs:
            pairs[next(reversed(pairs))] += " " + word
    return pairs


def texts_of(pairs):
    """Returns KEY=VALUE of each pair."""
    return [f"{key}={value}" for key, value in pairs.items()]


def without_table(text):
    """"pard.lambda=0.2" as "lambda=0.2", the way variants without a name are called."""
    key, equals, value = text.partition("=")
    return key.rpartition(".")[2] + equals + value


def number(text):
    """The text as a number, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def text_of(attribute):
    return attribute.decode() if isinstance(attribute, bytes) else str(attribute)


def plain_name(text):
    """A text as part of a file's name."""
    return "".join(c if c.isalnum() or c in "-._" else "_" for c in text)
