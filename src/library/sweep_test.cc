// MeasureSweep with its journal, on a few forms of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cyclescope/measure.h"
#include "library/sweep_run.h"
#include "os/cpus.h"

namespace cyclescope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// These are about rows and journals: a neighbour on the core is not waited for.
const CodeRequest kImpatientCode = {.patience_s = 0.02};

// One opcode on either architecture, and a few.
constexpr char kOne[] = "^(ADDXrs|ADD64rr)$";
constexpr char kAddForms[] = "^(ADDXr|ADDWr|ADD64r|ADD32r)";
// More than are measured at once.
constexpr char kArithmeticForms[] = "^(ADD|SUB|AND)";

// Bulk: each test lists all opcodes, which takes an emulator a quarter of a minute.
class SweepBulk : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) / ("cyclescope_sweep_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

// The last line that a journal has of each opcode: a row that became better is written again.
std::map<std::string, std::string> RowsIn(const std::string& path) {
  constexpr std::string_view kKey = R"("opcode":")";
  std::ifstream file(path);
  std::map<std::string, std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(R"({"text")")) continue;
    const std::size_t begin = line.find(kKey) + kKey.size();
    rows[line.substr(begin, line.find('"', begin) - begin)] = line;
  }
  return rows;
}

TEST_F(SweepBulk, MeasuresWhatWasAskedFor) {
  const auto result =
      MeasureSweep({.filter = kOne, .journal = {.file = Path("journal")}, .code = kImpatientCode});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->instructions, SizeIs(1));
  EXPECT_EQ(result->instructions.front().origin, "sweep");
  EXPECT_EQ(result->config.command, "sweep");
  ASSERT_TRUE(result->sweep);
  EXPECT_EQ(result->sweep->not_reached, 0);
  EXPECT_FALSE(result->partial);
  EXPECT_THAT(RowsIn(Path("journal")), SizeIs(1));
}

TEST_F(SweepBulk, WhatHasNoReadableTextSaysWhatItIs) {
  if (arch::Name() != "x86_64") GTEST_SKIP() << "all texts are read back";
  const auto result =
      MeasureSweep({.filter = "^(BSWAP16r_BAD|MOVZX16rr16)$", .code = kImpatientCode});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->instructions, SizeIs(2));
  for (const InstructionRow& row : result->instructions) {
    EXPECT_EQ(row.status, Status::kUnmeasurable) << row.opcode;
    EXPECT_THAT(row.reason, ::testing::Not(HasSubstr("parse back"))) << row.opcode;
  }
}

TEST_F(SweepBulk, NothingSelectedIsBadInputAndLeavesNoJournal) {
  const auto result = MeasureSweep(
      {.filter = "zzzz", .journal = {.file = Path("journal")}, .code = kImpatientCode});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(result.error().message, HasSubstr("'zzzz'"));
  EXPECT_FALSE(fs::exists(Path("journal")));
}

TEST_F(SweepBulk, GoesOnWhereItWasEnded) {
  std::size_t total = 0;
  const auto first = MeasureSweep(
      {.filter = kArithmeticForms, .journal = {.file = Path("journal")}, .code = kImpatientCode},
      [&total](const Progress& at) {
        if (at.part == "sweep") total = at.total;
        return at.done < 2;
      });
  ASSERT_TRUE(first) << first.error().ToString();
  EXPECT_TRUE(first->partial);
  const auto kept = static_cast<int>(RowsIn(Path("journal")).size());
  EXPECT_GE(kept, 2);
  EXPECT_EQ(first->sweep->not_reached, static_cast<int>(total) - kept);

  std::size_t second_total = 0;
  const auto second = MeasureSweep(
      {.filter = kArithmeticForms, .journal = {.resume = Path("journal")}, .code = kImpatientCode},
      [&second_total](const Progress& at) {
        if (at.part == "sweep") second_total = at.total;
        return true;
      });
  ASSERT_TRUE(second) << second.error().ToString();
  EXPECT_FALSE(second->partial);
  EXPECT_EQ(second_total, total - static_cast<std::size_t>(kept)) << "nothing is measured twice";
  EXPECT_THAT(RowsIn(Path("journal")), SizeIs(total));
}

// What a busy core shows is not known beforehand: each row says its ports, or why it has none, or
// the whole says that there is no map.
TEST_F(SweepBulk, AResumedSweepAddsPortsToRowsThatHaveNone) {
  ASSERT_TRUE(
      MeasureSweep({.filter = kOne, .journal = {.file = Path("journal")}, .code = kImpatientCode}));
  const auto result = MeasureSweep({.filter = kOne,
                                    .ports = true,
                                    .journal = {.resume = Path("journal")},
                                    .code = kImpatientCode});
  ASSERT_TRUE(result) << result.error().ToString();
  ASSERT_THAT(result->instructions, SizeIs(1));
  const bool without_map = std::ranges::any_of(
      result->warnings, [](const Warning& warning) { return warning.code == "no-port-map"; });
  EXPECT_EQ(result->port_map.has_value(), !without_map);
  EXPECT_EQ(result->instructions.front().port_finding.has_value(), !without_map);
  EXPECT_EQ(result->partial, without_map);
  const auto rows = RowsIn(Path("journal"));
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows.begin()->second.contains(R"("port_finding":)"), !without_map);
}

TEST_F(SweepBulk, AJournalThatCannotBeReadIsBadInput) {
  for (const std::string& path : {folder_.string(), Path("missing"), std::string("-")}) {
    const auto result =
        MeasureSweep({.filter = kOne, .journal = {.resume = path}, .code = kImpatientCode});
    ASSERT_FALSE(result) << path;
    EXPECT_EQ(result.error().kind, ErrorKind::kBadInput) << path;
  }
  EXPECT_FALSE(MeasureSweep({.filter = kOne, .journal = {.file = "-"}, .code = kImpatientCode}));
}

TEST_F(SweepBulk, AJournalOfAnotherKindOfRowIsRefused) {
  ASSERT_TRUE(
      MeasureSweep({.filter = kOne, .journal = {.file = Path("journal")}, .code = kImpatientCode}));
  const auto result = MeasureSweep({.filter = kOne,
                                    .throughput = false,
                                    .journal = {.resume = Path("journal")},
                                    .code = kImpatientCode});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("--only"));
}

TEST_F(SweepBulk, ABudgetThatIsSpentAtOnceLeavesAllUnreached) {
  const auto result = MeasureSweep({.filter = kAddForms, .budget_s = 1e-6, .code = kImpatientCode});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_TRUE(result->partial);
  EXPECT_GT(result->sweep->not_reached, 0);
}

TEST_F(SweepBulk, ExegesisReadsItsRows) {
  const auto result = MeasureSweep({.filter = kOne, .code = kImpatientCode});
  ASSERT_TRUE(result) << result.error().ToString();
  const auto records = ToExegesis(*result, ExegesisQuantity::kLatency);
  ASSERT_TRUE(records) << records.error().ToString();
  EXPECT_THAT(*records, HasSubstr(result->instructions.front().opcode));
}

TEST_F(SweepBulk, JournalsOfOurOwnLieInTheStateFolder) {
  const char* before = std::getenv("XDG_STATE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_STATE_HOME", folder_.c_str(), 1);
  const auto file = NewJournalFile("sweep");
  ASSERT_TRUE(file) << file.error().ToString();
  EXPECT_EQ(fs::path(*file).parent_path(), folder_ / "cyclescope");
  EXPECT_TRUE(IsOwnJournal(*file));
  EXPECT_FALSE(IsOwnJournal(Path("journal")));
  EXPECT_NE(*file, NewJournalFile("sweep").value_or(""));
  setenv("XDG_STATE_HOME", "/dev/null/none", 1);
  EXPECT_FALSE(NewJournalFile("sweep"));
  before == nullptr ? unsetenv("XDG_STATE_HOME") : setenv("XDG_STATE_HOME", kept.c_str(), 1);
}

// The rows of a run that was ended are found by the same request, and by no other.
TEST_F(SweepBulk, WhatWasEndedIsFound) {
  const char* before = std::getenv("XDG_STATE_HOME");
  const std::string kept = before == nullptr ? "" : before;
  setenv("XDG_STATE_HOME", folder_.c_str(), 1);
  const SweepRequest request = {.filter = kArithmeticForms, .code = kImpatientCode};
  EXPECT_EQ(FindOpenJournal(request), std::nullopt);
  SweepRequest kept_rows = request;
  kept_rows.journal.file = NewJournalFile("sweep").value_or("");
  const auto ended = MeasureSweep(kept_rows, [](const Progress& at) { return at.done < 2; });
  ASSERT_TRUE(ended) << ended.error().ToString();
  ASSERT_TRUE(ended->partial);
  EXPECT_EQ(FindOpenJournal(request), kept_rows.journal.file);
  EXPECT_EQ(FindOpenJournal(SweepRequest{.filter = kOne}), std::nullopt);
  EXPECT_EQ(FindOpenJournal(SurveyRequest{}), std::nullopt);
  const auto done = MeasureSweep({.filter = kArithmeticForms,
                                  .journal = {.resume = kept_rows.journal.file},
                                  .code = kImpatientCode});
  ASSERT_TRUE(done) << done.error().ToString();
  EXPECT_EQ(FindOpenJournal(request), std::nullopt) << "it is complete";
  before == nullptr ? unsetenv("XDG_STATE_HOME") : setenv("XDG_STATE_HOME", kept.c_str(), 1);
}

// On one CPU there is no latency between cores, which would take longest.
TEST_F(SweepBulk, AFullSurveyHasAJournal) {
  const std::vector<int> cpus = {os::AllowedCpus()->back()};
  const auto first = MeasureSurvey(
      {.cpus = cpus, .effort = SurveyEffort::kFull, .journal = {.file = Path("journal")}},
      [](const Progress& at) { return at.part != "sweep" || at.done < 2; });
  ASSERT_TRUE(first) << first.error().ToString();
  EXPECT_TRUE(first->partial);
  ASSERT_TRUE(first->sweep);
  const auto kept = static_cast<int>(RowsIn(Path("journal")).size());
  EXPECT_GE(kept, 2);

  const auto second = MeasureSurvey(
      {.cpus = cpus, .effort = SurveyEffort::kFull, .journal = {.resume = Path("journal")}},
      [](const Progress& at) { return at.part != "sweep"; });
  ASSERT_TRUE(second) << second.error().ToString();
  const auto from_sweep = [](const InstructionRow& row) {
    return row.origin == "sweep" &&
           (row.status == Status::kMeasured || row.status == Status::kDisturbed);
  };
  EXPECT_LE(std::ranges::count_if(second->instructions, from_sweep), kept);
  EXPECT_EQ(second->sweep->not_reached, first->sweep->not_reached) << "the journal's rows count";
  EXPECT_EQ(second->instructions.front().origin, "headline");
}

// Two kinds of cores: 0 to 3 are two cores with two threads each, 4 to 6 cores of their own.
Host HybridHost() {
  Host host;
  host.cpus_allowed = {0, 1, 2, 3, 4, 5, 6};
  for (const int cpu : host.cpus_allowed) {
    CpuPlace place;
    place.cpu = cpu;
    place.core = cpu < 4 ? cpu / 2 : cpu;
    place.kind = cpu < 4 ? "P" : "E";
    host.topology.push_back(place);
  }
  return host;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ChooseSweepCpus, JobsAreOnCoresOfOneKind) {
  const auto chosen = library::ChooseSweepCpus({6}, 3, HybridHost());
  ASSERT_TRUE(chosen.has_value());
  EXPECT_THAT(chosen->measuring, ElementsAre(6, 5, 4));
  EXPECT_FALSE(library::ChooseSweepCpus({6}, 4, HybridHost()).has_value());
}

TEST(ChooseSweepCpus, JobsHaveCoresOfTheirOwnAsFarAsThereAreEnough) {
  const auto two = library::ChooseSweepCpus({3}, 2, HybridHost());
  ASSERT_TRUE(two.has_value());
  EXPECT_THAT(two->measuring, ElementsAre(3, 1));
  const auto three = library::ChooseSweepCpus({3}, 3, HybridHost());
  ASSERT_TRUE(three.has_value());
  EXPECT_THAT(three->measuring, ElementsAre(3, 1, 2));
}

TEST(ChooseSweepCpus, PlansAreMadeBesideNoMeasurement) {
  const auto chosen = library::ChooseSweepCpus({0, 1, 2, 3}, 1, HybridHost());
  ASSERT_TRUE(chosen.has_value());
  EXPECT_THAT(chosen->planning, ElementsAre(4, 5)) << "which nothing can be measured on";
  EXPECT_THAT(chosen->choices, ElementsAre(ElementsAre(0, 1, 2, 3)));
  Host one_core = HybridHost();
  one_core.cpus_allowed = {2, 3};
  const auto siblings = library::ChooseSweepCpus({2, 3}, 1, one_core);
  ASSERT_TRUE(siblings.has_value());
  EXPECT_THAT(siblings->planning, IsEmpty());
  EXPECT_THAT(siblings->choices, ElementsAre(ElementsAre(2, 3)));
}

TEST(ChooseSweepCpus, AJobDoesNotMoveToAPlannersCore) {
  Host cores = HybridHost();
  cores.cpus_allowed = {0, 1, 2, 3};
  const auto threads = library::ChooseSweepCpus({0, 1, 2, 3}, 1, cores);
  ASSERT_TRUE(threads.has_value());
  EXPECT_THAT(threads->planning, ElementsAre(0, 1));
  EXPECT_THAT(threads->choices, ElementsAre(ElementsAre(2, 3)));
  cores.cpus_allowed = {0, 2};
  const auto two = library::ChooseSweepCpus({0, 2}, 1, cores);
  ASSERT_TRUE(two.has_value());
  EXPECT_THAT(two->planning, ElementsAre(0));
  EXPECT_THAT(two->choices, ElementsAre(ElementsAre(2)));
  cores.cpus_allowed = {2};
  const auto one = library::ChooseSweepCpus({2}, 1, cores);
  ASSERT_TRUE(one.has_value());
  EXPECT_THAT(one->planning, IsEmpty());
  EXPECT_THAT(one->choices, ElementsAre(ElementsAre(2)));
}

TEST(ChooseSweepCpus, WhereThreadsMayBeHiddenJobsAreSpreadAndPlannersTakeTurns) {
  Host cloud;
  cloud.hypervisor = "kvm";
  for (int cpu = 0; cpu < 16; ++cpu) {
    CpuPlace place;
    place.cpu = cpu;
    place.core = cpu;
    cloud.topology.push_back(place);
    cloud.cpus_allowed.push_back(cpu);
  }
  const auto four = library::ChooseSweepCpus(cloud.cpus_allowed, 4, cloud);
  ASSERT_TRUE(four.has_value());
  EXPECT_EQ(four->takes_turns, arch::CoresMayHaveThreads());
  if (!four->takes_turns) GTEST_SKIP() << "cores of this architecture have one thread";
  EXPECT_THAT(four->measuring, ElementsAre(15, 3, 7, 11));
  EXPECT_EQ(four->planning, cloud.cpus_allowed);
  EXPECT_THAT(four->choices, ElementsAre(ElementsAre(2, 1, 0, 15), ElementsAre(6, 5, 4, 3),
                                         ElementsAre(10, 9, 8, 7), ElementsAre(14, 13, 12, 11)));
  const auto one = library::ChooseSweepCpus(cloud.cpus_allowed, 1, cloud);
  ASSERT_TRUE(one.has_value());
  EXPECT_THAT(one->choices, ElementsAre(cloud.cpus_allowed));
}

}  // namespace
}  // namespace cyclescope
