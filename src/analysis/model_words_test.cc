#include "analysis/model_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "document/testing/made_documents.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using testing::MadeEstimate;
using ::testing::Not;

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
    row.latency = {{.from = "a", .to = "b", .cycles = MadeEstimate(latency, 0.01), .model = 4}};
    row.throughput = Throughput{.cycles = MadeEstimate(throughput, 0.01)};
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
            "2 of 3 throughputs on zmm registers with a memory operand take twice the model's "
            "cycles: vmulpd zmm0, zmm1, [rbx] takes 1.01, the model has 0.50");
  EXPECT_EQ(FirstSentence(Rows({{"fadd v0.4s, v1.4s", 3, 0.5}, {"fmul v0.4s, v1.4s", 3.02, 0.5}})),
            "all 2 latencies on vector registers are 1 cycle shorter than in the model: "
            "fadd v0.4s, v1.4s (a → b) takes 3, the model has 4");
  EXPECT_EQ(FirstSentence(Rows({{"add x0, x1, x2", 4, 0.25}})),
            "the one throughput of add on general registers takes half of the model's cycles: "
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
  EXPECT_THAT(longer, HasSubstr("take 2.20 to 6.60 cycles more than in the model"));
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
  for (const ModelGroup& group : GroupDifferences(agreement)) {
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

}  // namespace
}  // namespace cyclescope
