// The user's browser.
#pragma once

#include <filesystem>
#include <string>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

// True if this user sits at a desktop of this machine: not over SSH, and not without a display.
bool HasDesktop();

// Shows an address with a secret in it. Every user of a machine can read the command lines of all:
// there the browser gets a file that only this user can read, which leads on to the address.
//
//   auto shown = os::ShownAddress::Show("http://127.0.0.1:8080/?token=...");  // while it lives
class ShownAddress {
 public:
  static Result<ShownAddress> Show(const std::string& address);
  ~ShownAddress();
  ShownAddress(ShownAddress&& other) noexcept;
  ShownAddress& operator=(ShownAddress&& other) = delete;
  ShownAddress(const ShownAddress&) = delete;
  ShownAddress& operator=(const ShownAddress&) = delete;

 private:
  explicit ShownAddress(std::filesystem::path file) : file_(std::move(file)) {}

  std::filesystem::path file_;  // empty: there is none
};

}  // namespace cyclescope::os
