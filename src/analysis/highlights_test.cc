#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/document_claims.h"
#include "document/testing/simulated_surveys.h"

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

// What would be news, by a little: findings that are none of the machine's, a share that chance
// explains, latencies that the model has within 2 %.
TEST(Highlights, AMachineWithoutNewsHasNone) {
  Document document = testing::SurveyDocument();
  document.clock.self_check = SelfCheck{.trusted = true};
  for (CoreMatrix& matrix : document.cores) {
    std::erase_if(matrix.findings, [](const CoreFinding& finding) {
      return finding.kind != FindingKind::kAsymmetry && finding.kind != FindingKind::kOutlier;
    });
    matrix.findings.push_back({.kind = FindingKind::kOutlier, .cpus = {0, 1}, .nanoseconds = 90});
  }
  for (Contention& contention : document.contention) {
    contention.share = 0.05;
    contention.probes = 60;  // the interval begins at 1.7 %
  }
  for (MemoryRow& row : document.memory) row.findings.clear();
  for (InstructionRow& row : document.instructions) {
    for (Latency& latency : row.latency) latency.model = 1.019 * latency.cycles.value;
    if (row.model) row.model->latency = std::nullopt;
  }
  const auto codes = [&document] {
    std::vector<ClaimCode> found;
    for (const Claim& claim : Highlights(document)) found.push_back(claim.code);
    return found;
  };
  EXPECT_THAT(codes(), ElementsAre(ClaimCode::kCoreStructure));
  document.contention.front().probes = 100;  // it begins at 2.2 %
  EXPECT_THAT(codes(), ElementsAre(ClaimCode::kCoreInUse));
  document.contention.clear();
  document.clock.self_check->trusted = false;
  EXPECT_THAT(codes(), ElementsAre(ClaimCode::kCyclesNotTrusted));
}

// Three CPUs have a structure, two have none; nor has one whose CPUs move.
TEST(Highlights, AStructureTakesThreeCpusThatStay) {
  Document document;
  document.cores.resize(1);
  document.cores[0].cpus = {0, 1};
  EXPECT_THAT(Highlights(document), IsEmpty());
  document.cores[0].cpus = {0, 1, 2};
  EXPECT_THAT(Highlights(document), SizeIs(1));
  document.cores[0].stability = Stability::kFloating;
  EXPECT_THAT(Highlights(document), IsEmpty());
}

TEST(Highlights, AreFew) { EXPECT_THAT(HighlightTexts(testing::HostileDocument()), SizeIs(3)); }

}  // namespace
}  // namespace cyclescope
