#include "analysis/block_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/claims.h"

namespace cyclescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

TEST(BlockWords, WhatIsNotAsInAProgramComesFirstAndOnce) {
  BlockRow row = Measured(2);
  AddNote({ClaimCode::kDataEndLoop, {}}, row);
  EXPECT_EQ(FirstWords(row), "");
  EXPECT_EQ(FurtherNotes(row), row.notes);
  AddNote({ClaimCode::kSameWay, {}}, row);
  EXPECT_THAT(FirstWords(row), ::testing::StartsWith("not what a program takes"));
  EXPECT_THAT(FurtherNotes(row), ::testing::ElementsAre(row.notes.front()));
  BlockRow around = Measured(2);
  AddNote({ClaimCode::kAvoidsLoops, {{"count", 1.0}, {"lines", "14"}}}, around);
  EXPECT_THAT(FirstWords(around), ::testing::EndsWith("not the time of that loop"));
  row.left_out = {"call sqrt"};
  EXPECT_THAT(FirstWords(row), ::testing::StartsWith("without 'call sqrt'"));
  EXPECT_THAT(FirstWords(row), HasSubstr("not what a program takes"));
}

std::vector<ClaimCode> CodesOf(const std::vector<Claim>& claims) {
  std::vector<ClaimCode> codes;
  for (const Claim& claim : claims) codes.push_back(claim.code);
  return codes;
}

Estimate Interval(double low, double high) {
  Estimate estimate;
  estimate.low = low;
  estimate.high = high;
  estimate.value = (low + high) / 2;
  return estimate;
}

TEST(BlockWords, DataMatterOnlyByIntervalsThatLieApart) {
  EXPECT_TRUE(TimesDiffer(Interval(2, 2.1), Interval(1, 1.1)));
  EXPECT_TRUE(TimesDiffer(Interval(1, 1.1), Interval(2, 2.1)));
  EXPECT_FALSE(TimesDiffer(Interval(1.1, 3), Interval(1, 1.1))) << "they touch";
  EXPECT_FALSE(TimesDiffer(Interval(1.04, 1.05), Interval(0.99, 1))) << "apart, by what is little";
  Estimate contended = Interval(2, 2.1);
  contended.contended = true;
  EXPECT_FALSE(TimesDiffer(contended, Interval(1, 1.1)));
}

std::vector<BlockPlace> Places(std::initializer_list<std::pair<double, double>> intervals) {
  std::vector<BlockPlace> places;
  for (const auto& [low, high] : intervals)
    places.push_back(
        {.offset = 16 * static_cast<int>(places.size()), .cycles = Interval(low, high)});
  return places;
}

TEST(BlockWords, PlacesMatterOnlyByIntervalsThatLieApart) {
  BlockRow row = Measured(1.25);
  EXPECT_FALSE(AddPlaces(Places({{1.24, 1.26}, {1.25, 1.31}, {1.2, 1.26}, {1.25, 1.3}}), row));
  EXPECT_THAT(row.by_place, IsEmpty());
  EXPECT_THAT(row.claims, IsEmpty());
  auto contended = Places({{1.24, 1.26}, {2.9, 3.1}});
  contended[1].cycles.contended = true;
  EXPECT_FALSE(AddPlaces(contended, row));
  EXPECT_THAT(row.claims, IsEmpty()) << "a neighbour makes it slower, too";
}

TEST(BlockWords, ARowHasTheTimeOfMostPlaces) {
  BlockRow row = Measured(3);
  EXPECT_EQ(AddPlaces(Places({{2.9, 3.1}, {1.2, 1.3}, {2.9, 3.1}, {1.2, 1.3}}), row), 16);
  EXPECT_DOUBLE_EQ(row.cycles->value, 1.25) << "of the faster half";
  EXPECT_THAT(row.cycles->states, ElementsAre(ValueState{1.25, 0.5}, ValueState{3, 0.5}));
  EXPECT_THAT(row.notes,
              ElementsAre(HasSubstr("1.25 cycles at byte 16 or 48 of a line, 3.00 at 0 or 32")));
  row = Measured(3);
  EXPECT_EQ(AddPlaces(Places({{2.9, 3.1}, {1.2, 1.3}, {2.9, 3.1}, {2.9, 3.1}}), row), 0);
  EXPECT_DOUBLE_EQ(row.cycles->value, 3);
}

TEST(BlockWords, SayWhatDataMean) {
  BlockRow row = Measured(2.35);
  EXPECT_EQ(DataText(row), "");
  row.data_cause = "branch";
  EXPECT_THAT(DataClaims(row), IsEmpty()) << "data that make no difference mispredict no branch";
  row.data_cause.clear();
  row.by_data.resize(2);
  row.by_data[0].data = "random";
  row.by_data[0].cycles.value = 2.35;
  row.by_data[1].data = "constant";
  row.by_data[1].cycles.value = 1;
  EXPECT_EQ(DataText(row), "random data 2.35, constant data 1.00");
  EXPECT_THAT(DataClaims(row), IsEmpty()) << "no cause that is not known";
  row.data_cause = "branch";
  EXPECT_THAT(CodesOf(DataClaims(row)),
              ElementsAre(ClaimCode::kMispredictedBranch, ClaimCode::kUseSelect));
  row.data_cause = "jump";
  EXPECT_THAT(CodesOf(DataClaims(row)), ElementsAre(ClaimCode::kMispredictedJump))
      << "no select does what a table does";
  row.data_cause = "forwarding";
  EXPECT_THAT(CodesOf(DataClaims(row)), ElementsAre(ClaimCode::kStoreReadAgain));
  row.data_cause = "division";
  EXPECT_THAT(CodesOf(DataClaims(row)), ElementsAre(ClaimCode::kSlowValues));
}

std::vector<BlockData> Kinds(std::initializer_list<std::pair<double, double>> intervals) {
  constexpr const char* kNames[] = {"random", "constant", "few-valued"};
  std::vector<BlockData> kinds;
  for (const auto& [low, high] : intervals)
    kinds.push_back({kNames[kinds.size()], Interval(low, high)});
  return kinds;
}

TEST(BlockWords, KindsOfDataThatTakeTheSameAreNotRepeated) {
  BlockRow row = Measured(2);
  AddData(Kinds({{2, 2.1}, {2, 2.1}, {2.05, 2.2}}), row);
  EXPECT_THAT(row.by_data, IsEmpty());
  AddData(Kinds({{2, 2.1}, {2, 2.1}, {3, 3.1}}), row);
  EXPECT_EQ(DataText(row), "random data 2.05, few-valued data 3.05");
  AddData(Kinds({{2, 2.1}, {3, 3.1}, {3, 3.1}}), row);
  EXPECT_EQ(DataText(row), "random data 2.05, constant data 3.05");
  AddData(Kinds({{2, 2.1}, {3, 3.1}, {1, 1.1}}), row);
  EXPECT_EQ(DataText(row), "random data 2.05, constant data 3.05, few-valued data 1.05");
}

TEST(BlockWords, ABranchIsWellPredictedOnlyWhereItsDataCostNothing) {
  EXPECT_TRUE(PredictionClaim(Interval(2, 2.1), Interval(2, 2.1)));
  EXPECT_TRUE(PredictionClaim(Interval(1, 1.1), Interval(2, 2.1))) << "constant data wait";
  EXPECT_TRUE(PredictionClaim(Interval(40, 41.9), Interval(40, 41)));
  EXPECT_FALSE(PredictionClaim(Interval(40, 42.1), Interval(40, 41))) << "too wide to tell";
  EXPECT_FALSE(PredictionClaim(Interval(2.9, 3), Interval(2, 2.1))) << "they cost a little";
  Estimate contended = Interval(2, 2.1);
  contended.contended = true;
  EXPECT_FALSE(PredictionClaim(contended, Interval(2, 2.1)));
}

TEST(BlockWords, AdviseAccumulatorsOnlyForAChainThatBinds) {
  BlockRow row = Measured(4);
  row.bounds =
      BlockBounds{.chain = 4, .accumulates = true, .issue = 1, .binds = "chain", .next = 1};
  ASSERT_TRUE(AccumulatorClaim(row));
  EXPECT_THAT(Sentence(*AccumulatorClaim(row)), StartsWith("4 accumulators"));
  EXPECT_THAT(Sentence(*AccumulatorClaim(row)), HasSubstr("1.00 cycles"));
  row.bounds->next = 4 / 1.29;
  EXPECT_FALSE(AccumulatorClaim(row)) << "a little too little to gain";
  row.bounds->next = 4 / 1.31;
  EXPECT_TRUE(AccumulatorClaim(row));
  row.bounds->issue = 0;
  EXPECT_FALSE(AccumulatorClaim(row)) << "what comes next is not known";
  row.bounds->issue = 1;
  row.bounds->accumulates = false;
  EXPECT_FALSE(AccumulatorClaim(row)) << "a chain of other kind";
  row.bounds->accumulates = true;
  row.bounds->binds.clear();
  EXPECT_FALSE(AccumulatorClaim(row)) << "something else binds it";
  row.bounds->binds = "chain";
  row.status = Status::kDisturbed;
  EXPECT_FALSE(AccumulatorClaim(row));
  row.status = Status::kMeasured;
  row.data_cause = "branch";
  EXPECT_FALSE(AccumulatorClaim(row)) << "mispredictions come first";
}

TEST(BlockWords, PortsBindOnlyWhereTheyAreBusiest) {
  BlockPorts ports{.cycles = 2, .ports = 2, .dispatch = 1.89, .binds = "ports"};
  ports.binding_ports = {"p0"};
  const auto text = [&ports] {
    const auto claim = ClaimOf(ports);
    return claim ? Sentence(*claim) : "";
  };
  EXPECT_EQ(text(), "bound by port p0");
  ports.dispatch = 1.91;
  EXPECT_EQ(text(), "") << "dispatch takes about as long";
  ports.dispatch = 1;
  ports.binding_ports = {"p0", "p1"};
  EXPECT_EQ(text(), "bound by ports p0 p1");
  ports = {.cycles = 3, .ports = 2, .chain = 3, .binds = "chain"};
  EXPECT_EQ(text(), "bound by the chain");
  ports.ports = 2.9;
  EXPECT_EQ(text(), "");
  ports = {.cycles = 3, .ports = 2, .dispatch = 3, .binds = "dispatch"};
  EXPECT_EQ(text(), "bound by dispatch");
  ports = {.cycles = 6, .ports = 2, .other = 6, .other_text = "1 × sqrtsd", .binds = "other"};
  EXPECT_EQ(text(), "bound by something of its own in 1 × sqrtsd");
}

}  // namespace
}  // namespace cyclescope
