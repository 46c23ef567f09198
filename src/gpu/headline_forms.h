// The PTX forms that people look for first, in groups.
#pragma once

#include <span>
#include <string_view>

namespace cyclescope::gpu {

struct HeadlineForm {
  std::string_view group;
  std::string_view text;
  int capability = 70;    // the first that has it: 80 is 8.0
  bool is_quick = false;  // one that a quick run measures, too
};

std::span<const HeadlineForm> HeadlineForms();

}  // namespace cyclescope::gpu
