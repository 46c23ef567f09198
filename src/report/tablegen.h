// Parts of LLVM's scheduling tables (llvm/include/llvm/Target/TargetSchedule.td) that are made of
// measured ports.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/port_exports.h"

namespace cyclescope {

// What is a name in TableGen, too: a port of a model may be called anything.
std::string TableGenName(const std::string& name);

// What SchedWriteRes says; forms that are alike share one.
struct TableGenWrite {
  std::vector<std::pair<std::string, int>> resources;  // and for how many cycles
  int slots = 1;
  int latency = -1;  // not known

  auto operator<=>(const TableGenWrite&) const = default;
};

// Resources have names that begin with `prefix`: LLVM's models share one space of names.
TableGenWrite WriteOf(const PortForm& form, std::string_view prefix);
std::string WriteText(const TableGenWrite& write, const std::string& name);

// Ports, groups of them, and what is busy beside them.
std::string ResourcesText(const std::vector<std::string>& ports, const std::vector<PortForm>& forms,
                          std::string_view prefix);

}  // namespace cyclescope
