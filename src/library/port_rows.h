// Ports in the document's words: goes between names of ports and instructions there, and the
// numbers that `ports` works with.
//
//   PortRows ports(session);
//   ports.FindMap();                       // or UseMap(a map of an earlier result)
//   if (ports.map()) ports.AddTo(forms);   // rows get their ports
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "library/code_session.h"
#include "ports/find_ports.h"

namespace cyclescope::library {

// An instruction, and the row that gets its ports.
struct PortTarget {
  const assembler::Instruction* instruction = nullptr;
  InstructionRow* row = nullptr;
};

class PortRows {
 public:
  // The session must outlive it. `model`: LLVM's name of the CPU whose ports are put beside ours;
  // empty: this machine's.
  explicit PortRows(CodeSession& session, std::string model = {});

  // Measures the map of the core. Unset afterwards where it was not found, or cut short.
  void FindMap();
  // Takes a map of an earlier result of this machine, whose forms are measured again as blockers.
  // Fails where an instruction of it cannot be read.
  Result<void> UseMap(const PortMap& known);

  const std::optional<PortMap>& map() const { return map_; }
  // The document gets the map, or a warning that says why there is none, with this hint.
  void DescribeMap(std::string_view hint, Document& document) const;
  bool was_cut_short() const { return finder_.was_cut_short(); }

  // What the rows get is unset where it was cut short. `explain`: with the mixes behind it.
  void AddTo(std::span<const PortTarget> targets, bool explain = false);

 private:
  void NameAsTheModel();
  std::vector<std::string> NamesOf(ports::PortSet set) const;
  std::vector<PortUse> ModelOf(std::size_t form) const;
  std::string TextOf(std::size_t form) const;
  std::string MixText(const ports::Mix& mix) const;
  PortMap MakeMap() const;
  void Describe(std::size_t form, const ports::FormPorts& found, InstructionRow& row) const;
  std::vector<PortMix> MixesOf(std::size_t form, const ports::FormPorts& found) const;

  CodeSession& session_;
  std::string model_;
  ports::PortFinder finder_;
  std::vector<std::pair<int, std::string>> names_;  // of the search's ports; sorted by name
  std::optional<PortMap> map_;
};

}  // namespace cyclescope::library
