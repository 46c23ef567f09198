#include "instructions/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "arch/value_patterns.h"
#include "instructions/arrangements.h"
#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using testing::Either;
using ::testing::HasSubstr;
using testing::MakePlanner;
using ::testing::Not;
using testing::OnArm;
using testing::PlanOf;
using ::testing::StartsWith;

TEST(PlanForm, PlansThePairsAndTheArrangements) {
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, Either("mul x0, x1, x2", "imul rax, rcx"));
  EXPECT_FALSE(plan.refused);
  ASSERT_EQ(plan.values.size(), 1u);
  EXPECT_FALSE(plan.values[0].pairs.empty());
  EXPECT_GE(plan.values[0].arrangements.size(), 4u);
  for (const measure::Experiment& experiment : plan.experiments) {
    EXPECT_GT(experiment.units, 0);
    EXPECT_LT(experiment.kernels[0].size(), experiment.kernels[1].size());
  }
}

TEST(PlanForm, IsPure) {
  const auto planner = MakePlanner();
  const std::string_view text = Either("fadd d0, d1, d2", "addsd xmm0, xmm1");
  const FormPlan first = PlanOf(*planner, text);
  const FormPlan second = PlanOf(*MakePlanner(), text);
  ASSERT_EQ(first.experiments.size(), second.experiments.size());
  for (std::size_t i = 0; i < first.experiments.size(); ++i)
    EXPECT_EQ(first.experiments[i].kernels, second.experiments[i].kernels);
}

// Legacy SSE faults at addresses that are no multiple of 16.
TEST(PlanForm, PlacesInMemoryAreAlignedToTheAccess) {
  if (testing::OnArm()) GTEST_SKIP() << "does not fault";
  const auto planner = MakePlanner();
  const Form form = testing::FormOf(*planner, "addps xmm0, xmmword ptr [rbx]");
  std::size_t places = 0;
  for (const ArrangedCopies& copies : ArrangeCopies(*planner, form, nullptr)) {
    for (const auto& [reg, value] : copies.sequence.values) {
      if (reg.first != RegisterFile::kGeneral) continue;
      ++places;
      EXPECT_EQ(value % 16, 0);
    }
  }
  EXPECT_GT(places, 0u);
}

TEST(PlanForm, ArrangementsRaceEachOther) {
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, Either("add x0, x1, x2", "add rax, rcx"));
  std::set<std::size_t> races;
  for (const ArrangementPlan& arrangement : plan.values[0].arrangements) {
    const auto race = plan.experiments[arrangement.experiment].race;
    ASSERT_TRUE(race.has_value());
    races.insert(*race);
  }
  EXPECT_EQ(races.size(), 2u) << "one with equal sources, one without";
}

// x / x is one, and roots of roots are: both are fast, whatever x was.
TEST(PlanForm, CopiesKeepTheValuesThatTimeDependsOn) {
  const auto planner = MakePlanner(Either("neoverse-v1", "sapphirerapids"));
  for (const std::string_view text :
       {Either("fdiv d0, d1, d2", "vdivpd ymm0, ymm1, ymm2"), Either("sdiv x0, x1, x2", "div rcx"),
        Either("fsqrt d0, d0", "sqrtsd xmm0, xmm0")}) {
    for (const ValuesPlan& values : PlanOf(*planner, text).values) {
      EXPECT_FALSE(values.arrangements.empty()) << text;
      for (const ArrangementPlan& arrangement : values.arrangements)
        EXPECT_FALSE(arrangement.equal_sources) << text;
    }
  }
  const FormPlan root = PlanOf(*planner, Either("fsqrt d0, d0", "sqrtsd xmm0, xmm0"));
  ASSERT_FALSE(root.values.at(1).arrangements.empty());
  for (const ArrangementPlan& arrangement : root.values[1].arrangements) {
    EXPECT_THAT(arrangement.code, StartsWith(Either("mov v", "movaps xmm")));
    EXPECT_TRUE(arrangement.broken);
  }
}

TEST(PlanForm, ConnectorsAreNamedOnce) {
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, Either("ldrb w0, [x1]", "movzx eax, byte ptr [rcx]"));
  std::set<std::string> names;
  for (const ConnectorPlan& connector : plan.connectors) {
    EXPECT_TRUE(names.insert(connector.name).second) << connector.name;
    EXPECT_GT(connector.experiment.units, 0);
  }
  EXPECT_FALSE(names.empty());
}

TEST(PlanForm, RefusesWhatMustNotRun) {
  const auto planner = MakePlanner();
  EXPECT_EQ(PlanOf(*planner, Either("msr daifset, #2", "hlt")).row.status, Status::kPrivileged);
  const FormPlan call =
      PlanForm(*planner, testing::FormOf(*planner, Either("svc #0", "syscall")).instruction, {},
               /*filters_system_calls=*/false);
  EXPECT_TRUE(call.refused);
  EXPECT_THAT(call.row.reason, HasSubstr("no filter"));
}

// A branch to the next instruction: its target is a label, which is no immediate.
TEST(PlanForm, ABranchToTheNextInstructionCanBeMeasured) {
  const auto planner = MakePlanner();
  const assembler::Bytes bytes = OnArm() ? assembler::Bytes{0x01, 0x00, 0x00, 0x14}
                                         : assembler::Bytes{0xe9, 0x00, 0x00, 0x00, 0x00};
  const auto decoded = planner->assembler().Decode(bytes);
  ASSERT_TRUE(decoded && decoded->size() == 1);
  const FormPlan plan =
      PlanForm(*planner, decoded->front().instruction, {}, /*filters_system_calls=*/true);
  EXPECT_FALSE(plan.refused) << plan.row.reason;
  std::vector<std::string> ways;
  for (const ArrangementPlan& arrangement : plan.values.at(0).arrangements)
    ways.push_back(arrangement.way);
  EXPECT_THAT(ways, ::testing::Contains(HasSubstr("leap 28")));
}

// How many different texts from `begin` to `end` the copies of one arrangement have at the most.
std::size_t MostPlaces(const FormPlan& plan, char begin, char end) {
  std::size_t most = 0;
  for (const ArrangementPlan& arrangement : plan.values[0].arrangements) {
    const std::string& code = arrangement.code;
    std::set<std::string> places;
    for (std::size_t at = code.find(begin); at != std::string::npos; at = code.find(begin, at + 1))
      places.insert(code.substr(at, code.find(end, at) - at));
    most = std::max(most, places.size());
  }
  return most;
}

// Golden Cove reads three places in a cycle only if they lie in different banks.
TEST(PlanForm, LoadsAndStoresAreSpreadOverPlacesInALine) {
  const auto planner = MakePlanner();
  const FormPlan load = PlanOf(*planner, Either("ldr x0, [x1]", "mov rax, qword ptr [rcx]"));
  EXPECT_GE(MostPlaces(load, '[', ']'), 3u);
  EXPECT_TRUE(load.experiments[load.values[0].arrangements[0].experiment].memory.has_value());
  const FormPlan store = PlanOf(*planner, Either("str x0, [x1]", "mov qword ptr [rcx], rax"));
  EXPECT_GE(MostPlaces(store, '[', ']'), 3u);
}

TEST(PlanForm, CopiesThatWriteAPlaceOfTheX87StackHaveSevenOfThem) {
  if (OnArm()) GTEST_SKIP() << "no x87";
  const auto planner = MakePlanner();
  EXPECT_EQ(MostPlaces(PlanOf(*planner, "fadd st(1), st"), '(', ')'), 7u);
}

TEST(PlanForm, MemoryHoldsOrdinaryNumbers) {
  if (OnArm()) GTEST_SKIP() << "no x87";
  const auto planner = MakePlanner();
  const auto expect_memory = [&planner](const char* text, std::uint64_t memory) {
    const FormPlan plan = PlanOf(*planner, text);
    EXPECT_GT(plan.values[0].arrangements.size(), 1u) << text;
    for (const ArrangementPlan& arrangement : plan.values[0].arrangements)
      EXPECT_EQ(plan.experiments[arrangement.experiment].memory, memory) << text;
  };
  expect_memory("fadd dword ptr [rbx]", arch::OrdinaryPattern(arch::ElementKind::kSingle));
  expect_memory("fdiv dword ptr [rbx]", arch::kSingleNearOne);
}

// `dec` leaves the carry as it was: a reader would wait for two writers.
TEST(PlanForm, FlagsThatAreReadHaveOneWriterInTheLoop) {
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, Either("csel x0, x1, x2, lo", "cmovb rax, rcx"));
  const PairPlan& pair = plan.values[0].pairs[0];
  ASSERT_FALSE(pair.chains.empty());
  EXPECT_TRUE(pair.chains[0].sequence.reads_flags);
  std::string text;
  for (const auto& line :
       planner->assembler().Disassemble(plan.experiments[pair.chains[0].experiment].kernels[0])) {
    text += line.text + "\n";
  }
  EXPECT_THAT(text, HasSubstr("cmp"));
  EXPECT_THAT(text, Not(HasSubstr("dec")));
}

TEST(PlanForm, FlagsThatAreReadMayAlsoHaveTwoWriters) {
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, Either("csel x0, x1, x2, lo", "cmovb rax, rcx"));
  const PairPlan& pair = plan.values[0].pairs[0];
  if (testing::OnArm()) {
    EXPECT_THAT(pair.with_mixed_flags, ::testing::IsEmpty());
    return;
  }
  ASSERT_EQ(pair.with_mixed_flags.size(), pair.chains.size());
  const auto& mixed = plan.experiments[pair.with_mixed_flags[0].experiment];
  EXPECT_NE(mixed.kernels[0], plan.experiments[pair.chains[0].experiment].kernels[0]);
  std::string text;
  for (const auto& line : planner->assembler().Disassemble(mixed.kernels[0]))
    text += line.text + "\n";
  EXPECT_THAT(text, ::testing::ContainsRegex("cmp[^\n]*\ndec "));
  EXPECT_THAT(PlanOf(*planner, "imul rax, rcx").values[0].pairs[0].with_mixed_flags,
              ::testing::IsEmpty());
}

TEST(PlanForm, ALengthChangingPrefixIsNotedWithTheFormThatHasNone) {
  if (OnArm()) GTEST_SKIP() << "x86-64 only";
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, "add bx, 300");
  EXPECT_THAT(plan.row.notes, ::testing::Contains(HasSubstr("length-changing prefix")));
  EXPECT_THAT(plan.row.notes, ::testing::Contains(HasSubstr("without that prefix: 'add bx")));
  for (const char* text : {"add bx, 5", "add ebx, 300"})
    EXPECT_THAT(PlanOf(*planner, text).row.notes, ::testing::IsEmpty()) << text;
}

// A legacy instruction among VEX code costs hundreds of cycles.
TEST(PlanForm, HelpersOfVexCodeAreVexCode) {
  if (OnArm()) GTEST_SKIP() << "x86-64 only";
  const auto planner = MakePlanner();
  const FormPlan plan = PlanOf(*planner, "vgatherqps xmm0, qword ptr [rax + xmm1], xmm2");
  ASSERT_FALSE(plan.values[0].arrangements.empty());
  EXPECT_THAT(plan.values[0].arrangements[0].code, HasSubstr("vpcmpeqd xmm"));
  EXPECT_THAT(plan.values[0].arrangements[0].code, Not(HasSubstr("\npcmpeqd")));
  const FormPlan wide = PlanOf(*planner, "vgatherqps xmm0, xmmword ptr [rax + ymm1], xmm2");
  for (const PairPlan& pair : wide.values[0].pairs) {
    for (const ChainPlan& chain : pair.chains)
      EXPECT_THAT(chain.code, Not(HasSubstr("\nandps xmm"))) << pair.from;
  }
}

TEST(PlanForm, ConnectorsHaveTheEncodingOfTheForm) {
  if (OnArm()) GTEST_SKIP() << "x86-64 only";
  const auto planner = MakePlanner();
  const auto code_of = [&](const char* text) {
    const FormPlan plan = PlanOf(*planner, text);
    std::string code = "\n";
    for (const PairPlan& pair : plan.values[0].pairs) {
      for (const ChainPlan& chain : pair.chains) code += chain.code + '\n';
    }
    return code;
  };
  const std::string legacy = code_of("cvtsi2sd xmm0, rax");
  EXPECT_THAT(legacy, HasSubstr("\nmovq "));
  EXPECT_THAT(legacy, Not(HasSubstr("\nvmovq ")));
  const std::string vex = code_of("vcvtsi2sd xmm0, xmm1, rax");
  EXPECT_THAT(vex, HasSubstr("\nvmovq "));
  EXPECT_THAT(vex, Not(HasSubstr("\nmovq ")));
}

}  // namespace
}  // namespace cyclescope::instructions
