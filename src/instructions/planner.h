// What planning needs: an assembler, and texts that were parsed or assembled once. It runs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "assembler/assembler.h"
#include "cyclescope/base/error.h"
#include "instructions/form.h"
#include "instructions/kernel.h"
#include "measure/experiment.h"

namespace cyclescope::instructions {

class Planner {
 public:
  // `assembler` takes Intel syntax on x86-64, whatever the user types. `scratch_address` is
  // sandbox::ScratchAddress().
  Planner(assembler::Assembler assembler, std::uint64_t scratch_address);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  assembler::Assembler& assembler() { return assembler_; }
  KernelBuilder& builder() { return builder_; }

  // Parses a text of our own (a connector) into a form; unset where this CPU does not have the
  // instruction.
  std::optional<Form> FormOf(std::string_view text);

  // The experiment that measures one unit of the sequence.
  Result<measure::Experiment> ExperimentOf(const Sequence& sequence);

 private:
  assembler::Assembler assembler_;
  KernelBuilder builder_;
  std::map<std::string, std::optional<Form>, std::less<>> forms_;
};

}  // namespace cyclescope::instructions
