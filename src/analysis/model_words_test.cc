#include "analysis/model_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analysis/claims.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SimulatedEstimate;

struct Made {
  const char* text;
  double latency;
  double throughput;
};

// The model says that all take 4 cycles, and half a cycle each.
std::vector<InstructionRow> Rows(const std::vector<Made>& made) {
  std::vector<InstructionRow> rows;
  for (const auto& [text, latency, throughput] : made) {
    InstructionRow& row = rows.emplace_back();
    row.text = text;
    row.mnemonic = row.text.substr(0, row.text.find(' '));
    row.latency = {
        {.from = "a", .to = "b", .cycles = SimulatedEstimate(latency, 0.01), .model = 4}};
    row.throughput = Throughput{.cycles = SimulatedEstimate(throughput, 0.01)};
    row.model = ModelFigures{.cpu = "x", .latency = 4, .throughput = 0.5};
  }
  return rows;
}

std::string FirstSentence(const std::vector<InstructionRow>& rows) {
  const ModelAgreement agreement = CompareWithModel(rows);
  const std::vector<ModelGroup> groups = GroupDifferences(agreement);
  return groups.empty() ? "" : GroupText(groups.front());
}

TEST(ModelGroupText, WhatAllMembersShareIsSaid) {
  EXPECT_EQ(FirstSentence(Rows({{"vaddpd zmm0, zmm1, [rbx]", 4, 1},
                                {"vmulpd zmm0, zmm1, [rbx]", 4, 1.01},
                                {"vsubpd zmm0, zmm1, [rbx]", 4, 0.5}})),
            "2 of 3 throughputs on zmm registers with a memory operand are twice the model's: "
            "vmulpd zmm0, zmm1, [rbx] takes 1.01, the model has 0.50");
  EXPECT_EQ(FirstSentence(Rows({{"fadd v0.4s, v1.4s", 3, 0.5}, {"fmul v0.4s, v1.4s", 3.02, 0.5}})),
            "all 2 latencies on vector registers are 1 cycle shorter than in the model: "
            "fadd v0.4s, v1.4s (a → b) takes 3, the model has 4");
  EXPECT_EQ(FirstSentence(Rows({{"add x0, x1, x2", 4, 0.25}})),
            "the one throughput of add on general registers is half of the model's: "
            "add x0, x1, x2 takes 0.25, the model has 0.50");
}

// A family whose members differ each in its own way has no factor and no number of cycles.
TEST(ModelGroupText, WhatMembersDoNotShareIsNotSaid) {
  const auto of_division = [](double one, double two, double three) {
    return FirstSentence(
        Rows({{"vdivpd xmm0", 4, one}, {"vdivps ymm0", 4, two}, {"vdivsd zmm0", 4, three}}));
  };
  const std::string mixed = of_division(4.3, 0.3, 7.1);
  EXPECT_THAT(mixed,
              HasSubstr("all 3 throughputs of div differ from the model, not all in one way"));
  const std::string longer = of_division(4.3, 2.7, 7.1);
  EXPECT_THAT(longer, HasSubstr("are 2.20 to 6.60 cycles longer than in the model"));
  for (const std::string& text : {mixed, longer})
    EXPECT_THAT(text, Not(::testing::ContainsRegex("twice|half|times|third|the model's cycles")));
}

// A group with a pattern is as uniform as its sentence says, whatever the values.
TEST(ModelGroupText, AClaimHoldsForEveryMember) {
  std::vector<Made> made;
  for (int i = 0; i < 200; ++i)
    made.push_back({i % 3 == 0 ? "vaddpd zmm0, zmm1" : "vmulpd ymm0, [rbx]", 2 + 0.07 * (i % 50),
                    0.2 + 0.013 * (i % 90)});
  const std::vector<InstructionRow> rows = Rows(made);
  const ModelAgreement agreement = CompareWithModel(rows);
  const auto groups = GroupDifferences(agreement);
  ASSERT_FALSE(groups.empty());
  for (const ModelGroup& group : groups) {
    EXPECT_GE(group.compared, group.differences.size());
    for (const ModelDifference* each : group.differences) {
      const double factor = each->measured_cycles / each->model_cycles;
      switch (group.pattern) {
        case ModelPattern::kOffset:
          EXPECT_NEAR(each->difference(), group.amount, 0.1);
          break;
        case ModelPattern::kFactor:
          EXPECT_NEAR(factor / group.amount, 1, 0.031);
          break;
        case ModelPattern::kAllLonger:
          EXPECT_GT(factor, 1);
          break;
        case ModelPattern::kAllShorter:
          EXPECT_LT(factor, 1);
          break;
        case ModelPattern::kNotInModel:
        case ModelPattern::kMixed:
          break;
      }
    }
  }
}

std::vector<ClaimCode> CodesOf(const std::vector<InstructionRow>& rows) {
  std::vector<ClaimCode> codes;
  for (const Claim& claim : ModelClaims(rows)) codes.push_back(claim.code);
  return codes;
}

TEST(ModelWords, SharedAndSystemValuesAreNotCompared) {
  // Within 2 % and 0.05 cycles of the model; then a little beyond.
  std::vector<InstructionRow> rows = Rows({{"add x0, x1, x2", 4.07, 0.54}});
  EXPECT_THAT(CodesOf(rows), ElementsAre(ClaimCode::kModelAgrees, ClaimCode::kModelAgrees));
  EXPECT_EQ(Sentence(ModelClaims(rows)[0]), "latency agrees for 1 of 1 pairs (100.0 %)");
  rows = Rows({{"add x0, x1, x2", 4.2, 0.5}});
  EXPECT_EQ(Sentence(ModelClaims(rows)[0]), "latency agrees for 0 of 1 pairs (0.0 %)");
  rows[0].latency[0].cycles.contended = true;
  EXPECT_THAT(CodesOf(rows), ElementsAre(ClaimCode::kModelAgrees, ClaimCode::kModelNotCompared));
  rows[0].model.reset();
  rows[0].latency[0].model.reset();
  EXPECT_THAT(CodesOf(rows), IsEmpty());
}

TEST(ModelWords, OneThatDiffersOtherwiseIsNotInTheGroup) {
  const auto last = [](const std::vector<InstructionRow>& rows) {
    return ModelClaims(rows).back();
  };
  // A cycle more, each to 0.1; then one a little farther off.
  EXPECT_EQ(last(Rows({{"fadd v0.4s", 5, 0.5}, {"fmul v0.4s", 5.09, 0.5}})).code,
            ClaimCode::kModelOffset);
  const std::vector<InstructionRow> near_offset =
      Rows({{"fadd v0.4s", 5.11, 0.5}, {"fadd v0.2d", 5.3, 0.5}});
  EXPECT_EQ(last(near_offset).code, ClaimCode::kModelDiffers);
  // Twice, each to 3 %; then one a little farther off.
  EXPECT_EQ(last(Rows({{"fadd v0.4s", 4, 1}, {"fmul v0.4s", 4, 1.02}})).code,
            ClaimCode::kModelFactor);
  EXPECT_EQ(last(Rows({{"fadd v0.4s", 4, 1.04}, {"fadd v0.2d", 4, 1.12}})).code,
            ClaimCode::kModelDiffers);
  // To both sides.
  EXPECT_EQ(last(Rows({{"fadd v0.4s", 4, 1.12}, {"fadd z0.d", 4, 0.3}, {"fadd d0", 4, 0.9}})).code,
            ClaimCode::kModelMixed);
  std::vector<InstructionRow> rows = Rows({{"mov x0, x1", 4, 0.3}});
  rows[0].model->throughput = 0;
  EXPECT_EQ(last(rows).code, ClaimCode::kNotInModel);
  rows[0].model->throughput = 0.2;
  EXPECT_NE(last(rows).code, ClaimCode::kNotInModel);
}

}  // namespace
}  // namespace cyclescope
