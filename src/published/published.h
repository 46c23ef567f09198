// Results of real machines that are part of the program: the files of results/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/document.h"

namespace cyclescope::published {

struct PublishedFile {
  std::string_view name;   // "neoverse-v1"
  std::string_view bytes;  // a document, packed
};

// All files, in the order of their names.
std::vector<PublishedFile> Files();

// The name of a result of this kind of machine: its microarchitecture without what stands in
// brackets, in small letters. Empty where it is not known.
std::string NameOf(const Host& host);

}  // namespace cyclescope::published
