// A shared library that is opened while the program runs, since not every machine has it.
//
//   auto driver = os::SharedLibrary::Open("libcuda.so.1");
//   auto* init = reinterpret_cast<int (*)(unsigned)>(driver->Find("cuInit"));
#pragma once

#include <optional>
#include <string>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

// Why this program can use no driver of a device, which is such a library, and which program can;
// unset where it can.
std::optional<Error> WhyNoDrivers();

// It stays open until the process ends: what libraries like a GPU's driver leave behind (threads,
// handlers) does not survive their closing.
class SharedLibrary {
 public:
  static Result<SharedLibrary> Open(const std::string& name);

  // Null where there is no such function.
  void* Find(const char* function) const;

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}

  void* handle_;
};

}  // namespace cyclescope::os
