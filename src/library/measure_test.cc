#include "cyclescope/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "os/cpus.h"

namespace cyclescope {
namespace {

// These are about documents: a neighbour on the core is not waited for.
const CodeRequest kImpatient = {.patience_s = 0.02};

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

std::string AddText() { return arch::Name() == "aarch64" ? "add x0, x1, x2" : "add rax, rcx"; }

// More than are measured at once.
const std::vector<std::string> kTwelveAdds(12, AddText());

TEST(MeasureTest, AnInstructionHasItsLatency) {
  const auto result = MeasureInstructions({.texts = {AddText()}, .code = kImpatient});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->instructions, SizeIs(1));
  EXPECT_THAT(result->instructions.front().latency, ::testing::Not(IsEmpty()));
  EXPECT_EQ(result->instructions.front().isa, "base");
  EXPECT_EQ(result->config.command, "instruction");
  EXPECT_FALSE(result->host.architecture.empty());
  EXPECT_GT(result->clock.tick_hz, 0);
  EXPECT_FALSE(result->partial);
}

TEST(MeasureTest, WhatIsNoInstructionIsBadInput) {
  const auto result = MeasureInstructions({.texts = {AddText(), "nonsense x0"}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
}

TEST(MeasureTest, TheCallerEndsInstructionsEarly) {
  std::vector<std::size_t> steps;
  const auto result =
      MeasureInstructions({.texts = kTwelveAdds, .code = kImpatient}, [&](const Progress& at) {
        if (at.part.empty()) return true;  // nothing has begun
        if (steps.empty() || steps.back() != at.done) steps.push_back(at.done);
        EXPECT_EQ(at.total, kTwelveAdds.size());
        return at.done < 1;
      });
  ASSERT_TRUE(result) << result.error().ToString();
  // Some are measured together: what is measured is kept.
  EXPECT_THAT(result->instructions, SizeIs(AllOf(Ge(1u), Lt(kTwelveAdds.size()))));
  EXPECT_TRUE(result->partial);
  EXPECT_THAT(steps, ::testing::ElementsAre(0, 1));
}

TEST(MeasureTest, ABlockHasItsCycles) {
  const auto result = MeasureBlock({.text = AddText(), .code = kImpatient});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->blocks, SizeIs(1));
  // A machine that is busy enough leaves no sample, and the row says so.
  const BlockRow& row = result->blocks.front();
  EXPECT_TRUE(row.cycles || row.status == Status::kDisturbed) << row.reason;
}

TEST(MeasureTest, ABlockIsTextOrBytes) {
  EXPECT_FALSE(MeasureBlock({}));
  EXPECT_FALSE(MeasureBlock({.text = AddText(), .bytes = {0x90}}));
}

TEST(MeasureTest, FrequencyGivesTheThreadItsCpusBack) {
  const auto before = os::AllowedCpus();
  const auto result = MeasureFrequency({.cpus = {before->front()}});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_THAT(result->frequency, SizeIs(1));
  EXPECT_EQ(*os::AllowedCpus(), *before);
}

TEST(MeasureTest, ACpuThatIsNotThereIsBadInput) {
  const auto result = MeasureFrequency({.cpus = {1'000'000}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
}

TEST(MeasureTest, TheCallerEndsCoresEarly) {
  if (os::AllowedCpus()->size() < 2) GTEST_SKIP() << "takes two CPUs";
  int calls = 0;
  const auto result =
      MeasureCores({.tests = "cas,store", .budget_s = 0.01}, [&](const Progress& at) {
        EXPECT_LE(at.done, at.total);
        EXPECT_NE(at.matrix, nullptr);
        ++calls;
        return false;
      });
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(result->partial);
  EXPECT_THAT(result->cores, SizeIs(1));
}

TEST(MeasureTest, NothingIsPrinted) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(MeasureBlock({.text = AddText(), .code = kImpatient}));
  EXPECT_FALSE(MeasureBlock({.text = "nonsense x0"}));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(MeasureTest, TheLastStepIsReported) {
  Progress last;
  ASSERT_TRUE(MeasureInstructions({.texts = {AddText(), AddText()}, .code = kImpatient},
                                  [&](const Progress& at) {
                                    last = at;
                                    return true;
                                  }));
  EXPECT_EQ(last.done, 2u);
  EXPECT_EQ(last.total, 2u);
  EXPECT_EQ(last.part, "instructions");
  ASSERT_TRUE(MeasureFrequency({.cpus = {os::AllowedCpus()->front()}}, [&](const Progress& at) {
    last = at;
    return true;
  }));
  EXPECT_EQ(last.done, 1u);
  EXPECT_EQ(last.part, "frequency");
}

TEST(MeasureTest, WatchingKeepsWhatAllRoundsFound) {
  int rounds = 0;
  const auto result =
      WatchInstructions({.texts = {AddText()}, .code = kImpatient}, [&](const Document& so_far) {
        EXPECT_THAT(so_far.instructions, SizeIs(1));
        return ++rounds < 3;
      });
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(rounds, 3);
  EXPECT_THAT(result->instructions, SizeIs(1));
  EXPECT_FALSE(result->partial);
}

TEST(MeasureTest, WatchingThatEndsInItsFirstRoundIsPartial) {
  int rounds = 0;
  const auto result = WatchInstructions(
      {.texts = kTwelveAdds, .code = kImpatient}, [&](const Document&) { return ++rounds > 0; },
      [](const Progress& at) { return at.done < 1; });
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(rounds, 0);
  EXPECT_TRUE(result->partial);
  EXPECT_THAT(result->instructions, SizeIs(AllOf(Ge(1u), Lt(kTwelveAdds.size()))));
}

TEST(MeasureTest, ARoundThatWasCutShortChangesNothing) {
  int rounds = 0;
  const auto result = WatchInstructions(
      {.texts = kTwelveAdds, .code = kImpatient}, [&](const Document&) { return ++rounds > 0; },
      [&](const Progress& at) { return rounds == 0 || at.done < 1; });
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(rounds, 1);
  EXPECT_FALSE(result->partial);
  EXPECT_THAT(result->instructions, SizeIs(kTwelveAdds.size()));
}

TEST(MeasureTest, PlansWithoutMeasuring) {
  const auto result = PlanInstructions({.texts = {AddText()}});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->instructions, SizeIs(1));
  EXPECT_EQ(result->instructions.front().status, Status::kUnmeasurable);
  EXPECT_FALSE(result->instructions.front().latency.front().code.empty());
}

TEST(MeasureTest, TheFormWithoutALengthChangingPrefixStandsBeside) {
  if (arch::Name() != "x86_64") GTEST_SKIP() << "x86-64 only";
  const auto result = PlanInstructions({.texts = {"add ax, 300", AddText()}});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->instructions, SizeIs(3));
  EXPECT_EQ(result->instructions[0].text, "add ax, 300");
  EXPECT_EQ(result->instructions[1].text, "add ax, 5");
}

TEST(MeasureTest, TextsAreCheckedOneByOne) {
  const auto problems = CheckTexts({.texts = {"nonsense x0", AddText(), AddText() + "; nop", ""}});
  ASSERT_TRUE(problems) << problems.error().ToString();
  ASSERT_THAT(*problems, SizeIs(3));
  EXPECT_EQ(problems->at(0).index, 0u);
  EXPECT_EQ(problems->at(0).line, 1u);
  EXPECT_FALSE(problems->at(0).excerpt.empty());
  EXPECT_EQ(problems->at(1).index, 2u);
  EXPECT_EQ(problems->at(2).index, 3u);
  EXPECT_EQ(problems->at(2).ToError().kind, ErrorKind::kBadInput);
  EXPECT_THAT(*CheckTexts(BlockRequest{.text = AddText(), .init = "nonsense x0"}), SizeIs(1));
}

TEST(MeasureTest, ProblemsOfSourcesStandWhereTheFileHasThem) {
  const std::string text = "\t.text\nf:\n.L1:\n\t" + AddText() + "\n\tnonsense x0; " +
                           (arch::Name() == "x86_64" ? "jne .L1\n" : "b.ne .L1\n");
  auto listing = ReadListing(text);
  ASSERT_TRUE(listing && listing->sources.size() == 1);
  BlockRequest request;
  request.sources = {{.text = AddText()}, {.text = AddText() + "\nnonsense x0"}};
  request.sources.push_back(listing->sources.front());
  const auto problems = CheckSources(request);
  ASSERT_TRUE(problems) << problems.error().ToString();
  ASSERT_THAT(*problems, SizeIs(2));
  EXPECT_EQ(problems->at(0).index, 1u);
  EXPECT_EQ(problems->at(0).line, 2u);
  EXPECT_EQ(problems->at(0).column, 1u);
  EXPECT_EQ(problems->at(1).index, 2u);
  EXPECT_EQ(problems->at(1).line, 5u);
  EXPECT_EQ(problems->at(1).column, 2u);
}

TEST(MeasureTest, RequestsOutOfRangeAreBadInput) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto expect_refused = [](const Result<Document>& result, const std::string& what) {
    ASSERT_FALSE(result) << what;
    EXPECT_EQ(result.error().kind, ErrorKind::kBadInput) << what;
  };
  for (const int unroll :
       {0, -1, kMostCopies + 1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    expect_refused(MeasureBlock({.text = AddText(), .unroll = unroll}), std::to_string(unroll));
  }
  for (const double seconds : {-1.0, kNan, kInfinity, -kInfinity, 1e300, 2 * kLongestS}) {
    const std::string what = std::to_string(seconds);
    expect_refused(MeasureCores({.budget_s = seconds}), what);
    expect_refused(MeasureCores({.precision = seconds}), what);
    expect_refused(MeasureSweep({.filter = "^ADD", .budget_s = seconds}), what);
    expect_refused(MeasureFrequency({.patience_s = seconds}), what);
    expect_refused(MeasureSurvey({.patience_s = seconds}), what);
    const CodeRequest code = {.patience_s = seconds};
    expect_refused(MeasureInstructions({.texts = {AddText()}, .code = code}), what);
    expect_refused(MeasureBlock({.text = AddText(), .code = code}), what);
    expect_refused(MeasureSweep({.filter = "^ADD", .code = code}), what);
  }
  for (const int number : {0, -5, std::numeric_limits<int>::max()}) {
    const std::string what = std::to_string(number);
    expect_refused(MeasureCores({.lines = number}), what);
    expect_refused(MeasureCores({.samples = number}), what);
    expect_refused(MeasureCores({.iterations = number}), what);
    expect_refused(MeasureSweep({.filter = "^ADD", .jobs = number}), what);
  }
  expect_refused(MeasureInstructions({}), "no text");
  expect_refused(MeasureInstructions({.texts = {AddText()}, .code = {.cpu = -1}}), "CPU -1");
  expect_refused(MeasureSweep({.latency = false, .throughput = false}), "neither");
  expect_refused(MeasureSurvey({.journal = {.file = "x"}}), "a journal without a sweep");
}

// Another thread may read the environment at any time.
TEST(MeasureTest, TheEnvironmentStaysAsItIs) {
  const auto variables = [] {
    std::vector<std::string> all;
    for (char** each = environ; *each != nullptr; ++each) all.emplace_back(*each);
    return all;
  };
  const auto before = variables();
  ASSERT_TRUE(CheckMachine());
  ASSERT_TRUE(MeasureBlock({.text = AddText(), .code = kImpatient}));
  EXPECT_EQ(variables(), before);
}

}  // namespace
}  // namespace cyclescope
