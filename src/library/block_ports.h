// What the ports of its instructions say of a snippet.
//
//   auto ports = BlockPredictor::Make(session, request.known_ports);
//   (*ports)->Predict(block, row);
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "library/code_session.h"
#include "library/port_rows.h"

namespace cyclescope::library {

// Fails where the document has no ports, or those of another CPU.
Result<void> CheckKnownPorts(const Document& known, const Host& host);

class BlockPredictor {
 public:
  // With the map and the forms of `known`, or a map that is measured now. The session must outlive
  // it.
  static Result<std::unique_ptr<BlockPredictor>> Make(CodeSession& session,
                                                      const std::optional<Document>& known);

  const PortRows& ports() const { return ports_; }

  // For a row that was measured and explained. Ports of instructions that are not known yet are
  // found first. Nothing is said where that was cut short, nor of an inner loop.
  void Predict(const blocks::BlockSubject& subject, BlockRow& row);

 private:
  explicit BlockPredictor(CodeSession& session) : session_(session), ports_(session) {}

  CodeSession& session_;
  PortRows ports_;
  std::map<std::string, InstructionRow> known_;  // by text
};

}  // namespace cyclescope::library
