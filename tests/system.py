"""Which system the program under test is for, as CTest says in CYCLESCOPE_SYSTEM, and what tests make of that."""

import os
import unittest

WINDOWS = os.environ.get("CYCLESCOPE_SYSTEM") == "windows"

# For what only Linux has, or what Wine does not show as Windows would.
on_linux = unittest.skipIf(WINDOWS, "about Linux")


# What examples have around an argument with spaces in it.
QUOTE = '"' if WINDOWS else "'"


def slashed(text):
    """Paths in a text as Linux writes them."""
    return text.replace("\\", "/") if WINDOWS else text
