#include "analysis/core_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "report/cores_text.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;

CoreMatrix Cpus(int count) {
  CoreMatrix matrix;
  matrix.cpus.resize(static_cast<std::size_t>(count));
  std::iota(matrix.cpus.begin(), matrix.cpus.end(), 0);
  return matrix;
}

// Groups of `size` CPUs from CPU `first` on; threads of a core have neighbouring numbers.
void AddGroups(CoreMatrix& matrix, int level, double ns, int size, int first, int end) {
  for (; first < end; first += size) {
    CoreGroup& group = matrix.groups.emplace_back();
    group.name = "group A";
    group.level = level;
    group.nanoseconds = ns;
    for (int cpu = first; cpu < first + size; ++cpu) group.cpus.push_back(cpu);
  }
}

TEST(StructureText, AsAPersonWouldSay) {
  CoreMatrix server = Cpus(128);
  AddGroups(server, 0, 10, 2, 0, 128);
  AddGroups(server, 1, 25, 16, 0, 128);
  EXPECT_EQ(StructureText(server), "64 cores with 2 threads in 8 groups of 8");
  AddGroups(server, 2, 100, 64, 0, 128);
  EXPECT_EQ(StructureText(server), "64 cores with 2 threads in 8 groups of 8 in 2 groups of 32");

  CoreMatrix hybrid = Cpus(32);
  AddGroups(hybrid, 0, 9, 2, 0, 16);
  AddGroups(hybrid, 1, 135, 4, 16, 32);
  EXPECT_EQ(StructureText(hybrid), "8 cores with 2 threads and 16 with one in 4 groups of 4");

  CoreMatrix desktop = Cpus(16);
  AddGroups(desktop, 0, 6, 2, 0, 16);
  EXPECT_EQ(StructureText(desktop), "8 cores with 2 threads");

  CoreMatrix dies = Cpus(64);
  AddGroups(dies, 0, 36, 32, 0, 64);
  EXPECT_EQ(StructureText(dies), "64 CPUs in 2 groups of 32");

  // A group of one core says nothing that the core does not.
  CoreMatrix alone = Cpus(4);
  AddGroups(alone, 0, 9, 2, 0, 4);
  AddGroups(alone, 1, 30, 2, 0, 2);
  EXPECT_EQ(StructureText(alone), "2 cores with 2 threads");
  CoreMatrix one = Cpus(3);
  AddGroups(one, 0, 60, 1, 0, 1);
  EXPECT_EQ(StructureText(one), "3 CPUs, about equally far from each other: no groups");

  EXPECT_EQ(StructureText(Cpus(64)), "64 CPUs, about equally far from each other: no groups");
  EXPECT_EQ(StructureText(Cpus(2)), "");
  CoreMatrix floating = Cpus(16);
  floating.stability = Stability::kFloating;
  EXPECT_EQ(StructureText(floating), "");
}

TEST(FindingText, OfEveryKind) {
  const CoreMatrix matrix = Cpus(16);
  CoreFinding finding;
  finding.cpus = {0, 12};
  finding.nanoseconds = 7.2;
  finding.speed = 0.53;
  finding.kind = FindingKind::kSplitCore;
  EXPECT_THAT(FindingText(matrix, finding), HasSubstr("CPUs 0 and 12 do not share a core"));
  finding.kind = FindingKind::kSharedCore;
  finding.least_ns = 75;
  finding.most_ns = 130;
  EXPECT_EQ(
      FindingText(matrix, finding),
      "CPUs 0 and 12 share a core, which the system does not say: 7 ns between them, 75 to 130 "
      "ns to the others; a loop that needs a whole core runs at 53 % of its speed on CPU 0 "
      "while CPU 12 runs it too");
  finding.kind = FindingKind::kHiddenCluster;
  EXPECT_THAT(
      FindingText(matrix, finding),
      HasSubstr("CPUs 0,12 are closer to each other than to the others (7 ns, and 75 to 130 ns)"));
  finding.kind = FindingKind::kAsymmetry;
  finding.compared_ns = 5;
  finding.more = 3;
  EXPECT_EQ(FindingText(matrix, finding),
            "CPU 0 to 12 takes 7.2 ns, but 12 to 0 takes 5.0 ns (and 3 more pairs like it)");
  finding.kind = FindingKind::kOutlier;
  EXPECT_THAT(FindingText(matrix, finding), HasSubstr("where pairs like it take 5.0 ns"));
  finding.kind = FindingKind::kDrift;
  finding.ratio = 1.12;
  EXPECT_THAT(FindingText(matrix, finding), HasSubstr("up to 12 % longer"));
  finding.kind = FindingKind::kParallelBias;
  finding.pairs = 24;
  EXPECT_THAT(FindingText(matrix, finding), HasSubstr("take +12.0 % compared with 24"));
}

TEST(FindingText, OneSentenceForAMachineThatFloats) {
  CoreMatrix matrix = Cpus(16);
  matrix.floating = CoreFloating{.residence_ms = 120,
                                 .levels = {{.nanoseconds = 8.1, .share = 0.03},
                                            {.nanoseconds = 63, .share = 0.37},
                                            {.nanoseconds = 102, .share = 0.6}},
                                 .visits = {}};
  CoreFinding finding;
  finding.kind = FindingKind::kFloating;
  finding.cpus = matrix.cpus;
  finding.share = 0.03;
  finding.pairs = 80;
  EXPECT_EQ(
      FindingText(matrix, finding),
      "virtual CPUs move between cores: the same pair was on one core in 3 % of visits, at 8 ns "
      "in 3 %, at 63 ns in 37 % and at 102 ns in 60 % of all visits; it stays for 120 ms on "
      "average; placement by CPU number means nothing on this machine");
}

TEST(FindingText, OlderDocumentsKeepTheirWords) {
  CoreFinding finding;
  finding.kind = FindingKind::kDrift;
  finding.text = "the machine changed";
  EXPECT_EQ(FindingText(Cpus(2), finding), "the machine changed");
}

TEST(Findings, TakeAtMostEightLines) {
  Document document;
  CoreMatrix& matrix = document.cores.emplace_back(Cpus(4));
  matrix.test = "cas";
  matrix.nanoseconds = PairMatrix(4);
  matrix.nanoseconds.At(0, 1) = 40;
  for (int i = 0; i < 20; ++i) {
    CoreFinding& finding = matrix.findings.emplace_back();
    finding.cpus = {0, 1};
    finding.nanoseconds = 60;
    finding.compared_ns = 40;
  }
  const std::string text = CoresText(document, {}, {.width = 80}).value();
  EXPECT_THAT(text, HasSubstr("and 13 more findings; --json lists all\n"));
  const std::string findings = text.substr(text.find("! "));
  EXPECT_EQ(std::ranges::count(findings, '\n'), 8);
  matrix.findings.resize(8);
  EXPECT_THAT(CoresText(document, {}, {.width = 80}).value(),
              ::testing::Not(HasSubstr("more find")));
}

}  // namespace
}  // namespace cyclescope
