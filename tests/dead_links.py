#!/usr/bin/env python3
"""dead_links.py FOLDER - prints the links that lead nowhere, in the documents of FOLDER, of FOLDER/docs and of FOLDER/contrib

The name of a heading in a link is as GitHub makes it: small letters, minus signs for blanks, and no other signs.
"""
import os
import re
import sys


def anchors(lines):
    names = set()
    for line in lines:
        heading = re.match(r"#+ (.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            same = sum(1 for other in names if re.fullmatch(re.escape(name) + r"(-\d+)?", other))
            names.add(name if same == 0 else "%s-%d" % (name, same))
    return names

documents = {}
for folder, subfolders, names in os.walk(sys.argv[1]):
    # A build directory, and what was unpacked somewhere, are not the repository's.
    if folder == sys.argv[1]:
        subfolders[:] = [name for name in subfolders if name in ("docs", "contrib")]
    for name in names:
        if name.endswith(".md"):
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                documents[os.path.normpath(path)] = file.read()
links = 0
for path, text in sorted(documents.items()):
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", link):
            continue
        links += 1
        name, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if not os.path.exists(target) or \
                (anchor and target in documents and anchor not in anchors(documents[target].splitlines())):
            print("%s: %s" % (path, link))
if links < 10:
    print("only %d links are found" % links)
