// Where and how code is measured, and what that takes. This is the one place that knows how the
// layer `instructions` is set up: the other files of this layer measure through a session.
//
//   auto session = CodeSession::Open(*settings, pulse, document);
//   document.instructions.push_back(session->Measure(instruction));
#pragma once

#include <memory>
#include <optional>

#include "assembler/assembler.h"
#include "base/error.h"
#include "cyclescope/measure.h"
#include "instructions/block.h"
#include "instructions/sweep.h"
#include "library/pulse.h"
#include "result/document.h"

namespace cyclescope::library {

struct CodeSettings {
  std::optional<int> cpu;
  CycleChoice cycles = CycleChoice::kAuto;
  assembler::Syntax syntax = assembler::Syntax::kIntel;
  std::optional<double> patience_s;

  // An error where the request cannot be met anywhere.
  static Result<CodeSettings> Of(const CodeRequest& request);

  // What the user's text is read with.
  Result<assembler::Assembler> MakeAssembler(const std::vector<std::string>& features) const;
  // The CPU asked for, or the last of those allowed: interrupts and other programs gather on the
  // first.
  Result<int> MeasuringCpu(const Host& host) const;
};

class CodeSession {
 public:
  // The document gets what is to be said about the session: its clock and its warnings. The session
  // must not outlive `pulse`; once that has ended, everything that is measured fails at once.
  static Result<CodeSession> Open(const CodeSettings& settings, Pulse& pulse, Document& document);

  CodeSession(CodeSession&& other) noexcept;
  CodeSession& operator=(CodeSession&& other) noexcept;
  ~CodeSession();

  InstructionRow Measure(const assembler::Instruction& instruction);
  BlockRow Measure(const instructions::Block& block);

 private:
  explicit CodeSession(std::unique_ptr<instructions::Lab> lab);

  std::unique_ptr<instructions::Lab> lab_;
};

// What a session would measure of it: code and no values.
Result<std::vector<InstructionRow>> PlanRows(
    const Host& host, const std::vector<assembler::Instruction>& instructions);

// Measures forms on several CPUs with sessions of their own.
Result<void> SweepForms(const Host& host, const CodeSettings& settings,
                        const std::vector<instructions::SweepForm>& forms,
                        const instructions::SweepSettings& sweep, Pulse& pulse,
                        const std::function<Result<void>(const instructions::PlacedRow&)>& on_row);

}  // namespace cyclescope::library
