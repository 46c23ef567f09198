// What is known of single instructions: measured when one is first seen, or as the model of a
// machine has them.
//
//   InstructionRows rows(model, /*measures=*/true);
//   auto found = rows.Find({"imul rax, rcx", "jne 1b"}, code, on_progress);
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"

namespace cyclescope::serve {

struct KnownInstruction {
  std::string text;  // as it was asked for
  InstructionRow row;
};

// Whose rows are wanted where both are there: a model's are there at once.
enum class RowsOf { kModel, kThisMachine };

class InstructionRows {
 public:
  // `model` may be null where it is measured.
  InstructionRows(std::shared_ptr<MachineModel> model, bool measures)
      : model_(std::move(model)), measures_(measures) {}

  // Those of the texts that are instructions of which something is known, in their order. Branches
  // and the like have no row of their own. What was measured once is not measured again, and no row
  // of the model stands in its place.
  Result<std::vector<KnownInstruction>> Find(std::vector<std::string> texts,
                                             const CodeRequest& code, const OnProgress& on_progress,
                                             RowsOf wanted = RowsOf::kThisMachine);

  // The same of one, with the ports that it uses. The first time, those of the core are found: that
  // takes some seconds.
  Result<std::optional<KnownInstruction>> FindWithPorts(const std::string& text,
                                                        const CodeRequest& code,
                                                        const OnProgress& on_progress);

  // True if some of the texts were measured and have no ports yet, and finding them is worth it: it
  // has not just failed.
  bool LackPorts(const std::vector<std::string>& texts, const CodeRequest& code) const;

  // Finds the ports of those that were measured, and says why where the core's are not found. What
  // it had when it was cut short stays.
  Result<void> FindPorts(const std::vector<std::string>& texts, const CodeRequest& code,
                         const OnProgress& on_progress);

  // Why the last search found no ports of the core; empty where it did.
  const std::string& why_no_map() const { return why_no_map_; }

  // The core's ports and those of all that was measured, without their machine; unset where the
  // core's are not known.
  std::optional<Document> MeasuredPorts() const;

 private:
  Result<void> Measure(const std::vector<std::string>& texts, const CodeRequest& code,
                       const OnProgress& on_progress);
  // What the model says of texts that it was not asked about before.
  Result<void> LookUp(const std::vector<std::string>& texts, const CodeRequest& code);
  // As it was looked up; null where the model has none.
  const InstructionRow* RowOfModel(const std::string& key) const;

  std::shared_ptr<MachineModel> model_;
  bool measures_;
  std::optional<PortMap> map_;           // as it was measured
  std::set<std::string> without_ports_;  // by syntax and text: none were found
  std::string why_no_map_;
  std::chrono::steady_clock::time_point failed_at_;  // where that is not empty
  // By syntax and text.
  std::map<std::string, InstructionRow> measured_;
  std::map<std::string, std::optional<InstructionRow>> of_model_;
};

// The instructions of a text: "1: imul rax, rcx; jne 1b  # again" is "imul rax, rcx" and "jne 1b":
// without labels, comments, directives and tabs, each as often as it is there.
std::vector<std::string> StatementsOf(std::string_view text, std::string_view architecture);

}  // namespace cyclescope::serve
