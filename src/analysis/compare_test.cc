#include "analysis/compare.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "document/csv_matrix_reader.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using testing::BareDocument;
using ::testing::Contains;
using testing::FullDocument;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SimulatedEstimate;

Document WithThroughput(const std::string& text, const Estimate& cycles) {
  Document document = BareDocument();
  InstructionRow& row = document.instructions.emplace_back();
  row.text = text;
  row.throughput = Throughput{.cycles = cycles, .values = "", .code = ""};
  return document;
}

Document WithFrequency(double ghz) {
  Document document = BareDocument();
  FrequencyRow& row = document.frequency.emplace_back();
  row.core_ghz = SimulatedEstimate(ghz, 0.001);
  return document;
}

Document WithWindow(double entries) {
  Document document = BareDocument();
  document.anatomy = Anatomy{};
  document.anatomy->rows.push_back({.part = AnatomyPart::kWindows,
                                    .name = "reorder buffer",
                                    .filler = "nop",
                                    .unit = "entries",
                                    .value = AnatomyValue{entries, entries - 1, entries + 1}});
  return document;
}

// The change of the only value that two documents hold.
Change OnlyChange(const Document& first, const Document& other, CompareOptions options = {}) {
  const std::vector<Document> documents = {first, other};
  const Comparison comparison = Compare(documents, options);
  EXPECT_EQ(comparison.kinds.size(), 1U);
  EXPECT_EQ(comparison.kinds.at(0).values.size(), 1U);
  return comparison.kinds.at(0).values.at(0).changes.at(0);
}

TEST(Compare, FewerEntriesOfAWindowAreLessAndNoRegression) {
  const Change change = OnlyChange(WithWindow(512), WithWindow(240));
  EXPECT_EQ(change.verdict, Verdict::kChanged);
  EXPECT_TRUE(change.worse);
  const std::vector<Document> documents = {WithWindow(512), WithWindow(240)};
  EXPECT_FALSE(Compare(documents, {}).HasRegression());
}

TEST(Compare, AWindowOfASharedCoreIsNotCompared) {
  Document shared = WithWindow(240);
  shared.anatomy->rows.front().contended = true;
  EXPECT_EQ(OnlyChange(WithWindow(512), shared).verdict, Verdict::kCannotTell);
}

TEST(Compare, AWindowThatMayBeSplitIsComparedOnlyWhereBothSizesWereSeen) {
  Document one = WithWindow(58);
  Document other = WithWindow(112);
  one.host.architecture = other.host.architecture = "x86_64";
  other.anatomy->rows.front().shared = AnatomyValue{56, 55, 57};
  EXPECT_EQ(OnlyChange(one, other).verdict, Verdict::kCannotTell);
  one.anatomy->rows.front().shared = AnatomyValue{29, 28, 30};
  EXPECT_EQ(OnlyChange(one, other).verdict, Verdict::kChanged);
}

TEST(Compare, ChangedWhenTheIntervalsAreApart) {
  const Change change = OnlyChange(WithThroughput("add", SimulatedEstimate(1, 0.01)),
                                   WithThroughput("add", SimulatedEstimate(1.25, 0.01)));
  EXPECT_EQ(change.verdict, Verdict::kChanged);
  EXPECT_TRUE(change.worse);
  EXPECT_DOUBLE_EQ(change.relative, 0.25);
  // Both half-widths, as the sides of a right angle.
  EXPECT_NEAR(change.low, 0.25 - 0.01 * std::sqrt(2), 1e-12);
  EXPECT_NEAR(change.high, 0.25 + 0.01 * std::sqrt(2), 1e-12);
}

TEST(Compare, UsesTheSidesThatFaceEachOther) {
  // Far reaching, but away from the other value.
  const Estimate first{.value = 1, .low = 0.2, .high = 1.01, .kept = 9};
  const Estimate other{.value = 1.25, .low = 1.24, .high = 9, .kept = 9};
  EXPECT_EQ(OnlyChange(WithThroughput("add", first), WithThroughput("add", other)).verdict,
            Verdict::kChanged);
  EXPECT_EQ(OnlyChange(WithThroughput("add", other), WithThroughput("add", first)).verdict,
            Verdict::kChanged);
}

TEST(Compare, SameWhenAChangeOfTheThresholdIsExcluded) {
  EXPECT_EQ(OnlyChange(WithThroughput("add", SimulatedEstimate(1, 0.005)),
                       WithThroughput("add", SimulatedEstimate(1.003, 0.005)))
                .verdict,
            Verdict::kSame);
  // Significant, but smaller than what is of interest.
  EXPECT_EQ(OnlyChange(WithThroughput("add", SimulatedEstimate(1, 1e-6)),
                       WithThroughput("add", SimulatedEstimate(1.01, 1e-6)))
                .verdict,
            Verdict::kSame);
}

TEST(Compare, CannotTellWhenTheIntervalsAreWide) {
  EXPECT_EQ(OnlyChange(WithThroughput("add", SimulatedEstimate(1, 0.3)),
                       WithThroughput("add", SimulatedEstimate(1.25, 0.3)))
                .verdict,
            Verdict::kCannotTell);
  EXPECT_EQ(OnlyChange(WithThroughput("add", SimulatedEstimate(1, 0.3)),
                       WithThroughput("add", SimulatedEstimate(1, 0.31)))
                .verdict,
            Verdict::kCannotTell);
}

TEST(Compare, AResultIsTheSameAsItself) {
  Document document = testing::FullDocument();
  for (InstructionRow& row : document.instructions) {
    if (row.throughput) row.throughput->cycles.contended = true;
  }
  for (FrequencyRow& row : document.frequency) row.status = Status::kDisturbed;
  const std::vector<Document> documents = {document, document};
  const Comparison comparison = Compare(documents, {});
  std::size_t compared = 0;
  for (const ComparedKind& kind : comparison.kinds) {
    compared += kind.values.size();
    EXPECT_EQ(kind.counts.at(0).same, kind.values.size()) << ToString(kind.kind);
  }
  EXPECT_GT(compared, document.instructions.size());
}

TEST(Compare, CannotTellFromWhatWasDisturbed) {
  Estimate disturbed = SimulatedEstimate(2, 0.001);
  disturbed.disturbed = true;
  EXPECT_EQ(OnlyChange(WithThroughput("add", SimulatedEstimate(1, 0.001)),
                       WithThroughput("add", disturbed))
                .verdict,
            Verdict::kCannotTell);
}

// Each interval alone has a chance of one in twenty: where they touch, nothing is said.
TEST(Compare, IntervalsThatOverlapAreNoChange) {
  EXPECT_EQ(OnlyChange(WithThroughput("add", SimulatedEstimate(1, 0.055)),
                       WithThroughput("add", SimulatedEstimate(1.1, 0.055)))
                .verdict,
            Verdict::kCannotTell);
  EXPECT_EQ(OnlyChange(WithThroughput("add", SimulatedEstimate(1, 0.045)),
                       WithThroughput("add", SimulatedEstimate(1.1, 0.045)))
                .verdict,
            Verdict::kChanged);
}

TEST(Compare, CannotTellFromContendedValues) {
  Estimate contended = SimulatedEstimate(0.33, 0.001);
  contended.contended = true;
  const Document quiet = WithThroughput("add", SimulatedEstimate(0.2, 0.001));
  const Document shared = WithThroughput("add", contended);
  EXPECT_EQ(OnlyChange(quiet, shared).verdict, Verdict::kCannotTell);
  EXPECT_EQ(OnlyChange(shared, quiet).verdict, Verdict::kCannotTell);

  Document slow = WithFrequency(2);
  slow.frequency[0].core_ghz.contended = true;
  EXPECT_EQ(OnlyChange(WithFrequency(3), slow).verdict, Verdict::kCannotTell);
}

TEST(Compare, CannotTellFromAThroughputThatIsABound) {
  Document bound = WithThroughput("fadd", SimulatedEstimate(3, 0.001));
  bound.instructions[0].throughput->upper_bound = true;
  EXPECT_EQ(OnlyChange(WithThroughput("fadd", SimulatedEstimate(1, 0.001)), bound).verdict,
            Verdict::kCannotTell);
}

// The values in the middle of their intervals tell nothing, nor does their difference.
TEST(Compare, OfBoundsNoChangeIsGiven) {
  Document first = WithThroughput("fadd", SimulatedEstimate(3, 0.001));
  first.instructions[0].throughput->upper_bound = true;
  Document other = WithThroughput("fadd", SimulatedEstimate(1, 0.001));
  EXPECT_TRUE(std::isnan(OnlyChange(first, other).relative));
  EXPECT_EQ(OnlyChange(first, other).reason, "A is an upper bound");
  other.instructions[0].throughput->upper_bound = true;
  EXPECT_TRUE(std::isnan(OnlyChange(first, other).relative));
  EXPECT_EQ(OnlyChange(first, other).reason, "A is an upper bound, B too");
  EXPECT_EQ(OnlyChange(first, first).verdict, Verdict::kSame);
}

TEST(Compare, AClockThatMovesInStepsDidNotChange) {
  Document first = WithFrequency(3.6);
  first.frequency[0].steps = {{.ghz = 3.6, .share = 0.7}, {.ghz = 3.9, .share = 0.3}};
  EXPECT_NE(OnlyChange(first, WithFrequency(3.8)).verdict, Verdict::kChanged);
  EXPECT_EQ(OnlyChange(first, WithFrequency(4.2)).verdict, Verdict::kChanged);
}

// What a machine with neighbours gives: most values are quiet and precise, some are contended and
// say so.
TEST(Compare, TwoRunsOfTheSameProgramDoNotDiffer) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise;
  for (int seed = 0; seed < 20; ++seed) {
    std::vector<Document> documents = {BareDocument(), BareDocument()};
    for (Document& document : documents) {
      for (int i = 0; i < 500; ++i) {
        const double deviation = 0.02 * std::exp(noise(random));
        Estimate estimate = SimulatedEstimate(1 + deviation * noise(random), 2.2 * deviation);
        estimate.contended = random() % 5 == 0;
        if (estimate.contended) {
          for (double* end : {&estimate.value, &estimate.low, &estimate.high}) *end *= 1.4;
        }
        document.instructions.push_back(
            WithThroughput(fmt::format("i{}", i), estimate).instructions[0]);
      }
    }
    EXPECT_EQ(Compare(documents, {}).kinds.at(0).counts[0].changed, 0U) << seed;
  }
}

TEST(Compare, ThresholdIsAnOption) {
  const Document first = WithThroughput("add", SimulatedEstimate(1, 0.001));
  const Document other = WithThroughput("add", SimulatedEstimate(1.05, 0.001));
  EXPECT_EQ(OnlyChange(first, other).verdict, Verdict::kChanged);
  EXPECT_EQ(OnlyChange(first, other, {.threshold = 0.1}).verdict, Verdict::kSame);
  EXPECT_EQ(OnlyChange(first, other, {.threshold = 0}).verdict, Verdict::kChanged);
}

TEST(Compare, LowerFrequencyIsWorseAndHigherIsNot) {
  EXPECT_TRUE(OnlyChange(WithFrequency(3), WithFrequency(2)).worse);
  EXPECT_FALSE(OnlyChange(WithFrequency(2), WithFrequency(3)).worse);
  const std::vector<Document> faster = {WithFrequency(2), WithFrequency(3)};
  EXPECT_FALSE(Compare(faster, {}).HasRegression());
  // It is the machine's state, so it is shown but fails nothing.
  const std::vector<Document> slower = {WithFrequency(3), WithFrequency(2)};
  EXPECT_FALSE(Compare(slower, {}).HasRegression());
  const std::vector<Document> longer = {WithThroughput("add", SimulatedEstimate(1, 0.001)),
                                        WithThroughput("add", SimulatedEstimate(2, 0.001))};
  EXPECT_TRUE(Compare(longer, {}).HasRegression());
}

TEST(Compare, SaysWhyItCannotTell) {
  const auto reason = [](const Estimate& first, const Estimate& other) {
    return OnlyChange(WithThroughput("add", first), WithThroughput("add", other)).reason;
  };
  Estimate disturbed = SimulatedEstimate(2, 0.1);
  disturbed.disturbed = true;
  Estimate contended = SimulatedEstimate(2, 0.1);
  contended.contended = true;
  EXPECT_EQ(reason(SimulatedEstimate(4, 0.1), disturbed), "B was disturbed");
  Estimate two_modes = SimulatedEstimate(2, 0.1);
  two_modes.two_modes = true;
  EXPECT_EQ(reason(SimulatedEstimate(4, 0.1), two_modes), "B has two modes");
  EXPECT_EQ(reason(contended, SimulatedEstimate(4, 0.1)), "A was measured on a shared core");
  EXPECT_EQ(reason(SimulatedEstimate(1, 0.3), SimulatedEstimate(1.25, 0.3)),
            "the intervals overlap");
  EXPECT_EQ(reason(SimulatedEstimate(1, 0.005), SimulatedEstimate(1.015, 0.005)),
            "the change may be above or below the threshold");
  EXPECT_EQ(reason(SimulatedEstimate(1, 0.001), SimulatedEstimate(2, 0.001)), "");
}

// What took half as long by a clock that contradicts itself may take the same. Counters, and a
// check that passed, leave no doubt.
TEST(Compare, CyclesOfAClockThatFailedDoNotChange) {
  const auto with_clock = [](double cycles, std::string source, bool trusted) {
    Document document = WithThroughput("add", SimulatedEstimate(cycles, 0.001));
    document.clock.cycle_source = std::move(source);
    document.clock.self_check = SelfCheck{.trusted = trusted};
    return document;
  };
  const Document good = with_clock(2, "reference", true);
  const Change doubted = OnlyChange(good, with_clock(1, "reference", false));
  EXPECT_EQ(doubted.verdict, Verdict::kCannotTell);
  EXPECT_EQ(doubted.reason, "B has cycles that cannot be trusted");
  EXPECT_EQ(OnlyChange(good, with_clock(1, "reference", true)).verdict, Verdict::kChanged);
  EXPECT_EQ(OnlyChange(good, with_clock(1, "counter", false)).verdict, Verdict::kChanged);
}

// A level may also be marked because there was time for too few visits.
TEST(Compare, ALevelThatIsNotClearIsNobodysFault) {
  const auto with_level = [](double ns, bool contended) {
    Document document = BareDocument();
    document.memory.emplace_back().levels = {
        {.name = "memory", .nanoseconds = {ns, ns - 1, ns + 1}, .contended = contended}};
    return document;
  };
  EXPECT_EQ(OnlyChange(with_level(80, true), with_level(130, false)).reason, "A is not clear");
}

// Two surveys of one Emerald Rapids within a minute.
TEST(Compare, ACacheOfTheCoreIsNoSlowerWhereTheClockIs) {
  const auto with_cache = [](double cycles, double ns) {
    Document document = BareDocument();
    document.memory.emplace_back().levels = {{.name = "L1",
                                              .cycles = {cycles, cycles - 0.02, cycles + 0.02},
                                              .nanoseconds = {ns, ns - 0.005, ns + 0.005}}};
    return document;
  };
  const auto regressed = [](const Document& first, const Document& other) {
    return Compare(std::vector{first, other}, {}).HasRegression();
  };
  EXPECT_FALSE(regressed(with_cache(5.007, 1.376), with_cache(5.008, 1.512)));
  EXPECT_TRUE(regressed(with_cache(5.007, 1.376), with_cache(6.01, 1.512)));
  EXPECT_TRUE(regressed(with_cache(0, 1.376), with_cache(0, 1.6))) << "no cycles are known";
}

TEST(Compare, WhereAHostMovesVirtualCpusTheirDistanceTellsNothing) {
  const auto with_cores = [](double ns, const std::string& hypervisor) {
    Document document = BareDocument();
    document.host.hypervisor = hypervisor;
    CoreMatrix& cores = document.cores.emplace_back();
    cores.test = "cas";
    cores.cpus = {0, 1};
    for (PairMatrix* matrix : {&cores.nanoseconds, &cores.low, &cores.high}) {
      *matrix = PairMatrix(2);
      matrix->At(0, 1) = matrix->At(1, 0) = ns;
    }
    return document;
  };
  const auto regressed = [&](const std::string& hypervisor) {
    const std::vector<Document> documents = {with_cores(18, hypervisor),
                                             with_cores(70, hypervisor)};
    return Compare(documents, {}).HasRegression();
  };
  EXPECT_FALSE(regressed("kvm"));
  EXPECT_TRUE(regressed(""));
}

TEST(Compare, OneRunMayShowAStateMoreOftenThanAnother) {
  Estimate fast = SimulatedEstimate(7.04, 0.03);
  fast.two_modes = true;
  fast.visits = 8;
  fast.states = {{.value = 7.04, .share = 0.6}, {.value = 11.3, .share = 0.4}};
  const auto verdict = [&](const Estimate& first, const Estimate& other) {
    return OnlyChange(WithThroughput("add", first), WithThroughput("add", other)).verdict;
  };
  EXPECT_EQ(verdict(fast, SimulatedEstimate(11.3, 0.1)), Verdict::kSame);
  EXPECT_EQ(verdict(SimulatedEstimate(11.3, 0.1), fast), Verdict::kSame);
  // Not among the states, but between them; and beyond both.
  EXPECT_EQ(verdict(fast, SimulatedEstimate(9, 0.05)), Verdict::kCannotTell);
  EXPECT_EQ(
      OnlyChange(WithThroughput("add", fast), WithThroughput("add", SimulatedEstimate(9, 0.05)))
          .reason,
      "A has several states");
  EXPECT_EQ(verdict(fast, SimulatedEstimate(90, 0.5)), Verdict::kChanged);
  EXPECT_EQ(verdict(SimulatedEstimate(7.04, 0.03), SimulatedEstimate(11.3, 0.1)),
            Verdict::kChanged);
}

TEST(Compare, OneOfManyMayDifferByChance) {
  std::vector<Document> documents = {BareDocument(), BareDocument()};
  for (int i = 0; i < 1000; ++i) {
    for (std::size_t which = 0; which < 2; ++which) {
      InstructionRow& row = documents[which].instructions.emplace_back();
      row.text = fmt::format("add {}", i);
      const double value = which == 1 && i == 7 ? 1.21 : 1;
      row.throughput =
          Throughput{.cycles = SimulatedEstimate(value, 0.1), .values = "", .code = ""};
    }
  }
  const Comparison comparison = Compare(documents, {});
  const std::vector<ComparedValue>& values = comparison.kinds.at(0).values;
  const auto value = std::ranges::find(values, "add 7", &ComparedValue::name);
  ASSERT_NE(value, values.end());
  EXPECT_EQ(value->changes[0].verdict, Verdict::kCannotTell);
  EXPECT_EQ(value->changes[0].reason,
            "of 1000 values judged at once, one may differ as much by chance");
}

TEST(Compare, TheMedianOfTwoChangesLiesBetweenThem) {
  std::vector<Document> documents = {WithThroughput("add", SimulatedEstimate(1, 0.001)),
                                     WithThroughput("add", SimulatedEstimate(1.1, 0.001))};
  documents[0].instructions.push_back(
      WithThroughput("sub", SimulatedEstimate(1, 0.1)).instructions[0]);
  documents[1].instructions.push_back(
      WithThroughput("sub", SimulatedEstimate(1.3, 0.1)).instructions[0]);
  EXPECT_NEAR(Compare(documents, {}).kinds.at(0).counts.at(0).median_relative, 0.2, 1e-12);
}

TEST(Compare, OnlyInOne) {
  const std::vector<Document> documents = {WithThroughput("add", SimulatedEstimate(1, 0.01)),
                                           WithThroughput("sub", SimulatedEstimate(1, 0.01)),
                                           WithThroughput("add", SimulatedEstimate(1, 0.001))};
  const Comparison comparison = Compare(documents, {});
  const std::vector<ComparedValue>& values = comparison.kinds.at(0).values;
  ASSERT_EQ(values.size(), 2U);
  EXPECT_EQ(values[0].name, "add");
  EXPECT_EQ(values[0].changes[0].verdict, Verdict::kOnlyInFirst);
  EXPECT_EQ(values[0].changes[1].verdict, Verdict::kSame);
  EXPECT_EQ(values[1].changes[0].verdict, Verdict::kOnlyInOther);
  EXPECT_EQ(values[1].changes[1].verdict, Verdict::kInNeither);
  EXPECT_EQ(comparison.kinds[0].counts[0].only_in_first, 1U);
  EXPECT_FALSE(comparison.HasRegression());
}

TEST(Compare, LargestChangeFirst) {
  std::vector<Document> documents = {BareDocument(), BareDocument()};
  const auto add = [&](const std::string& text, double before, double after, double half_width) {
    documents[0].instructions.push_back(
        WithThroughput(text, SimulatedEstimate(before, half_width)).instructions[0]);
    documents[1].instructions.push_back(
        WithThroughput(text, SimulatedEstimate(after, half_width)).instructions[0]);
  };
  add("same", 1, 1, 0.001);
  add("small", 1, 1.1, 0.001);
  add("unknown", 1, 5, 9);
  add("large", 10, 5, 0.001);
  documents[1].instructions.push_back(
      WithThroughput("new", SimulatedEstimate(1, 0.1)).instructions[0]);
  const Comparison comparison = Compare(documents, {});
  std::vector<std::string> names;
  for (const ComparedValue& value : comparison.kinds.at(0).values) names.push_back(value.name);
  EXPECT_THAT(names, ::testing::ElementsAre("large", "small", "new", "unknown", "same"));
}

TEST(Compare, EveryKindAndNothingChangedAgainstItself) {
  const std::vector<Document> documents = {FullDocument(), FullDocument()};
  const Comparison comparison = Compare(documents, {});
  ASSERT_EQ(comparison.kinds.size(), kValueKinds.size());
  for (const ComparedKind& kind : comparison.kinds) {
    EXPECT_EQ(kind.counts[0].changed, 0U) << ToString(kind.kind);
    EXPECT_EQ(kind.counts[0].only_in_first, 0U) << ToString(kind.kind);
  }
  const ComparedKind& latency = comparison.kinds[2];
  ASSERT_EQ(latency.values.size(), 2U);
  // Disturbed or a bound only: equal is equal.
  for (const ComparedValue& value : latency.values)
    EXPECT_EQ(value.changes[0].verdict, Verdict::kSame) << value.name;
}

// A thousand values that did not change, each with an honest 95 % interval: without care for their
// number, fifty would be called changed.
TEST(Compare, ManyValuesDoNotMakeAChange) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise;
  constexpr double kDeviation = 0.05;
  std::vector<Document> documents = {BareDocument(), BareDocument()};
  for (Document& document : documents) {
    for (int i = 0; i < 1000; ++i) {
      document.instructions.push_back(
          WithThroughput(fmt::format("i{}", i),
                         SimulatedEstimate(1 + kDeviation * noise(random), 1.96 * kDeviation))
              .instructions[0]);
    }
  }
  EXPECT_EQ(Compare(documents, {}).kinds.at(0).counts[0].changed, 0U);
}

TEST(Compare, FormsThatPrintAlikeAreHeldAgainstEachOtherInOrder) {
  Document document = WithThroughput("mov", SimulatedEstimate(1, 0.001));
  document.instructions.push_back(
      WithThroughput("mov", SimulatedEstimate(2, 0.001)).instructions[0]);
  const std::vector<Document> documents = {document, document};
  const Comparison comparison = Compare(documents, {});
  EXPECT_EQ(comparison.kinds.at(0).values.size(), 2U);
  EXPECT_EQ(comparison.kinds[0].counts[0].same, 2U);
}

TEST(Compare, SaysWhatMakesDocumentsUnequal) {
  std::vector<Document> documents = {BareDocument(), BareDocument()};
  EXPECT_THAT(Compare(documents, {}).notices, IsEmpty());
  documents[1].host.cpu_model = "EPYC";
  documents[1].clock.cycle_source = "counter";
  documents[1].tool.version = "9";
  documents[1].schema = "cyclescope/2";
  documents[1].partial = true;
  const std::vector<std::string> notices = Compare(documents, {}).notices;
  EXPECT_THAT(notices, Contains(HasSubstr("different CPUs: A Neoverse-V1, B EPYC")));
  EXPECT_THAT(notices, Contains(HasSubstr("different cycle sources: A reference, B counter")));
  EXPECT_THAT(notices, Contains(HasSubstr("different versions of cyclescope: A 0.1.0, B 9")));
  EXPECT_THAT(notices, Contains(HasSubstr("different schema versions")));
  EXPECT_THAT(notices, Contains("B is not complete"));
}

TEST(Compare, SharedWarningsAreSaidOnce) {
  std::vector<Document> documents = {BareDocument(), BareDocument()};
  for (Document& document : documents) {
    document.warnings = {{.code = "load", .message = "the machine was busy", .hint = ""}};
  }
  EXPECT_THAT(Compare(documents, {}).notices, ::testing::ElementsAre("A, B: the machine was busy"));
}

TEST(Compare, BareMatrixHasNoIntervalToJudgeFrom) {
  const Result<Document> first = ParseCsvMatrix(",\n44,\n", "a.csv");
  const Result<Document> other = ParseCsvMatrix(",\n88,\n", "b.csv");
  const std::vector<Document> documents = {*first, *other};
  const Comparison comparison = Compare(documents, {});
  const ComparedKind& cores = comparison.kinds.at(0);
  EXPECT_EQ(cores.values.at(0).name, "cas 0 to 1");
  EXPECT_EQ(cores.values[0].changes[0].verdict, Verdict::kCannotTell);
  EXPECT_EQ(cores.values[0].changes[0].relative, 1);
  EXPECT_EQ(cores.counts[0].median_relative, 1);
  EXPECT_THAT(comparison.notices, Contains(HasSubstr("bare matrix")));
}

TEST(Compare, ZeroAsFirstValueIsNoCrash) {
  const Change change = OnlyChange(WithThroughput("nop", SimulatedEstimate(0, 0)),
                                   WithThroughput("nop", SimulatedEstimate(0, 0)));
  EXPECT_EQ(change.verdict, Verdict::kSame);
}

}  // namespace
}  // namespace cyclescope
