#include "base/input_text.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

namespace cyclescope {

Result<std::string> ReadInput(const std::string& path) {
  const bool standard_input = path == "-";
  std::ifstream file;
  errno = 0;
  if (!standard_input) file.open(path);
  std::istream& input = standard_input ? std::cin : file;
  std::string text;
  // A directory opens like a file, and only reading shows that it is none: the stream buffer then
  // throws.
  try {
    text.assign(std::istreambuf_iterator<char>(input), {});
  } catch (const std::exception&) {
    input.setstate(std::ios::badbit);
  }
  if (!input) {
    return BadInput(fmt::format("cannot read {}: {}",
                                standard_input ? "standard input" : "'" + path + "'",
                                std::strerror(errno)));
  }
  return text;
}

}  // namespace cyclescope
