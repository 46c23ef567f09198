#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/text.h"
#include "base/try.h"
#include "os/advice.h"
#include "os/cpus.h"

namespace cyclescope::os {
namespace {

// Far above what systems can number today (Linux: 8,192), and low enough that a list of all is
// harmless.
constexpr int kHighestNumber = 65535;

constexpr std::string_view kHowToWrite = "write CPUs as in 0-3,8";

// User text as it stands in an error: one line of a bearable length, whatever was typed.
std::string Quoted(std::string_view text) {
  constexpr std::size_t kMaxCharacters = 40;
  std::string quoted{text.substr(0, kMaxCharacters)};
  std::ranges::replace_if(quoted, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return fmt::format("'{}{}'", quoted, text.size() > kMaxCharacters ? "..." : "");
}

std::unexpected<Error> NotACpu(std::string_view number, std::string_view list) {
  const bool all_digits =
      !number.empty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  if (all_digits) {
    return BadInput(fmt::format("CPU {} in CPU list {} does not exist on any machine",
                                Quoted(number), Quoted(list)));
  }
  return BadInput(
      fmt::format("{} in CPU list {} is not a CPU number", Quoted(number), Quoted(list)),
      std::string{kHowToWrite});
}

struct CpuRange {
  int first = 0;
  int last = 0;
};

Result<CpuRange> ParseRange(std::string_view part, std::string_view list) {
  if (part.empty()) {
    return BadInput(fmt::format("CPU list {} has an empty part", Quoted(list)),
                    std::string{kHowToWrite});
  }
  const auto parse = [list](std::string_view text) -> Result<int> {
    const auto number = ParseNumber<std::int64_t>(text);
    if (!number || *number < 0 || *number > kHighestNumber) return NotACpu(text, list);
    return static_cast<int>(*number);
  };
  const auto dash = part.find('-', 1);  // not at 0, so that "-1" is one bad number
  const int first = TRY(parse(part.substr(0, dash)));
  if (dash == std::string_view::npos) return CpuRange{first, first};
  const int last = TRY(parse(part.substr(dash + 1)));
  if (last < first) {
    return BadInput(
        fmt::format("range {} in CPU list {} runs backwards", Quoted(part), Quoted(list)),
        fmt::format("write {}-{}", last, first));
  }
  return CpuRange{first, last};
}

CpuList Difference(const CpuList& from, const CpuList& without) {
  CpuList rest;
  std::ranges::set_difference(from, without, std::back_inserter(rest));
  return rest;
}

// "CPU 9 does", "CPUs 4-7 do".
std::string Subject(const CpuList& cpus, std::string_view singular, std::string_view plural) {
  return cpus.size() == 1 ? fmt::format("CPU {} {}", cpus.front(), singular)
                          : fmt::format("CPUs {} {}", FormatCpuList(cpus), plural);
}

}  // namespace

Result<CpuList> ParseCpuList(std::string_view text) {
  if (text.empty()) return BadInput("the CPU list is empty", std::string{kHowToWrite});
  CpuList cpus;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const CpuRange range = TRY(ParseRange(rest.substr(0, comma), text));
    for (int cpu = range.first; cpu <= range.last; ++cpu) cpus.push_back(cpu);
    // More CPUs than there are numbers: one is repeated, and reading on would only cost memory.
    if (comma == std::string_view::npos || cpus.size() > kHighestNumber + 1) break;
    rest.remove_prefix(comma + 1);
  }
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::adjacent_find(cpus);
  if (repeated != cpus.end()) {
    return BadInput(fmt::format("CPU list {} names CPU {} twice", Quoted(text), *repeated),
                    "name each CPU once");
  }
  return cpus;
}

std::string FormatCpuList(const CpuList& cpus) { return FormatRanges(cpus); }

Result<CpuList> SelectCpus(std::string_view text, const CpuList& allowed,
                           const std::filesystem::path& root) {
  if (text.empty()) return allowed;
  Result<CpuList> wanted = ParseCpuList(text);

  CpuList present = PresentCpus(root);
  if (present.empty()) present = allowed;
  const std::string existing = fmt::format("this machine has CPUs {}", FormatCpuList(present));
  if (!wanted) {
    if (wanted.error().hint.empty()) wanted.error().hint = existing;
    return wanted;
  }

  if (const CpuList missing = Difference(*wanted, present); !missing.empty()) {
    return BadInput(Subject(missing, "does not exist", "do not exist"), existing);
  }
  CpuList online = OnlineCpus(root);
  if (online.empty()) online = present;
  if (const CpuList offline = Difference(*wanted, online); !offline.empty()) {
    return BadInput(Subject(offline, "is offline", "are offline"),
                    fmt::format("online are {}; '{}' switches one on", FormatCpuList(online),
                                HowToSwitchOn(offline.front())));
  }
  if (const CpuList forbidden = Difference(*wanted, allowed); !forbidden.empty()) {
    return BadInput(Subject(forbidden, "may not be used by this process (affinity or cpuset)",
                            "may not be used by this process (affinity or cpuset)"),
                    fmt::format("it may use {}", FormatCpuList(allowed)));
  }
  return wanted;
}

}  // namespace cyclescope::os
