// The ports that any instruction uses, on a core whose map is known: mixes of one of it and many of
// a class show how many of its µops can go nowhere but to the ports of that class.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ports/core_map.h"
#include "ports/port_model.h"

namespace cyclescope::ports {

struct FormPorts {
  std::optional<double> cycles;  // of the form alone
  std::optional<double> slots;
  std::optional<Usage> usage;  // unset where nothing fits, or two things do
  std::string not_explained;   // why
  double misfit = 0;           // per mix
};

struct UsageStep {
  std::vector<Mix> wanted;
  FormPorts ports;  // complete when nothing is wanted
};

// `form` is its number in the mixes; numbers of the map's forms are those that the map was made of.
// `most_fused` is how many µops it may have beyond its slots: those that access memory can share a
// slot with others.
UsageStep InferUsage(const CoreMap& map, std::size_t form, int most_fused,
                     const MixResults& measured);

}  // namespace cyclescope::ports
