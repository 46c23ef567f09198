"""Texts in the program's sources that look like sentences: those that documents may hold and reports print."""

import pathlib
import re

# What prints, and what fills documents. The table of claims is where sentences belong.
PRINT = ["report", "analysis", "anatomy"]
FILL = ["blocks", "cores", "curves", "fleet", "gpu", "instructions", "library", "measure", "memory", "merge", "ports",
        "predict", "published", "sweep"]
FOLDERS = [f"src/{layer}" for layer in PRINT + FILL] + ["web/src"]
FILES = [
    "src/os/linux/counter_settings.cc",
    "src/os/windows/system_checks.cc",
]
TABLE = "src/analysis/claims_of_*.h"

# A sentence has three words or more, one of them a verb that says something of something.
VERBS = re.compile(
    r"\b(is|are|was|were|has|have|had|takes?|took|shares?|shared|moves?|differs?|agrees?|does|do|did|means?|says?|said|"
    r"ends?|needs?|limits?|limited|uses?|used|leaves?|holds?|comes?|came|becomes?|runs?|ran|cannot|may|waits?|withheld|"
    r"shows?|found|makes?|made|bound|lies|stays?|changed|would|answers?|begins?|begin|gives?|gave|costs?|fits?|explains?)"
    r"\b",
    re.IGNORECASE,
)
TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`", re.DOTALL
)


def texts_of(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".ts":
        source = re.sub(r"#include[^\n]*", "", source)
    texts = []
    for match in TOKEN.finditer(source):
        token = match.group(0)
        if token.startswith("/"):
            continue
        if path.suffix != ".ts" and token.startswith("'"):
            continue
        follows = texts and re.fullmatch(r"\s*", source[texts[-1][1] : match.start()]) is not None
        if path.suffix != ".ts" and follows:  # adjacent literals are one
            texts[-1] = (texts[-1][0] + token[1:-1], match.end())
        else:
            texts.append((token[1:-1], match.end()))
    return [text for text, _ in texts]


def looks_like_a_sentence(text):
    if re.search(r"%[a-z]", text):  # a register: code for a GPU
        return False
    words = re.sub(r"\$?\{[^{}]*\}", " ", text)
    return len(re.findall(r"[A-Za-z]{2,}", words)) >= 3 and VERBS.search(words) is not None


def sentences(repository):
    """All of them, each once, in order."""
    paths = [repository / file for file in FILES]
    for folder in FOLDERS:
        paths += [path for path in (repository / folder).rglob("*") if path.suffix in (".cc", ".h", ".ts")]
    found = set()
    for path in paths:
        is_test = path.name.endswith("_test.cc") or "testing" in path.parts
        # The types of documents are made from the schema.
        if is_test or path.match(TABLE) or path == repository / "web/src/document.ts":
            continue
        found |= {re.sub(r"\s+|\\n", " ", text).strip() for text in texts_of(path) if looks_like_a_sentence(text)}
    return sorted(found)


if __name__ == "__main__":
    import sys

    print("\n".join(sentences(pathlib.Path(sys.argv[1]))))
