#include "analysis/memory_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/claims.h"

namespace cyclescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<ClaimCode> CodesOf(const MemoryRow& row) {
  std::vector<ClaimCode> codes;
  for (const Claim& claim : ClaimsOf(row)) codes.push_back(claim.code);
  return codes;
}

TEST(MemoryWords, SayWhyOnlyWhereSomethingIsNotClear) {
  MemoryRow row;
  row.levels.resize(1);
  row.curves.resize(1);
  row.curves[0].points.resize(1);
  row.curves[0].contended_share = 0.4;
  EXPECT_THAT(CodesOf(row), IsEmpty()) << "it was shared, and no value suffers from it";
  row.curves[0].points[0].contended = true;
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kCoreWasShared));
  row.curves[0].contended_share = 0;
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kSharingUnknown));
  row.curves[0].points[0].contended = false;
  EXPECT_THAT(CodesOf(row), IsEmpty());
  row.levels[0].contended = true;
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kTooFewVisits));
  EXPECT_EQ(Sentence(ClaimsOf(row).front()),
            "too few footprints of a level were visited three times or more; loads may take less");
  row.levels[0].capacity_at_least = true;
  EXPECT_EQ(Sentence(ClaimsOf(row).front()),
            "too few footprints of a level were visited three times or more; loads may take less; "
            "where ≥ stands, a level may hold more");
  row.levels[0].contended = row.levels[0].capacity_at_least = false;
  row.curves[0].points[0].contended = true;
  row.curves[0].contended_share = 0.004;
  EXPECT_EQ(Sentence(ClaimsOf(row).front()), "the core was shared; loads may take less");
  row.curves[0].contended_share = 0.006;
  EXPECT_EQ(Sentence(ClaimsOf(row).front()),
            "the core was shared in up to 1 % of the visits; loads may take less");
  row.curves[0].contended_share = 0;
  row.curves[0].points[0].contended = false;
  // Rates and accesses have probes of their own, and the curve says nothing of them.
  row.bandwidth.resize(1);
  EXPECT_THAT(CodesOf(row), IsEmpty());
  row.bandwidth[0].contended = true;
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kCoreWasShared));
  EXPECT_EQ(Sentence(ClaimsOf(row).front()), "the core was shared; rates may be higher");
  row.bandwidth.clear();
  row.levels[0].by_single_loads = true;
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kSeenBySingleLoads));
  row.levels[0].by_single_loads = false;
  row.swapped_bytes = 4096;
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kSwappedOut));
  row.swapped_bytes = 0;
  row.translation.resize(1);
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kTranslationReach));
  row.translation[0].page_bytes = 2 << 20;
  row.translation[0].reach = {96, 90, 100};
  row.translation[0].split_bytes = 4096;
  EXPECT_EQ(Sentence(ClaimsOf(row).front()),
            "translation: beyond 96 pages of 2 MB (90 – 100), as many as of 4 KB, a load takes 0 "
            "cycles more: the host may map them in pages of 4 KB, so that they reach 384 KB or "
            "192 MB");
  row.translation.clear();
  row.no_plateau = {.from_bytes = 48 << 10, .cycles = {14, 5, 346}};
  EXPECT_THAT(CodesOf(row), ElementsAre(ClaimCode::kNoPlateau));
  EXPECT_EQ(Sentence(ClaimsOf(row).front()),
            "from 48 KB on a load takes 5 to 346 cycles, too wide a range to tell a cache from "
            "memory");
}

}  // namespace
}  // namespace cyclescope
