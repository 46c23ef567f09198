#include "sandbox/call_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace cyclescope::sandbox {
namespace {

using testing::ElementsAre;

struct Passage {
  std::vector<std::size_t> made;  // places, in the order of the calls
  std::size_t passed = 0;
};

// The calls take what `ticks` has for them, in the order in which they are made.
Passage PassThrough(const std::vector<Call>& calls, const std::vector<std::uint64_t>& ticks) {
  Passage passage;
  CallOrder order(calls);
  while (const auto place = order.Next()) {
    passage.made.push_back(*place);
    EXPECT_LE(passage.made.size(), ticks.size());
    if (passage.made.size() > ticks.size()) break;
    order.Made(ticks[passage.made.size() - 1]);
  }
  passage.passed = order.passed();
  return passage;
}

const Call kPlain{};
const Call kJudged{.most_percent = 120};

std::vector<Call> WithSecondLook() {
  const Call look{.max_retries = 2};
  const Call judged_look{.most_percent = 120, .max_retries = 2};
  return {kPlain, kPlain, kJudged, look, look, judged_look, kPlain};
}

TEST(CallOrder, WithoutASecondLookASlowCallIsTheLast) {
  const std::vector<Call> calls = {kPlain, kPlain, kJudged, kPlain};
  const Passage in_time = PassThrough(calls, {100, 50, 120, 100});
  EXPECT_THAT(in_time.made, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(in_time.passed, 4u);
  const Passage slow = PassThrough(calls, {100, 50, 121});
  EXPECT_THAT(slow.made, ElementsAre(0, 1, 2));
  EXPECT_EQ(slow.passed, 3u);
}

TEST(CallOrder, ASecondLookIsMadeOnlyWhereACallWasSlow) {
  const Passage quiet = PassThrough(WithSecondLook(), {100, 50, 120, 100});
  EXPECT_THAT(quiet.made, ElementsAre(0, 1, 2, 6));
  EXPECT_EQ(quiet.passed, 7u);
  const Passage once = PassThrough(WithSecondLook(), {100, 50, 200, 100, 50, 120, 100});
  EXPECT_THAT(once.made, ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(CallOrder, ASecondLookIsRepeatedAndThenEndsTheRun) {
  const Passage twice =
      PassThrough(WithSecondLook(), {100, 50, 200, 100, 50, 200, 100, 50, 120, 100});
  EXPECT_THAT(twice.made, ElementsAre(0, 1, 2, 3, 4, 5, 3, 4, 5, 6));
  EXPECT_EQ(twice.passed, 7u);
  const Passage stays = PassThrough(WithSecondLook(), {100, 50, 200, 100, 50, 200, 100, 50, 200});
  EXPECT_THAT(stays.made, ElementsAre(0, 1, 2, 3, 4, 5, 3, 4, 5));
  EXPECT_EQ(stays.passed, 6u);
}

TEST(CallOrder, ALookAtTheEndOfARunMayBeLeftOut) {
  std::vector<Call> calls = WithSecondLook();
  calls.pop_back();
  EXPECT_EQ(PassThrough(calls, {100, 50, 120}).passed, 6u);
  EXPECT_EQ(PassThrough(calls, {100, 50, 200, 100, 50, 200, 100, 50, 200}).passed, 6u);
}

TEST(CallOrder, TheLastCallMayBeSlow) {
  EXPECT_EQ(PassThrough({kPlain, kPlain, kJudged}, {100, 50, 200}).passed, 3u);
}

TEST(CallOrder, CountsLooks) {
  const std::vector<Call> calls = WithSecondLook();
  CallOrder order(calls);
  std::vector<int> looks;
  for (const std::uint64_t ticks : {100, 50, 200, 100, 50, 200, 100, 50, 120, 100}) {
    if (!order.Next()) break;
    looks.push_back(order.looks());
    order.Made(ticks);
  }
  EXPECT_THAT(looks, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, 2, 0));
}

}  // namespace
}  // namespace cyclescope::sandbox
