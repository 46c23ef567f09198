#include "ports/port_model.h"

namespace cyclescope::ports {

int Instructions(const Mix& mix) {
  int count = 0;
  for (const auto& [form, number] : mix) count += number;
  return count;
}

}  // namespace cyclescope::ports
