#include "serve/instruction_rows.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cyclescope::serve {
namespace {

constexpr std::size_t kMostKnown = 2000;

std::string KeyOf(const std::string& text, const CodeRequest& code) {
  return (code.att_syntax ? "att " : "intel ") + text;
}

// What the library can measure of them.
Result<std::vector<std::string>> GoodTexts(InstructionRequest request) {
  const auto problems = CheckTexts(request);
  if (!problems) return std::unexpected(problems.error());
  std::set<std::size_t> wrong;
  for (const TextProblem& problem : *problems) wrong.insert(problem.index);
  std::vector<std::string> good;
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    if (!wrong.contains(i)) good.push_back(std::move(request.texts[i]));
  }
  return good;
}

bool HasValue(const InstructionRow& row) { return row.throughput || !row.latency.empty(); }

void TakePorts(const InstructionRow& from, InstructionRow& row) {
  row.slots = from.slots;
  row.ports = from.ports;
  row.port_finding = from.port_finding;
}

}  // namespace

Result<std::vector<KnownInstruction>> InstructionRows::Find(std::vector<std::string> texts,
                                                            const CodeRequest& code,
                                                            const OnProgress& on_progress) {
  if (measures_) {
    auto good = GoodTexts({.texts = std::move(texts), .code = code});
    if (!good) return std::unexpected(good.error());
    texts = std::move(*good);
    if (const auto measured = Measure(texts, code, on_progress); !measured)
      return std::unexpected(measured.error());
  }
  if (model_) {
    if (const auto looked_up = LookUp(texts, code); !looked_up)
      return std::unexpected(looked_up.error());
  }
  std::vector<KnownInstruction> found;
  for (std::string& text : texts) {
    const std::string key = KeyOf(text, code);
    const auto of_model = of_model_.find(key);
    const InstructionRow* model =
        of_model != of_model_.end() && of_model->second ? &*of_model->second : nullptr;
    const auto measured = measured_.find(key);
    if (measured != measured_.end()) {
      InstructionRow row = measured->second;
      if (model != nullptr && !row.port_finding) TakePorts(*model, row);
      found.push_back({std::move(text), std::move(row)});
    } else if (model != nullptr && !measures_) {
      found.push_back({std::move(text), *model});
    }
  }
  return found;
}

Result<void> InstructionRows::Measure(const std::vector<std::string>& texts,
                                      const CodeRequest& code, const OnProgress& on_progress) {
  InstructionRequest request = {.code = code};
  for (const std::string& text : texts) {
    const auto known = measured_.find(KeyOf(text, code));
    // What was disturbed is measured again when it is next asked for.
    if (known == measured_.end() || known->second.status != Status::kMeasured)
      request.texts.push_back(text);
  }
  if (request.texts.empty()) return {};
  auto document = MeasureInstructions(request, on_progress);
  if (!document) return std::unexpected(document.error());
  if (measured_.size() > kMostKnown) measured_.clear();
  // A row has its text as the assembler prints it. An instruction with a prefix that changes its
  // length has two rows, and then they are told apart by that.
  const bool in_order = document->instructions.size() == request.texts.size();
  for (std::size_t i = 0; i < document->instructions.size(); ++i) {
    InstructionRow& row = document->instructions[i];
    if (!HasValue(row)) continue;
    const std::string key = KeyOf(in_order ? request.texts[i] : row.text, code);
    measured_.insert_or_assign(key, std::move(row));
  }
  return {};
}

Result<void> InstructionRows::LookUp(const std::vector<std::string>& texts,
                                     const CodeRequest& code) {
  if (of_model_.size() > kMostKnown) of_model_.clear();
  InstructionRequest request = {.code = code};
  for (const std::string& text : texts) {
    if (!of_model_.contains(KeyOf(text, code))) request.texts.push_back(text);
  }
  if (request.texts.empty()) return {};
  auto rows = model_->Find(request);
  if (!rows) return std::unexpected(rows.error());
  for (std::size_t i = 0; i < rows->size(); ++i)
    of_model_.insert_or_assign(KeyOf(request.texts[i], code), std::move((*rows)[i]));
  return {};
}

Result<std::optional<KnownInstruction>> InstructionRows::FindWithPorts(
    const std::string& text, const CodeRequest& code, const OnProgress& on_progress) {
  auto found = Find({text}, code, on_progress);
  if (!found) return std::unexpected(found.error());
  const auto known = measured_.find(KeyOf(text, code));
  if (found->empty() || found->front().row.port_finding || known == measured_.end()) {
    return found->empty() ? std::optional<KnownInstruction>()
                          : std::optional(std::move(found->front()));
  }
  const auto document =
      MeasurePorts({.texts = {text}, .known_map = map_, .code = code}, on_progress);
  if (!document) return std::unexpected(document.error());
  if (document->partial) return std::move(found->front());
  if (document->port_map) map_ = document->port_map;
  for (const InstructionRow& row : document->instructions) {
    if (row.port_finding) TakePorts(row, known->second);
  }
  if (known->second.port_finding) return KnownInstruction{text, known->second};
  const auto why = std::ranges::find(document->warnings, "no-port-map", &Warning::code);
  if (why == document->warnings.end()) return Failed("the ports of '" + text + "' were not found");
  return Failed(why->message, why->hint);
}

}  // namespace cyclescope::serve
