// How a function says that it could not do what it was asked.
//
//   Result<CpuList> cpus = ParseCpuList("0-3,8");
//   if (!cpus) return std::unexpected(cpus.error());
//
// An Error ends a command. A row that could not be measured is not an Error but data: it has a
// status and a reason (see result/status.h). A programming mistake is an assertion.
#pragma once

#include <expected>
#include <string>

namespace cyclescope {

enum class ErrorKind {
  kFailed,    // the machine or the system did not let us: exit code 1
  kBadInput,  // the user asked for something that cannot be: exit code 2
};

struct Error {
  ErrorKind kind = ErrorKind::kFailed;
  std::string message;  // what was tried and what happened; one line, no full stop
  std::string hint;     // what the user can do about it; may be empty

  // "message; hint", as it is printed after "cyclescope: ".
  std::string ToString() const;
};

template <typename T>
using Result = std::expected<T, Error>;

std::unexpected<Error> Failed(std::string message, std::string hint = {});
std::unexpected<Error> BadInput(std::string message, std::string hint = {});

// "cannot open 'x': No such file or directory", from what was tried and an errno.
std::unexpected<Error> SystemError(std::string tried, int error_number, std::string hint = {});

}  // namespace cyclescope
