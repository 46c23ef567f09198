// A chain while it is being put together: copies of the form, and the connectors, pins and breakers
// between them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arch/kernel_parts.h"
#include "instructions/copies.h"
#include "instructions/form.h"
#include "instructions/planner.h"

namespace cyclescope::instructions {

// Connectors that are a chain of their own, one pass of which is taken off.
struct KnownConnector {
  std::string name;  // their text
  Sequence alone;
};

// A closed loop through one pair; one unit of its sequence is one pass through the form.
struct Chain {
  Sequence sequence;
  std::string connector;  // the other instructions on the chain; empty when there are none
  std::string beside;     // instructions in the loop that are not on the chain
  std::vector<KnownConnector> taken_off;
  int unknown_connectors = 0;  // connectors whose latency is not known by itself
};

class ChainDraft {
 public:
  ChainDraft(Planner& planner, const Form& form, const arch::ValueSet* values)
      : planner_(planner),
        form_(form),
        has_values_(values != nullptr),
        copies_(form, values, planner.builder().address()) {}

  Copies& copies() { return copies_; }
  Sequence& sequence() { return chain_.sequence; }

  // What the form spends is set again before it, but for groups on the chain.
  bool AppendForm(std::size_t copy, const std::vector<std::size_t>& on_chain = {});

  // One instruction of our own that has no part in the chain.
  bool AppendText(const std::string& text);

  // Carries a dependence from register `source` to register `destination`. False where this CPU
  // lacks the connector or no register is left for its constants.
  bool AppendConnector(std::string_view text, RegisterFile from, RegisterFile to,
                       std::uint8_t source, std::uint8_t destination);

  // Makes the general register zero, without cutting the chain.
  bool AppendClear(std::uint8_t index);

  // destination = the kernel's address + offset + source, which holds zero.
  bool AppendAddressConnector(std::uint8_t source, std::uint8_t destination, int offset);

  // Where values matter: gives the register the group's value again, without cutting the chain.
  bool AppendPin(std::size_t group, std::uint8_t index);

  // The same where values drift away: puts the group's value back between two stretches of links.
  bool AppendRestart(std::size_t group, std::uint8_t index);

  // The destination gets the value that it should hold before the copy, so that the copy does not
  // wait for what it held.
  bool AppendFreshDestination(std::size_t group, std::uint8_t index);

  // Gives registers that every copy reads and writes in place, other than those of the groups
  // given, a fresh value: they would be chains of their own.
  bool AppendBreakers(const std::vector<std::size_t>& on_chain);

  // A load of what the copy stored of the group `stored`, into `destination`.
  bool AppendLoad(std::size_t copy, std::size_t stored, std::uint8_t destination);

  Chain Finish();

 private:
  // The same register for a constant each time it is asked for; `key` names its use.
  std::optional<std::uint8_t> ConstantRegister(const std::string& key, const Group& group,
                                               std::optional<std::uint64_t> value);
  // What gives the group its value again; unset where it holds the usual one.
  const arch::Pin* PinOf(std::size_t group) const;
  // One step of a pin on register `index`.
  std::optional<Instruction> PinStep(std::string_view text, std::uint64_t constant,
                                     std::uint8_t index);
  // The same on the chain, and with its own registers in `alone`.
  bool AppendPinStep(std::string_view text, std::uint64_t constant, std::uint8_t index,
                     Sequence& alone);
  // Takes the latency of a chain of our own off every pass.
  void TakeOff(const std::string& name, const Sequence& alone);
  void NoteConnector(const std::string& text);
  // An instruction of our own that gives an operand of the next copy a fresh value.
  bool AppendBeside(const std::string& text);

  Planner& planner_;
  const Form& form_;
  bool has_values_;
  Copies copies_;
  Chain chain_;
  std::map<std::string, std::uint8_t> constants_;
  std::vector<std::string> connector_texts_;
  std::vector<std::string> beside_texts_;
  std::size_t passes_ = 0;
};

}  // namespace cyclescope::instructions
