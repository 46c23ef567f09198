// Answers to the page's questions, by the library. One question at a time: see job_queue.h.
//
//   auto playground = Playground::Make(machine, FindCompilers(...), sandbox::RunConfined);
//   playground->Answer(question, emit, goes_on);
//
// The events, each with JSON:
//
// `host`: the machine, the compilers, and whether it measures.
//
// `assembly`, of each code: what the compiler made of it, its loops, messages, the chosen loop.
//
// `progress`: how far it is, as {"part", "done", "total"}.
//
// `predicted`: a result document of what the model of the machine says, with a timeline.
//
// `measured`: a result document; cycles at first, then also what binds and what would help.
//
// `difference`, of two codes: sentences.
//
// `instructions`: {"texts", "document", "why_no_ports"}, a row for each instruction of the loop.
// Where no model has their ports, they are found when all else is said; then this and `measured`
// come again.
//
// `forms`: instructions that were searched for.
//
// `error`: {"message"}.
//
// `done`: {}, the last one.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/work.h"
#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"
#include "serve/compilers.h"
#include "serve/instruction_rows.h"
#include "serve/prepared_code.h"
#include "serve/questions.h"

namespace cyclescope::serve {

using Emit = std::function<void(std::string_view event, std::string_view json)>;

// Asked several times a second.
struct Wanted {
  GoesOn goes_on;                         // whether the answer is still wanted
  GoesOn is_quiet = [] { return true; };  // whether no other question waits
};

class Playground {
 public:
  // `machine` is a result that predictions are made from; where it is of another kind of CPU than
  // this one, nothing is measured.
  static Result<Playground> Make(std::optional<Document> machine, Compilers compilers,
                                 RunProgram run);

  void Answer(const Question& question, const Emit& emit, const Wanted& wanted);

  bool measures() const { return measures_; }

 private:
  Playground(Document here, std::shared_ptr<MachineModel> model, bool measures, Compilers compilers,
             RunProgram run);

  void AnswerCode(const CodeQuestion& question, const Emit& emit, const Wanted& wanted);
  void AnswerInstruction(const InstructionQuestion& question, const Emit& emit,
                         const GoesOn& goes_on);
  void AnswerPorts(const PortsQuestion& question, const Emit& emit, const GoesOn& goes_on);
  void AnswerForms(const FormsQuestion& question, const Emit& emit, const GoesOn& goes_on);
  std::string HostJson() const;

  // As it was prepared before, where nothing but the cursor has changed.
  PreparedCode Prepared(const Code& code, const GoesOn& goes_on);
  Result<void> PredictLoops(const BlockRequest& request, const Emit& emit) const;
  Result<void> MeasureLoops(const BlockRequest& request, const Emit& emit, const GoesOn& goes_on);
  Result<void> MeasureOnce(const BlockRequest& request, const Emit& emit, const GoesOn& goes_on);
  void UseMeasuredPorts(BlockRequest& request) const;
  Result<void> TellParts(const BlockRequest& request, const Emit& emit, const GoesOn& goes_on);
  Result<void> TellPorts(const BlockRequest& request, const Emit& emit, const Wanted& wanted);
  void EmitInstructions(std::vector<KnownInstruction> known, const Emit& emit) const;
  Result<void> LoadForms(const GoesOn& goes_on);
  const std::string& architecture() const;

  Document about_;  // this machine; or that which is predicted, where nothing is measured
  std::shared_ptr<MachineModel> model_;
  Compilers compilers_;
  RunProgram run_;
  bool measures_ = true;
  std::list<std::pair<Code, PreparedCode>> prepared_;  // the last ones, newest first
  InstructionRows rows_;
  std::optional<std::vector<KnownForm>> known_forms_;
};

}  // namespace cyclescope::serve
