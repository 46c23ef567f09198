// Options of the commands that measure code, and what they are turned into.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <mutex>
#include <string>

#include "assembler/assembler.h"
#include "base/error.h"
#include "cli/options.h"
#include "instructions/lab.h"
#include "result/document.h"

namespace cyclescope::cli {

struct AssemblyOptions {
  std::optional<int> cpu;
  CyclesOption cycles;
  std::string syntax = "intel";

  void AddTo(CLI::App& app);

  // What the user's text is read with.
  Result<assembler::Assembler> MakeAssembler(const Host& host) const;
  // The CPU asked for, or the last of those allowed: interrupts and other programs gather on the
  // first.
  Result<int> MeasuringCpu(const Host& host) const;
  // A lab on that CPU.
  Result<std::unique_ptr<instructions::Lab>> MakeLab(const Host& host) const;
  // A lab on a given CPU, where it takes turns with others.
  Result<std::unique_ptr<instructions::Lab>> MakeLab(const Host& host, int on_cpu,
                                                     std::mutex* turn) const;
  // A lab that plans but cannot measure.
  Result<std::unique_ptr<instructions::Lab>> MakePlanningLab(const Host& host) const;
};

// Message, line and caret on standard error.
void PrintTextError(const assembler::TextError& error);

}  // namespace cyclescope::cli
