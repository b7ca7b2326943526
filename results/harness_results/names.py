"""Names in results files: those that columns, keys and values had in earlier versions, and text as it is stored."""

# Columns that had another name in earlier versions, as harness/core/renamed.cc lists them.
RENAMED_COLUMNS = {
    "domain": "queue",
    "lateness_ns": "schedule_lag_ns",
    "lateness_us_p50": "schedule_lag_us_p50",
    "lateness_us_p99": "schedule_lag_us_p99",
    "lateness_us_max": "schedule_lag_us_max",
    "reservation_rps": "offline_schedule_rps",
    "bound_gap": "optimality_gap",
    "optimal_goodput_rps": "capacity_goodput_rps",
    "scheduler_busy": "scheduler_utilisation",
    "visit_share": "visit_ratio",
    "normalised_goodput": "slo_attainment",
    "batch_cap": "max_batch",
    "dropped_inbox_full": "dropped_scheduler_queue_full",
}
# Swept keys that had another name, and their values.
RENAMED_KEYS = {
    "live.lateness_limit_ms": "live.schedule_lag_limit_ms",
    "gpu.pace_limit": "gpu.profile_error_limit",
    "gpu.pace_wait_s": "gpu.profile_check_wait_s",
    "cluster.scheduler_inbox_ms": "cluster.scheduler_queue_limit_ms",
    "repeat_until.most_seeds": "repeat_until.max_seeds",
    "shared.most_tokens": "shared.max_tokens",
    "side_by_side": "independent",
    "nexus.load": "nexus.model_loading",
    "shepherd.herd_load": "shepherd.herd_model_loading",
}
RENAMED_VALUES = {
    "serving.dispatch=least_loaded": "serving.dispatch=least_outstanding",
    "nexus.model_loading=ahead": "nexus.model_loading=preloaded",
    "shepherd.herd_model_loading=ahead": "shepherd.herd_model_loading=preloaded",
}
# Values of stored enumerations that are printed under another name.
SHOWN_VALUES = {"inbox_full": "scheduler_queue_full"}


def with_names_of_today(rows):
    """A table whose columns are called as they are now."""
    rows.dtype.names = tuple(RENAMED_COLUMNS.get(name, name) for name in rows.dtype.names)
    return rows


def parameter_now(word):
    """KEY=VALUE by the names that both have today."""
    key, equals, value = word.partition("=")
    now = RENAMED_KEYS.get(key, key) + equals + value
    return RENAMED_VALUES.get(now, now)


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


def settings_now(settings, above=""):
    """A cell's settings, tables within tables, by the names that keys and values have today."""
    now = {}
    for key, value in settings.items():
        dotted = RENAMED_KEYS.get(above + key, above + key) if key not in RENAMED_KEYS else RENAMED_KEYS[key]
        if isinstance(value, dict):
            value = settings_now(value, above + key + ".")
        elif isinstance(value, str):
            value = RENAMED_VALUES.get(f"{dotted}={value}", f"={value}").partition("=")[2]
        now[key if dotted == above + key else dotted.rpartition(".")[2]] = value  # the name of a trace may have dots
    return now


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
