// A planner for the architecture the test runs on, and the texts that mean the same on each.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>

#include "arch/architecture.h"
#include "instructions/form.h"
#include "instructions/plan.h"
#include "instructions/planner.h"

namespace cyclescope::instructions::testing {

inline bool OnArm() { return arch::Name() == "aarch64"; }

// The first text on AArch64, the second on x86-64.
inline std::string_view Either(std::string_view aarch64, std::string_view x86_64) {
  return OnArm() ? aarch64 : x86_64;
}

inline std::unique_ptr<Planner> MakePlanner(std::string_view cpu = {}) {
  assembler::Target target;
  target.architecture = *assembler::ParseArchitecture(arch::Name());
  target.cpu = cpu.empty() ? Either("neoverse-v1", "skylake") : cpu;
  auto made = assembler::Assembler::Create(target);
  EXPECT_TRUE(made.has_value());
  constexpr std::uint64_t kScratchAddress = 0x10'0000'0000;
  return std::make_unique<Planner>(std::move(*made), kScratchAddress);
}

inline Form FormOf(Planner& planner, std::string_view text) {
  const auto form = planner.FormOf(text);
  EXPECT_TRUE(form.has_value()) << text;
  return form.value_or(Form{});
}

inline FormPlan PlanOf(Planner& planner, std::string_view text) {
  return PlanForm(planner, FormOf(planner, text).instruction, {}, /*filters_system_calls=*/true);
}

}  // namespace cyclescope::instructions::testing
