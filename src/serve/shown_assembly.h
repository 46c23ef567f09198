// A compiler's assembly as people read it: instructions, and the labels that something refers to,
// each with the line of the source that it comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::serve {

struct ShownLine {
  int line = 0;    // of the whole assembly, from 1
  int source = 0;  // of the source, from 1; 0: not known
  bool is_label = false;
  std::string text;
};

std::vector<ShownLine> ShownLines(std::string_view assembly);

}  // namespace cyclescope::serve
