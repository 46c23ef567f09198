#include "memory/accesses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace cyclescope::memory {
namespace {

constexpr std::uint64_t kPage = 0x10000;

std::vector<PlannedAccess> Plan() {
  auto plan = PlanAccesses(arch::AccessForms(), 64, 4096, kPage);
  using enum AccessKind;
  for (const AccessKind kind : {kForwarding, kLineSplit, kPageSplit}) {
    EXPECT_TRUE(std::ranges::any_of(
        plan, [kind](const PlannedAccess& each) { return each.access.kind == kind; }));
  }
  return plan;
}

TEST(Accesses, EveryWidthIsLoadedAgainFromWhereItWasStored) {
  for (const arch::AccessForm& form : arch::AccessForms()) {
    EXPECT_EQ(std::ranges::count_if(Plan(),
                                    [&](const PlannedAccess& each) {
                                      const MemoryAccess& access = each.access;
                                      return access.kind == AccessKind::kForwarding &&
                                             access.store_bytes == form.bytes &&
                                             access.load_bytes == form.bytes &&
                                             access.vector == form.vector && access.distance == 0;
                                    }),
              1)
        << form.store;
  }
}

TEST(Accesses, LoadsNeverMissWhatWasStored) {
  for (const auto& [access, base] : Plan()) {
    if (access.kind != AccessKind::kForwarding) continue;
    EXPECT_LT(access.distance, access.store_bytes) << access.text;
    EXPECT_EQ(base, kPage);
  }
}

TEST(Accesses, SplitsCrossAnEndByHalfOfTheirWidth) {
  for (const auto& [access, base] : Plan()) {
    if (access.kind == AccessKind::kForwarding) continue;
    const std::uint64_t unit = access.kind == AccessKind::kLineSplit ? 64 : 4096;
    const auto bytes = static_cast<std::uint64_t>(std::max(access.store_bytes, access.load_bytes));
    EXPECT_EQ(base / unit != (base + bytes - 1) / unit, access.distance > 0) << access.text;
    EXPECT_LE(base + bytes, kPage + 2 * 4096) << access.text;
  }
}

TEST(Accesses, NoneIsMeasuredTwice) {
  std::set<std::string> seen;
  for (const auto& [access, base] : Plan()) {
    EXPECT_TRUE(seen.insert(access.text + "@" + std::to_string(base)).second) << access.text;
    EXPECT_THAT(access.text, testing::Not(testing::HasSubstr("{}")));
  }
}

}  // namespace
}  // namespace cyclescope::memory
