#include "serve/instruction_rows.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/claims.h"
#include "base/try.h"

namespace cyclescope::serve {
namespace {

constexpr std::size_t kMostKnown = 2000;
// A core that was too busy for its ports to be found may be quiet later.
constexpr auto kUntilNextSearch = std::chrono::minutes(1);

std::string KeyOf(const std::string& text, const CodeRequest& code) {
  return (code.att_syntax ? "att " : "intel ") + text;
}

// What the library can measure of them.
Result<std::vector<std::string>> GoodTexts(InstructionRequest request) {
  const auto problems = TRY(CheckTexts(request));
  std::set<std::size_t> wrong;
  for (const TextProblem& problem : problems) wrong.insert(problem.index);
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
                                                            const OnProgress& on_progress,
                                                            RowsOf wanted) {
  if (model_) TRY(LookUp(texts, code));
  const auto has_model_row = [&](const std::string& text) {
    const InstructionRow* row = RowOfModel(KeyOf(text, code));
    return row != nullptr && row->status == Status::kMeasured && HasValue(*row);
  };
  if (measures_) {
    texts = TRY(GoodTexts({.texts = std::move(texts), .code = code}));
    std::vector<std::string> to_measure = texts;
    if (wanted == RowsOf::kModel) std::erase_if(to_measure, has_model_row);
    TRY(Measure(to_measure, code, on_progress));
  }
  std::vector<KnownInstruction> found;
  for (std::string& text : texts) {
    const std::string key = KeyOf(text, code);
    const InstructionRow* model = RowOfModel(key);
    const auto measured = measured_.find(key);
    if (measured != measured_.end()) {
      InstructionRow row = measured->second;
      if (model != nullptr && !row.port_finding) TakePorts(*model, row);
      found.push_back({std::move(text), std::move(row)});
    } else if (model != nullptr && (!measures_ || wanted == RowsOf::kModel)) {
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
  auto document = TRY(MeasureInstructions(request, on_progress));
  if (measured_.size() > kMostKnown) measured_.clear();
  // A row has its text as the assembler prints it. An instruction with a prefix that changes its
  // length has two rows, and then they are told apart by that.
  const bool in_order = document.instructions.size() == request.texts.size();
  for (std::size_t i = 0; i < document.instructions.size(); ++i) {
    InstructionRow& row = document.instructions[i];
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
  auto rows = TRY(model_->Find(request));
  for (std::size_t i = 0; i < rows.size(); ++i)
    of_model_.insert_or_assign(KeyOf(request.texts[i], code), std::move(rows[i]));
  return {};
}

const InstructionRow* InstructionRows::RowOfModel(const std::string& key) const {
  const auto found = of_model_.find(key);
  return found != of_model_.end() && found->second ? &*found->second : nullptr;
}

Result<std::optional<KnownInstruction>> InstructionRows::FindWithPorts(
    const std::string& text, const CodeRequest& code, const OnProgress& on_progress) {
  auto found = TRY(Find({text}, code, on_progress));
  const auto known = measured_.find(KeyOf(text, code));
  if (found.empty() || found.front().row.port_finding || known == measured_.end()) {
    return found.empty() ? std::optional<KnownInstruction>()
                         : std::optional(std::move(found.front()));
  }
  TRY(FindPorts({text}, code, on_progress));
  if (without_ports_.contains(known->first))
    return Failed(Sentence({ClaimCode::kPortsNotFound, {{"instruction", text}}}),
                  "try again on a quiet core");
  return KnownInstruction{text, known->second};
}

bool InstructionRows::LackPorts(const std::vector<std::string>& texts,
                                const CodeRequest& code) const {
  if (!measures_) return false;
  if (!why_no_map_.empty() && std::chrono::steady_clock::now() < failed_at_ + kUntilNextSearch)
    return false;
  return std::ranges::any_of(texts, [&](const std::string& text) {
    const std::string key = KeyOf(text, code);
    const auto known = measured_.find(key);
    return known != measured_.end() && !known->second.port_finding && !without_ports_.contains(key);
  });
}

Result<void> InstructionRows::FindPorts(const std::vector<std::string>& texts,
                                        const CodeRequest& code, const OnProgress& on_progress) {
  PortsRequest request = {.known_map = map_, .code = code};
  for (const std::string& text : texts) {
    const auto known = measured_.find(KeyOf(text, code));
    if (known != measured_.end() && !known->second.port_finding) request.texts.push_back(text);
  }
  if (request.texts.empty()) return {};
  const auto document = TRY(MeasurePorts(request, on_progress));
  if (document.port_map) map_ = document.port_map;
  // A row has its text as the assembler prints it.
  for (const std::string& text : request.texts) {
    InstructionRow& row = measured_.at(KeyOf(text, code));
    const auto found =
        std::ranges::find_if(document.instructions, [&row](const InstructionRow& each) {
          return each.text == row.text && each.port_finding.has_value();
        });
    if (found != document.instructions.end()) TakePorts(*found, row);
  }
  if (document.partial) return {};
  for (const std::string& text : request.texts) {
    const std::string key = KeyOf(text, code);
    if (measured_.at(key).port_finding)
      without_ports_.erase(key);
    else
      without_ports_.insert(key);
  }
  why_no_map_.clear();
  if (map_) return {};
  const auto why = std::ranges::find(document.warnings, "no-port-map", &Warning::code);
  why_no_map_ =
      why == document.warnings.end() ? Sentence({ClaimCode::kNoPortMap, {}}) : why->message;
  failed_at_ = std::chrono::steady_clock::now();
  return Failed(why_no_map_, "try again on a quiet core");
}

std::optional<Document> InstructionRows::MeasuredPorts() const {
  if (!map_) return std::nullopt;
  Document known;
  known.port_map = map_;
  for (const auto& [key, row] : measured_) {
    if (row.port_finding) known.instructions.push_back(row);
  }
  return known;
}

}  // namespace cyclescope::serve
