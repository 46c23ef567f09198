#include "report/machine_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/host_words.h"
#include "report/table.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document SimulatedDocument() {
  Document document;
  document.host.cpu_model = "Made CPU";
  document.host.architecture = "aarch64";
  document.host.cpus_allowed = {0, 1};
  document.host.hypervisor = "kvm";
  document.clock.tick_hz = 1.05e9;
  document.clock.tick_source = "cntfrq_el0";
  document.clock.resolution_ns = 0.952;
  document.clock.cycle_source = "reference";
  document.clock.self_check =
      SelfCheck{true, {}, "", {{"add x0, x0, x0", 1}, {"mul x0, x0, x0", 2.001}}};
  return document;
}

TEST(MachineText, SaysHowItDiffersFromThePublishedOne) {
  Document document = SimulatedDocument();
  EXPECT_THAT(MachineText(document, {}), Not(HasSubstr("published")));
  document.published = BesidePublished{.text = "as the published Neoverse-V1"};
  EXPECT_THAT(MachineText(document, {}), HasSubstr("\nas the published Neoverse-V1\n"));
}

TEST(MachineText, NamesTheCpuAsPeopleDo) {
  Host host;
  host.architecture = "x86_64";
  host.cpu_model = "Intel(R) Xeon(R) Processor";
  host.cpu_vendor = "Intel";
  host.cpus_allowed = {0};
  EXPECT_EQ(HostText(host), "Intel(R) Xeon(R) Processor, x86_64, 1 CPU");
  host.microarchitecture = "Granite Rapids (Redwood Cove)";
  EXPECT_EQ(HostText(host), "Intel Granite Rapids (Redwood Cove), x86_64, 1 CPU");
}

TEST(MachineText, OfAnUnknownMachineNothingIsSaid) { EXPECT_EQ(HostText({}), "unknown CPU"); }

TEST(MachineText, SaysThatItWasInterrupted) {
  Document document;
  EXPECT_EQ(PartialText(document.partial, {}), "");
  document.partial = true;
  EXPECT_EQ(PartialText(document.partial, {}), "not complete: only a part was measured\n");
}

TEST(MachineText, AVerboseReasonFitsTheTerminal) {
  Document document = SimulatedDocument();
  document.clock.cycle_source_reason =
      "the kernel offers no counters of cycles to programs, and the reference source is as good";
  EXPECT_THAT(MachineText(document, {.verbose = true}),
              HasSubstr("\nreason: the kernel offers no counters of cycles to programs, and the "
                        "reference\n  source is as good\n"));
}

TEST(MachineText, HasMachineClockAndSource) {
  EXPECT_EQ(MachineText(SimulatedDocument(), {}),
            "Made CPU, aarch64, 2 CPUs, virtual machine (kvm)\n"
            "cycles from reference (self-check passed), time stamp 1.05 GHz\n");
}

TEST(MachineText, LeavesOutWhatWasNotMeasured) {
  Document document = SimulatedDocument();
  document.clock = {};
  document.host.hypervisor = "none";
  EXPECT_EQ(MachineText(document, {}), "Made CPU, aarch64, 2 CPUs\n");
}

TEST(MachineText, TellsWhoseCoresWereShared) {
  Document document = SimulatedDocument();
  document.contention = {
      {.cpu = 0, .share = 0.46}, {.cpu = 1, .share = 0.031}, {.cpu = 2, .share = 0.01}};
  EXPECT_THAT(MachineText(document, {}),
              HasSubstr("\ncore shared while measuring: CPU 0 46 % of the "
                        "time, CPU 1 3 %\n"));
  document.contention = {{.cpu = 0, .share = 0.02}};
  EXPECT_THAT(MachineText(document, {}), Not(HasSubstr("shared")));
}

TEST(MachineText, NamesTheWorstOfManySharedCores) {
  Document document = SimulatedDocument();
  for (int cpu = 0; cpu < 20; ++cpu)
    document.contention.push_back({.cpu = cpu, .share = 0.03 * cpu});
  EXPECT_THAT(MachineText(document, {}),
              HasSubstr("CPU 19 57 % of the time, CPU 18 54 %, CPU 17 51 %,\n"
                        "  CPU 16 48 %, CPU 15 45 %, CPU 14 42 %, CPU 13 39 %, CPU 12 36 % and 11 "
                        "more\n  CPUs, less often\n"));
}

TEST(FrequencyText, ManyStepsFitTheTerminal) {
  Document document = SimulatedDocument();
  FrequencyRow row;
  row.cpu = 100;
  row.core_ghz = {.value = 2.785, .low = 1.092, .high = 2.977};
  for (int i = 0; i < 12; ++i) row.steps.push_back({.ghz = 1.092 + 0.1 * i, .share = 1.0 / 12});
  document.frequency = {row};
  const std::string text = FrequencyText(document, {.width = 80});
  EXPECT_GT(std::ranges::count(text, '\n'), 2);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 80u) << line;
}

TEST(DoctorText, ShowsEffectAndRemedyAndCounts) {
  const std::vector<Check> checks = {{.name = "load", .finding = "idle"},
                                     {.name = "governor",
                                      .status = CheckStatus::kWarn,
                                      .finding = "powersave",
                                      .effect = "slow start",
                                      .remedy = "cpupower"}};
  EXPECT_EQ(DoctorText(checks, {}),
            "ok    load      idle\n"
            "warn  governor  powersave\n"
            "                slow start\n"
            "                change: cpupower\n"
            "\n2 checks: 1 ok, 0 to note, 1 warning. Nothing was changed.\n");
}

TEST(DoctorText, SaysWhichChecksAreNotListed) {
  std::vector<Check> checks = {{.name = "load", .finding = "idle"},
                               {.name = "smt", .status = CheckStatus::kNote, .finding = "two"}};
  EXPECT_EQ(DoctorText(checks, {}, ChecksShown::kFindings),
            "note  smt   two\n"
            "\n2 checks: 1 ok (not listed), 1 to note, 0 warnings. Nothing was changed.\n");
  checks.erase(checks.begin());
  EXPECT_THAT(DoctorText(checks, {}, ChecksShown::kFindings), Not(HasSubstr("not listed")));
}

TEST(DoctorText, ColoursOnlyOnRequest) {
  const std::vector<Check> checks = {
      {.name = "load", .status = CheckStatus::kWarn, .finding = "busy"}};
  EXPECT_THAT(DoctorText(checks, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(DoctorText(checks, {.color = true}), HasSubstr("\x1b[33mwarn\x1b[0m"));
}

Document WithRows(std::vector<FrequencyRow> rows) {
  Document document = SimulatedDocument();
  document.host.architecture = "x86_64";
  document.frequency = std::move(rows);
  return document;
}

TEST(FrequencyText, HasARowPerCpuAndTheReasons) {
  FrequencyRow good;
  good.base_ghz = 1.05;
  good.boost = 2.4705;
  good.core_ghz = {.value = 2.594, .low = 2.5931, .high = 2.5949};
  good.cycle_source = "reference";
  good.self_check_passed = true;
  FrequencyRow bad = good;
  bad.cpu = 1;
  bad.status = Status::kDisturbed;
  bad.reason = "too busy";
  EXPECT_EQ(FrequencyText(WithRows({good, bad}), {}),
            "CPU  base GHz   boost  core GHz         interval  cycles from  status\n"
            "  0     1.050  x2.470    2.5940  2.5931 – 2.5949  reference    measured\n"
            "  1     1.050  x2.470    2.5940  2.5931 – 2.5949  reference    disturbed\n"
            "CPU 1: too busy\n");
}

// Arm's generic timer is no base clock.
TEST(FrequencyText, ATimeStampIsNoBaseClockOnArm) {
  FrequencyRow row;
  row.base_ghz = 1.05;
  row.boost = 2.4705;
  row.core_ghz = {.value = 2.594, .low = 2.5931, .high = 2.5949};
  Document document = WithRows({row});
  document.host.architecture = "aarch64";
  const std::string text = FrequencyText(document, {});
  EXPECT_THAT(text, HasSubstr("time stamp GHz"));
  EXPECT_THAT(text, Not(HasSubstr("boost")));
  EXPECT_THAT(text, Not(HasSubstr("2.470")));
}

TEST(FrequencyText, StepsAndContentionAreShown) {
  FrequencyRow row;
  row.core_ghz = {.value = 2.7, .low = 2.5, .high = 2.9, .contended = true};
  row.steps = {{.ghz = 2.5, .share = 0.4}, {.ghz = 2.9, .share = 0.6}};
  row.self_check_passed = true;
  const std::string text = FrequencyText(WithRows({row}), {});
  EXPECT_THAT(text, HasSubstr("contended\n"));
  EXPECT_THAT(text, HasSubstr("CPU 0: 2.50 GHz 40 %, 2.90 GHz 60 %\n"));
}

TEST(FrequencyText, WhatIsNoStepIsOther) {
  FrequencyRow row;
  row.core_ghz = {.value = 2.7, .low = 2.69, .high = 2.71};
  row.steps = {{.ghz = 2.5, .share = 0.4}, {.ghz = 2.9, .share = 0.35}};
  EXPECT_THAT(FrequencyText(WithRows({row}), {}),
              HasSubstr("CPU 0: 2.50 GHz 40 %, 2.90 GHz 35 %, other 25 %\n"));
}

// Which it is was decided when it was measured: every report says the same.
TEST(FrequencyText, TheStatusIsTheDocuments) {
  FrequencyRow row;
  row.core_ghz = {.value = 2.7, .low = 0.8, .high = 5.2};
  row.self_check_passed = true;
  EXPECT_THAT(FrequencyText(WithRows({row}), {}), HasSubstr("measured\n"));
  row.status = Status::kDisturbed;
  EXPECT_THAT(FrequencyText(WithRows({row}), {}), HasSubstr("disturbed\n"));
  row.status = Status::kMeasured;
  row.core_ghz.contended = true;
  EXPECT_THAT(FrequencyText(WithRows({row}), {}), HasSubstr("contended\n"));
}

TEST(FrequencyText, NoLineEndsBetweenANumberAndItsUnit) {
  FrequencyRow row;
  for (int i = 0; i < 9; ++i) row.steps.push_back({.ghz = 1.2 + 0.1 * i, .share = 0.1});
  for (int width = 60; width < 90; ++width) {
    const std::string text = FrequencyText(WithRows({row}), {.width = width});
    EXPECT_THAT(text, Not(::testing::ContainsRegex("[0-9]\n *(GHz|%)"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("\x1f")));
  }
}

// The clock's line above says it already: once for all CPUs.
TEST(FrequencyText, TheVerdictOnAllIsNotRepeatedForEach) {
  FrequencyRow row;
  row.core_ghz = {.value = 2.594, .low = 2.5931, .high = 2.5949};
  row.self_check_passed = false;
  Document document = WithRows({row});
  document.clock.self_check->trusted = false;
  EXPECT_THAT(FrequencyText(document, {}), Not(HasSubstr("trusted")));
  document.frequency[0].self_check_passed = true;
  EXPECT_THAT(FrequencyText(document, {}), HasSubstr("measured, trusted\n"));
}

TEST(FrequencyText, WhatTheSelfCheckDoubtsIsMarkedInEightyColumns) {
  FrequencyRow row;
  row.core_ghz = {.value = 2.594, .low = 2.5931, .high = 2.5949};
  row.cycle_source = "reference";
  row.self_check_passed = false;
  const std::string text = FrequencyText(WithRows({row}), {});
  EXPECT_THAT(text, HasSubstr("not trusted\n"));
  EXPECT_LE(DisplayWidth(text.substr(text.find('\n') + 1)), 80u);
}

}  // namespace
}  // namespace cyclescope
