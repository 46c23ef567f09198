#include "cyclescope/base/error.h"

#include <fmt/core.h>

#include <system_error>
#include <utility>

namespace cyclescope {

std::string Error::ToString() const { return hint.empty() ? message : message + "; " + hint; }

std::unexpected<Error> Failed(std::string message, std::string hint) {
  return std::unexpected(Error{ErrorKind::kFailed, std::move(message), std::move(hint)});
}

std::unexpected<Error> BadInput(std::string message, std::string hint) {
  return std::unexpected(Error{ErrorKind::kBadInput, std::move(message), std::move(hint)});
}

std::unexpected<Error> SystemError(std::string tried, int error_number, std::string hint) {
  const std::string happened = std::generic_category().message(error_number);
  return Failed(fmt::format("{}: {}", tried, happened), std::move(hint));
}

}  // namespace cyclescope
