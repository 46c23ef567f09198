// Hands an error on to the caller:
//
//   const CpuList cpus = TRY(ParseCpuList("0-3,8"));
//
// is the value, or returns the Error from the function that it stands in.
#pragma once

#include <expected>
#include <utility>

#define TRY(...)                                                            \
  __extension__({                                                           \
    auto try_result = (__VA_ARGS__);                                        \
    if (!try_result) return std::unexpected(std::move(try_result).error()); \
    *std::move(try_result);                                                 \
  })
