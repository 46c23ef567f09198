#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "gpu/cubin.h"
#include "os/run_program.h"

namespace cyclescope::gpu {

std::vector<std::string> TimedLines(std::string_view listing, std::string_view entry) {
  std::vector<std::string> lines;
  bool is_timed = false;
  // ".text.p0v0n16:" stands before the kernel's code.
  listing.remove_prefix(std::min(listing.find(fmt::format(".text.{}:", entry)), listing.size()));
  while (!listing.empty()) {
    std::string_view line = TakeLine(listing);
    // "        /*0120*/                   IMAD R0, R0, R5, R6 ;"
    const std::size_t address = line.find("/*");
    const std::size_t close = line.find("*/");
    if (address == std::string_view::npos || close == std::string_view::npos) continue;
    line.remove_prefix(close + 2);
    const std::size_t last = line.find(';');
    if (last == std::string_view::npos) continue;
    line = Trimmed(line.substr(0, last));
    if (line.find("SR_CLOCK") != std::string_view::npos) {
      if (is_timed) return lines;
      is_timed = true;
      continue;
    }
    if (is_timed) lines.emplace_back(line);
  }
  return lines;
}

std::vector<std::string> Disassemble(std::string_view cubin, std::string_view entry) {
  if (cubin.empty()) return {};
  const auto listing = os::RunProgramOn("nvdisasm", {"-c"}, cubin);
  return listing ? TimedLines(*listing, entry) : std::vector<std::string>{};
}

}  // namespace cyclescope::gpu
