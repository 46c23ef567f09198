// Which library is opened as the GPU's driver.
#pragma once

#include <cstdlib>
#include <string>

namespace cyclescope::cli {

// Empty: NVIDIA's. Tests name a made one in the environment; nobody else should.
inline std::string GpuDriver() {
  const char* library = std::getenv("CYCLESCOPE_TEST_GPU_DRIVER");
  return library == nullptr ? "" : library;
}

}  // namespace cyclescope::cli
