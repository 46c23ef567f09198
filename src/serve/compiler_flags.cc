#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "serve/compilers.h"

namespace cyclescope::serve {
namespace {

constexpr std::size_t kMostFlags = 64;
constexpr std::size_t kLongestFlag = 200;

constexpr auto kAllowed = std::to_array<std::string_view>(
    {"-O", "-f", "-m", "-std=", "-D", "-U", "-W", "-pedantic", "-ansi", "--param="});
// What they would let pass: plug-ins, options for another program, and what takes the next word.
constexpr auto kRefused =
    std::to_array<std::string_view>({"-fplugin", "-fpass-plugin", "-Wa,", "-Wl,", "-Wp,"});
constexpr auto kRefusedWords = std::to_array<std::string_view>({"-mllvm", "-D", "-U", "-fuse-ld"});

// Code that no loop of this machine's would be: of 32 or 16 bits, which would be measured as if it
// were of 64, and what is no assembly.
constexpr auto kOtherCode =
    std::to_array<std::string_view>({"-m32", "-mx32", "-m16", "-miamcu", "-flto", "-fsyntax-only"});

bool MakesOtherCode(std::string_view flag) {
  return std::ranges::find(kOtherCode, flag) != kOtherCode.end() || flag.starts_with("-flto=");
}

bool IsAllowed(std::string_view flag) {
  const auto begins = [flag](std::string_view start) { return flag.starts_with(start); };
  return flag == "-w" ||
         (std::ranges::any_of(kAllowed, begins) && std::ranges::none_of(kRefused, begins) &&
          std::ranges::find(kRefusedWords, flag) == kRefusedWords.end());
}

}  // namespace

Result<void> CheckFlags(const std::vector<std::string>& flags) {
  if (flags.size() > kMostFlags)
    return BadInput(fmt::format("a compiler gets {} flags at most", kMostFlags));
  for (const std::string& flag : flags) {
    if (flag.size() > kLongestFlag)
      return BadInput(fmt::format("a flag has {} characters at most", kLongestFlag));
    if (MakesOtherCode(flag)) {
      return BadInput(fmt::format("the flag '{}' is not allowed here", flag),
                      "with it a compiler does not make assembly of 64 bits");
    }
    if (flag.find('\0') != std::string::npos || !IsAllowed(flag)) {
      return BadInput(fmt::format("the flag '{}' is not allowed here", flag),
                      "flags that say how to compile are: -O2, -march=native, -ffast-math, -DN=8");
    }
  }
  return {};
}

}  // namespace cyclescope::serve
