// The table of all claims, from those of each subject; claims.h says what it is for.
#include <algorithm>
#include <array>
#include <cstddef>
#include <ranges>

#include "analysis/claims.h"
#include "analysis/claims_of_code.h"
#include "analysis/claims_of_compare.h"
#include "analysis/claims_of_cores.h"
#include "analysis/claims_of_doctor.h"
#include "analysis/claims_of_machines.h"

namespace cyclescope {
namespace {

template <std::size_t... Sizes>
constexpr auto Joined(const ClaimRule (&... tables)[Sizes]) {
  std::array<ClaimRule, (Sizes + ...)> all{};
  auto* next = all.data();
  ((next = std::ranges::copy(tables, next).out), ...);
  return all;
}

using namespace claim_tables;
constexpr auto kRules =
    Joined(kClaimsOfCode, kClaimsOfMachines, kClaimsOfCores, kClaimsOfCompare, kClaimsOfDoctor);

static_assert(kRules.size() == NamesOf(ClaimCode{}).size());
static_assert(std::ranges::equal(kRules, std::views::iota(std::size_t{0}, kRules.size()), {},
                                 [](const ClaimRule& rule) {
                                   return static_cast<std::size_t>(rule.code);
                                 }));

}  // namespace

std::span<const ClaimRule> ClaimRules() { return kRules; }

}  // namespace cyclescope
