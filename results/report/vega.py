"""Vega-Lite for the page: one script, from the package vl-convert-python."""

from packages import VL_CONVERT, package

SNIPPET = "window.vegaEmbed = vegaEmbed;"


def bundle():
    """Vega, Vega-Lite and vega-embed as the text of a script element."""
    return package("vl_convert", f"vl-convert-python=={VL_CONVERT}", "they need").javascript_bundle(SNIPPET)
