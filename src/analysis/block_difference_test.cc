#include "analysis/block_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

BlockRow Loop(const std::string& side, const std::string& function, double cycles,
              std::int64_t bytes = 8) {
  BlockRow row;
  row.side = side;
  row.function = function;
  row.cycles.emplace();
  row.cycles->value = cycles;
  row.cycles->low = 0.99 * cycles;
  row.cycles->high = 1.01 * cycles;
  row.trips = 512;
  row.bytes_per_trip = bytes;
  return row;
}

BlockRow Predicted(const std::string& side, std::optional<double> cycles) {
  BlockRow row;
  row.side = side;
  row.status = Status::kPredicted;
  row.predicted.emplace().cycles = cycles;
  return row;
}

TEST(BlockDifferenceTest, FunctionsOfOneNamePair) {
  const std::vector<BlockRow> rows = {Loop("a.s", "dot", 4), Loop("a.s", "sum", 1),
                                      Loop("b.s", "sum", 1), Loop("b.s", "dot", 1)};
  const auto differences = FindDifferences(rows);
  ASSERT_THAT(differences, SizeIs(2));
  EXPECT_EQ(DifferenceText(differences[0]),
            "b.s, dot takes 0.25 times the cycles per trip of a.s, dot (1.00 and 4.00)");
  EXPECT_THAT(DifferenceText(differences[1]),
              HasSubstr("b.s, sum does not clearly differ from a.s, sum in"));
}

TEST(BlockDifferenceTest, OtherNamesPairInOrder) {
  const std::vector<BlockRow> rows = {Loop("old", "old", 4), Loop("new", "new", 2)};
  ASSERT_THAT(FindDifferences(rows), SizeIs(1));
  EXPECT_THAT(DifferenceText(FindDifferences(rows)[0]),
              HasSubstr("new takes 0.50 times the cycles per trip of old"));
}

TEST(BlockDifferenceTest, ATripThatGoesFurtherIsHeldAgainstBytes) {
  const std::vector<BlockRow> rows = {Loop("a.s", "dot", 4, 16), Loop("b.s", "dot", 4, 128)};
  const std::string text = DifferenceText(FindDifferences(rows).at(0));
  EXPECT_THAT(text, HasSubstr("does not clearly differ"));
  EXPECT_THAT(text,
              HasSubstr("by 128 and 16 bytes, so it takes 0.12 times the cycles per byte of that"));
}

TEST(BlockDifference, IntervalsThatTouchAreNoDifference) {
  const auto codes = [](const BlockRow& first, const BlockRow& second) {
    const std::vector<BlockRow> rows = {first, second};
    std::vector<ClaimCode> found;
    for (const Claim& claim : ClaimsOf(FindDifferences(rows).at(0))) found.push_back(claim.code);
    return found;
  };
  // Each is known to 1 %.
  EXPECT_THAT(codes(Loop("a.s", "dot", 4), Loop("b.s", "dot", 4.08)),
              ElementsAre(ClaimCode::kLoopsAlike));
  EXPECT_THAT(codes(Loop("a.s", "dot", 4), Loop("b.s", "dot", 4.09)),
              ElementsAre(ClaimCode::kLoopsDiffer));
  // Twice as far in twice the time.
  EXPECT_THAT(codes(Loop("a.s", "dot", 4, 8), Loop("b.s", "dot", 8.05, 16)),
              ElementsAre(ClaimCode::kLoopsDiffer, ClaimCode::kBytesAlike));
  EXPECT_THAT(codes(Loop("a.s", "dot", 4, 8), Loop("b.s", "dot", 8.2, 16)),
              ElementsAre(ClaimCode::kLoopsDiffer, ClaimCode::kBytesDiffer));
  BlockRow shared = Loop("b.s", "dot", 8, 16);
  shared.cycles->contended = true;
  EXPECT_THAT(codes(Loop("a.s", "dot", 4, 8), shared), ElementsAre(ClaimCode::kLoopsNotCompared));
  // By a model, within 2 %.
  EXPECT_THAT(codes(Predicted("A", 2), Predicted("B", 2.03)), ElementsAre(ClaimCode::kLoopsAlike));
  EXPECT_THAT(codes(Predicted("A", 2), Predicted("B", 2.05)), ElementsAre(ClaimCode::kLoopsDiffer));
  EXPECT_THAT(codes(Predicted("A", 2), Predicted("B", 1.97)), ElementsAre(ClaimCode::kLoopsAlike));
  EXPECT_THAT(codes(Predicted("A", 2), Predicted("B", 1.95)), ElementsAre(ClaimCode::kLoopsDiffer));
  EXPECT_THAT(codes(Predicted("A", 2), Predicted("B", {})),
              ElementsAre(ClaimCode::kLoopsNotCompared));
  EXPECT_THAT(codes(Loop("A", "", 2), Predicted("B", 1)),
              ElementsAre(ClaimCode::kLoopsNotCompared));
}

TEST(BlockDifferenceTest, PredictionsSayThatTheyAreThat) {
  std::vector<BlockRow> rows = {Predicted("A", 2), Predicted("B", 1)};
  EXPECT_EQ(DifferenceText(FindDifferences(rows).at(0)),
            "by the model, B takes 0.50 times the cycles per iteration of A (1.00 and 2.00)");
  // A vectorised loop goes further with each iteration.
  rows[0].bytes_per_trip = 64;
  rows[1].bytes_per_trip = 16;
  EXPECT_THAT(DifferenceText(FindDifferences(rows).at(0)),
              HasSubstr("by 16 and 64 bytes, so it takes 2.00 times the cycles per byte of that"));
  rows[0].bytes_per_trip = rows[1].bytes_per_trip = 0;
  rows[1].predicted->cycles = 2;
  EXPECT_THAT(DifferenceText(FindDifferences(rows).at(0)),
              HasSubstr("by the model, B does not clearly differ from A"));
  rows[1].predicted->cycles.reset();
  EXPECT_EQ(DifferenceText(FindDifferences(rows).at(0)),
            "A and B: not compared, since one of them has no value");
}

TEST(BlockDifferenceTest, UpperBoundsAreNotCompared) {
  std::vector<BlockRow> rows = {Loop("a.s", "dot", 4), Loop("b.s", "dot", 8)};
  rows[1].cycles->contended = true;
  EXPECT_THAT(DifferenceText(FindDifferences(rows).at(0)), HasSubstr("value of a quiet core"));
}

TEST(BlockDifferenceTest, RowsWithoutSidesAreNotCompared) {
  const std::vector<BlockRow> rows = {Loop("", "dot", 4), Loop("", "sum", 1)};
  EXPECT_THAT(FindDifferences(rows), IsEmpty());
}

}  // namespace
}  // namespace cyclescope
