// A lab that plans, for the architecture the test runs on, and the texts that mean the same on
// each.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arch/architecture.h"
#include "instructions/form.h"
#include "instructions/lab.h"

namespace cyclescope::instructions::testing {

inline bool OnArm() { return arch::Name() == "aarch64"; }

// The first text on AArch64, the second on x86-64.
inline std::string_view Either(std::string_view aarch64, std::string_view x86_64) {
  return OnArm() ? aarch64 : x86_64;
}

inline std::unique_ptr<Lab> PlanningLab(std::string_view cpu = Either("neoverse-v1", "skylake")) {
  assembler::Target target;
  target.architecture = *assembler::ParseArchitecture(arch::Name());
  target.cpu = cpu;
  auto made = assembler::Assembler::Create(target);
  EXPECT_TRUE(made.has_value());
  return std::make_unique<Lab>(std::move(*made));
}

inline Form FormOf(Lab& lab, std::string_view text) {
  const auto form = lab.FormOf(text);
  EXPECT_TRUE(form.has_value()) << text;
  return form.value_or(Form{});
}

}  // namespace cyclescope::instructions::testing
