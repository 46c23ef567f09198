#!/usr/bin/env python3
"""Validates result documents against the schema: validate.py SCHEMA DOCUMENT..."""

import json
import sys

import jsonschema


def errors(schema, document):
    """What is wrong with a document, a line each; empty when nothing is."""
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]


def main(schema_path, *document_paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    failed = False
    for path in document_paths:
        with open(path, encoding="utf-8") as file:
            for error in errors(schema, json.load(file)):
                print(f"{path}: {error}", file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
