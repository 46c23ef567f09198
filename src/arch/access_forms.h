// Plain loads and stores of every width, for accesses that are measured by where they lie. All use
// one base register, and one integer or one vector register for the data, so that a load can be
// made to wait for the store before it.
#pragma once

#include <span>
#include <string_view>

namespace cyclescope::arch {

struct AccessForm {
  int bytes = 0;
  bool vector = false;
  std::string_view store;  // to the base register's address
  // From an address that lies behind that one: {} stands for the number of bytes between.
  std::string_view load;
};

// The narrowest first, integers before vectors. A CPU need not have all of them.
std::span<const AccessForm> AccessForms();

// The register of the address, as `block --set` names it.
std::string_view AccessBase();

}  // namespace cyclescope::arch
