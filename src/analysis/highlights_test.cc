#include "analysis/highlights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/made_surveys.h"

namespace cyclescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(Highlights, TellOneOfEachKind) {
  EXPECT_THAT(HighlightTexts(testing::SurveyDocument()),
              ElementsAre("CPUs 0 and 12 share a core, which the system does not say",
                          "Something else used the core of CPU 1 for 46 % of the time",
                          StartsWith("LLVM's model of neoverse-v1 is off for ")));
}

TEST(Highlights, AFailedSelfCheckIsFirst) {
  Document document = testing::SurveyDocument();
  document.clock.self_check = SelfCheck{.trusted = false, .verdict = "", .chains = {}};
  EXPECT_THAT(HighlightTexts(document),
              ElementsAre(StartsWith("The self-check failed"), StartsWith("CPUs 0 and 12"),
                          StartsWith("Something else")));
}

TEST(Highlights, CountPairsThatAreAlike) {
  Document document;
  document.cores.resize(1);
  for (const int cpu : {3, 4, 5}) {
    CoreFinding finding;
    finding.kind = FindingKind::kSharedCore;
    finding.cpus = {cpu, cpu + 10};
    document.cores[0].findings.push_back(finding);
  }
  EXPECT_THAT(
      HighlightTexts(document),
      ElementsAre("CPUs 3 and 13 (and 2 more pairs) share a core, which the system does not "
                  "say"));
}

TEST(Highlights, TheModelIsNamedByAFormThatPeopleKnow) {
  Document document;
  const auto add = [&document](const char* text, const char* known_as, double measured,
                               double model) {
    InstructionRow row;
    row.text = text;
    row.known_as = known_as;
    Latency pair;
    pair.from = "a";
    pair.to = "b";
    pair.cycles.value = pair.cycles.low = pair.cycles.high = measured;
    pair.model = model;
    row.latency = {pair};
    row.model = ModelFigures{.cpu = "made", .latency = model, .throughput = 1};
    document.instructions.push_back(row);
  };
  add("far off", "", 20, 2);
  add("mulsd xmm0, xmm1", "FP multiply", 3.01, 4);
  add("add rax, rbx", "add", 1, 1);
  EXPECT_THAT(
      HighlightTexts(document),
      ElementsAre("LLVM's model of made is off for 2 of 3 latencies: FP multiply takes 3, not 4"));
}

TEST(Highlights, NothingIsSaidOfNothing) { EXPECT_THAT(HighlightTexts(Document{}), IsEmpty()); }

TEST(Highlights, AMachineWithoutNewsHasNone) {
  Document document = testing::SurveyDocument();
  document.clock.self_check = SelfCheck{.trusted = true};
  for (CoreMatrix& matrix : document.cores) matrix.findings.clear();
  for (Contention& contention : document.contention) contention.share = 0.02;
  for (MemoryRow& row : document.memory) row.findings.clear();
  for (InstructionRow& row : document.instructions) {
    for (Latency& latency : row.latency) latency.model = latency.cycles.value;
    if (row.model) row.model->latency = std::nullopt;
  }
  std::vector<ClaimCode> codes;
  for (const Claim& claim : Highlights(document)) codes.push_back(claim.code);
  EXPECT_THAT(codes, ElementsAre(ClaimCode::kCoreStructure));
}

TEST(Highlights, AreFew) { EXPECT_THAT(HighlightTexts(testing::HostileDocument()), SizeIs(3)); }

}  // namespace
}  // namespace cyclescope
