#include "cyclescope/result/names.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "cyclescope/result/document.h"

namespace cyclescope {
namespace {

// Every enumerator up to `last` has a name of its own, and the name leads back to it.
template <typename Enum>
void ExpectNamesGoBothWays(Enum last) {
  ASSERT_EQ(NamesOf(last).size(), static_cast<std::size_t>(last) + 1);
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const Enum value = static_cast<Enum>(i);
    EXPECT_EQ(ParseName<Enum>(ToString(value)), value);
    EXPECT_TRUE(names.insert(ToString(value)).second) << ToString(value);
  }
  EXPECT_EQ(ParseName<Enum>("no such name"), std::nullopt);
}

TEST(Names, GoBothWays) {
  ExpectNamesGoBothWays(CheckStatus::kWarn);
  ExpectNamesGoBothWays(FindingKind::kFloating);
  ExpectNamesGoBothWays(LatencyKind::kUpperBound);
  ExpectNamesGoBothWays(SamplingEnd::kBudget);
  ExpectNamesGoBothWays(Stability::kFloating);
  ExpectNamesGoBothWays(Status::kPredicted);
}

TEST(Names, AreTheDocumentsWords) {
  EXPECT_EQ(ToString(LatencyKind::kUpperBound), "upper-bound");
  EXPECT_EQ(ToString(FindingKind::kSharedCore), "shared-core");
  EXPECT_EQ(ToString(CheckStatus::kWarn), "warn");
  EXPECT_EQ(ToString(Status::kDisturbed), "disturbed");
  EXPECT_EQ(ParseName<Status>("Measured"), std::nullopt);
}

}  // namespace
}  // namespace cyclescope
