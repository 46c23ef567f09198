// What is known of single instructions: measured when one is first seen, or as the model of a
// machine has them.
//
//   InstructionRows rows(model, /*measures=*/true);
//   auto found = rows.Find({"imul rax, rcx", "jne 1b"}, code, on_progress);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"

namespace cyclescope::serve {

struct KnownInstruction {
  std::string text;  // as it was asked for
  InstructionRow row;
};

class InstructionRows {
 public:
  // `model` may be null where it is measured.
  InstructionRows(std::shared_ptr<MachineModel> model, bool measures)
      : model_(std::move(model)), measures_(measures) {}

  // Those of the texts that are instructions of which something is known, in their order. Branches
  // and the like have no row of their own.
  Result<std::vector<KnownInstruction>> Find(std::vector<std::string> texts,
                                             const CodeRequest& code,
                                             const OnProgress& on_progress);

  // The same of one, with the ports that it uses. The first time, those of the core are found: that
  // takes some seconds.
  Result<std::optional<KnownInstruction>> FindWithPorts(const std::string& text,
                                                        const CodeRequest& code,
                                                        const OnProgress& on_progress);

 private:
  Result<void> Measure(const std::vector<std::string>& texts, const CodeRequest& code,
                       const OnProgress& on_progress);
  // What the model says of texts that it was not asked about before.
  Result<void> LookUp(const std::vector<std::string>& texts, const CodeRequest& code);

  std::shared_ptr<MachineModel> model_;
  bool measures_;
  std::optional<PortMap> map_;  // as it was measured
  // By syntax and text.
  std::map<std::string, InstructionRow> measured_;
  std::map<std::string, std::optional<InstructionRow>> of_model_;
};

}  // namespace cyclescope::serve
