#include "report/instructions_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "report/testing/made_documents.h"

namespace cyclescope {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(InstructionsCsv, HasALinePerRow) {
  const std::string csv = InstructionsCsv(testing::FullDocument().instructions);
  EXPECT_THAT(csv, StartsWith("text,opcode,mnemonic,isa,status,"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
}

TEST(InstructionsCsv, QuotesWhatHoldsCommas) {
  const std::string csv = InstructionsCsv(testing::FullDocument().instructions);
  EXPECT_THAT(
      csv,
      HasSubstr("\n\"madd x0, x1, x2, x3\",MADDXrrr,madd,base,measured,,2,measured,"
                "x1->x0 2; memory->flags <=3 (slow) (contended),1,0.999,1.001,neoverse-v1,2,1,"));
}

TEST(InstructionsCsv, SaysHowFarValuesCanBeTrusted) {
  InstructionRow row;
  row.text = "nop";
  row.throughput = Throughput{.cycles = {.value = 0.25, .low = 0.2, .high = 0.3, .visits = 5}};
  EXPECT_THAT(InstructionsCsv({row}), EndsWith(",no,5,no,,\n"));
  row.throughput->upper_bound = true;
  EXPECT_THAT(InstructionsCsv({row}), EndsWith(",no,5,yes,,\n"));
  row.throughput->upper_bound = false;
  row.throughput->limit = "decoder";
  row.throughput->back_to_back = 2;
  EXPECT_THAT(InstructionsCsv({row}), EndsWith(",no,5,no,decoder,2\n"));
  row.throughput->limit.clear();
  row.throughput->back_to_back.reset();
  row.throughput->cycles.contended = true;
  EXPECT_THAT(InstructionsCsv({row}), EndsWith(",yes,5,yes,,\n"));
}

TEST(InstructionsCsv, WhatIsUnknownIsEmpty) {
  const std::string csv = InstructionsCsv(testing::FullDocument().instructions);
  EXPECT_THAT(csv,
              HasSubstr("\nwfi,HINT,,,privileged,only the kernel may execute it,,,,,,,,,,,,,,,\n"));
}

}  // namespace
}  // namespace cyclescope
