#include "report/machine_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/table.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Document MadeDocument() {
  Document document;
  document.host.cpu_model = "Made CPU";
  document.host.architecture = "aarch64";
  document.host.cpus_allowed = {0, 1};
  document.host.hypervisor = "kvm";
  document.clock.tick_hz = 1.05e9;
  document.clock.tick_source = "cntfrq_el0";
  document.clock.resolution_ns = 0.952;
  document.clock.cycle_source = "reference";
  document.clock.jury = Jury{true, "", {{"add x0, x0, x0", 1}, {"mul x0, x0, x0", 2.001}}};
  return document;
}

TEST(MachineText, HasMachineClockAndSource) {
  EXPECT_EQ(MachineText(MadeDocument(), {}),
            "Made CPU, aarch64, 2 CPUs, virtual machine (kvm)\n"
            "time stamp 1.05 GHz (cntfrq_el0), resolution 0.952 ns\n"
            "cycles from reference; jury agrees: add 1.000, mul 2.001\n");
}

TEST(MachineText, LeavesOutWhatWasNotMeasured) {
  Document document = MadeDocument();
  document.clock = {};
  document.host.hypervisor = "none";
  EXPECT_EQ(MachineText(document, {}), "Made CPU, aarch64, 2 CPUs\n");
}

TEST(DoctorText, ShowsEffectAndRemedyAndCounts) {
  const std::vector<Check> checks = {
      {"load", CheckStatus::kOk, "idle", "", ""},
      {"governor", CheckStatus::kWarn, "powersave", "slow start", "cpupower"}};
  EXPECT_EQ(DoctorText(checks, {}),
            "ok    load      idle\n"
            "warn  governor  powersave\n"
            "                slow start\n"
            "                change: cpupower\n"
            "\n2 checks: 1 ok, 0 to note, 1 to mend. Nothing was changed.\n");
}

TEST(DoctorText, ColoursOnlyOnRequest) {
  const std::vector<Check> checks = {{"load", CheckStatus::kWarn, "busy", "", ""}};
  EXPECT_THAT(DoctorText(checks, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(DoctorText(checks, {.color = true}), HasSubstr("\x1b[33mwarn\x1b[0m"));
}

TEST(FrequencyText, HasARowPerCpuAndTheReasons) {
  FrequencyRow good;
  good.base_ghz = 1.05;
  good.boost = 2.4705;
  good.core_ghz = {.value = 2.594, .low = 2.5931, .high = 2.5949};
  good.cycle_source = "reference";
  good.jury_trusted = true;
  FrequencyRow bad = good;
  bad.cpu = 1;
  bad.status = Status::kDisturbed;
  bad.reason = "too busy";
  EXPECT_EQ(FrequencyText({good, bad}, {}),
            "CPU  base GHz   boost  core GHz         interval  cycles from  status\n"
            "  0     1.050  x2.470    2.5940  2.5931 – 2.5949  reference    measured\n"
            "  1     1.050  x2.470    2.5940  2.5931 – 2.5949  reference    disturbed\n"
            "CPU 1: too busy\n");
}

TEST(FrequencyText, WhatTheJuryDoubtsIsMarkedInEightyColumns) {
  FrequencyRow row;
  row.core_ghz = {.value = 2.594, .low = 2.5931, .high = 2.5949};
  row.cycle_source = "reference";
  row.jury_trusted = false;
  const std::string text = FrequencyText({row}, {});
  EXPECT_THAT(text, HasSubstr("not trustworthy\n"));
  EXPECT_LE(DisplayWidth(text.substr(text.find('\n') + 1)), 80u);
}

}  // namespace
}  // namespace cyclescope
