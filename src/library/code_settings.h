// Where and how code is measured, and what that takes: an assembler and a lab.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "assembler/assembler.h"
#include "base/error.h"
#include "cyclescope/cycle_choice.h"
#include "instructions/lab.h"
#include "result/document.h"

namespace cyclescope::library {

struct CodeSettings {
  std::optional<int> cpu;
  CycleChoice cycles = CycleChoice::kAuto;
  assembler::Syntax syntax = assembler::Syntax::kIntel;

  // What the user's text is read with.
  Result<assembler::Assembler> MakeAssembler(const Host& host) const;
  // The CPU asked for, or the last of those allowed: interrupts and other programs gather on the
  // first.
  Result<int> MeasuringCpu(const Host& host) const;
  // A lab on that CPU.
  Result<std::unique_ptr<instructions::Lab>> MakeLab(const Host& host) const;
  // The same, and the document gets what is to be said about it: its clock and its warnings.
  Result<std::unique_ptr<instructions::Lab>> OpenLab(Document& document) const;
  // A lab on a given CPU, where it takes turns with others.
  Result<std::unique_ptr<instructions::Lab>> MakeLab(const Host& host, int on_cpu,
                                                     std::mutex* turn) const;
  // A lab that plans but cannot measure.
  Result<std::unique_ptr<instructions::Lab>> MakePlanningLab(const Host& host) const;
};

}  // namespace cyclescope::library
