// Documents that may be published: without what names a machine, its owner or its files.
#pragma once

#include <functional>
#include <string>

#include "cyclescope/result/document.h"

namespace cyclescope::merge {

// Every text of the document, however deep.
void ForEachText(Document& document, const std::function<void(std::string&)>& change);

// The document without names of hosts, nodes, jobs, devices on a bus and files, and without the
// options given, which may hold any of these. What the machine is, stays. Where one of those stands
// within another text, it is replaced.
Document WithoutNames(Document document);

}  // namespace cyclescope::merge
