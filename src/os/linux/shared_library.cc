#include "os/shared_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

namespace cyclescope::os {

#ifdef CYCLESCOPE_STATIC

std::optional<Error> WhyNoDrivers() {
  return Error{ErrorKind::kFailed, "this program is static and cannot open a GPU's driver",
               "install the Debian package, cyclescope_*.deb, which can"};
}

Result<SharedLibrary> SharedLibrary::Open(const std::string& name) {
  return Failed(fmt::format("a static program cannot open {}", name));
}

void* SharedLibrary::Find(const char*) const { return nullptr; }

#else

std::optional<Error> WhyNoDrivers() { return std::nullopt; }

Result<SharedLibrary> SharedLibrary::Open(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return SharedLibrary(handle);
  // It names the library, mostly.
  const char* reason = dlerror();
  const std::string why = reason == nullptr ? "" : reason;
  return Failed(why.contains(name) ? "cannot open " + why
                                   : fmt::format("cannot open {}: {}", name, why));
}

void* SharedLibrary::Find(const char* function) const { return dlsym(handle_, function); }

#endif

}  // namespace cyclescope::os
