#include "analysis/block_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

BlockRow Measured(double cycles) {
  BlockRow row;
  row.cycles.emplace();
  row.cycles->value = cycles;
  return row;
}

TEST(BlockWords, SayWhatIsLeftOut) {
  BlockRow row = Measured(2);
  EXPECT_EQ(LeftOutText(row), "");
  row.left_out = {"call sqrt"};
  EXPECT_EQ(LeftOutText(row), "without 'call sqrt', which is not counted");
  row.left_out.emplace_back("jmp rax");
  EXPECT_THAT(LeftOutText(row), HasSubstr("which are not counted"));
}

TEST(BlockWords, SayWhatDataMean) {
  BlockRow row = Measured(2.35);
  EXPECT_EQ(DataText(row), "");
  row.by_data.resize(2);
  row.by_data[0].data = "random";
  row.by_data[0].cycles.value = 2.35;
  row.by_data[1].data = "constant";
  row.by_data[1].cycles.value = 1;
  EXPECT_EQ(DataText(row), "random data 2.35, constant data 1.00") << "no cause that is not known";
  row.data_cause = "branch";
  EXPECT_THAT(DataText(row), StartsWith("random data 2.35, constant data 1.00: data decide which"));
  row.data_cause = "jump";
  EXPECT_THAT(DataText(row), StartsWith("random data 2.35, constant data 1.00: data decide where"));
  EXPECT_EQ(AdviceText(row), "") << "no select does what a table does";
}

TEST(BlockWords, AdviseAccumulatorsOnlyForAChainThatBinds) {
  BlockRow row = Measured(4);
  row.bounds = BlockBounds{.chain = 4, .accumulates = true, .binds = "chain", .next = 1};
  EXPECT_THAT(AdviceText(row), StartsWith("4 accumulators"));
  EXPECT_THAT(AdviceText(row), HasSubstr("1.00 cycles"));
  row.bounds->next = 3.5;
  EXPECT_EQ(AdviceText(row), "") << "too little to gain";
  row.bounds->next = 1;
  row.bounds->accumulates = false;
  EXPECT_EQ(AdviceText(row), "") << "a chain of other kind";
  row.bounds->accumulates = true;
  row.bounds->binds.clear();
  EXPECT_EQ(AdviceText(row), "") << "something else binds it";
  row.bounds->binds = "chain";
  row.status = Status::kDisturbed;
  EXPECT_EQ(AdviceText(row), "");
}

TEST(BlockWords, AdviseASelectOnlyForABranchThatDataDecide) {
  BlockRow row = Measured(2.35);
  EXPECT_EQ(AdviceText(row), "");
  row.data_cause = "branch";
  EXPECT_THAT(AdviceText(row), HasSubstr("select"));
}

}  // namespace
}  // namespace cyclescope
