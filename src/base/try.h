// Hands an error on to the caller:
//
//   const CpuList cpus = TRY(ParseCpuList("0-3,8"));
//
// is the value, or returns the Error from the function that it stands in.
#pragma once

#include <expected>
#include <utility>

// This is a statement expression, an extension that GCC and Clang share: we build with no other
// compiler. Standard C++ has no expression that can return. What it has costs more: three lines at
// each of more than 500 places, or a macro that holds the declaration, TRY(const CpuList cpus,
// ParseCpuList("0-3,8")), whose value cannot stand in an expression.
//
// Temporaries of the argument end with TRY, not with the statement around it. So the value must own
// what it refers to: never TRY(F(MakeText())) where F gives back a view, a span or a pointer into
// the text. Give the text a name first.
#define TRY(...)                                                            \
  __extension__({                                                           \
    auto try_result = (__VA_ARGS__);                                        \
    if (!try_result) return std::unexpected(std::move(try_result).error()); \
    *std::move(try_result);                                                 \
  })
