#include "library/block_prediction.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "assembler/target.h"
#include "base/try.h"
#include "blocks/loop_shape.h"
#include "predict/predict_block.h"

namespace cyclescope::library {
namespace {

std::string NameOf(const Host& host) {
  return host.microarchitecture.empty() ? host.cpu_model : host.microarchitecture;
}

// Of a subject without ways, or with more than `most`.
std::string WhyNoWays(const blocks::BlockSubject& subject, std::size_t most) {
  if (!subject.code.decoded) return "some of its bytes are not instructions";
  if (!subject.is_loop && blocks::OrderWithoutLoops(subject.code).empty())
    return "an inner loop decides how long an iteration takes";
  return fmt::format("data decide which way an iteration goes, and there are more than {}", most);
}

// On the average, where it has jumps besides the branch at its end.
std::int64_t BytesToJump(const blocks::BlockSubject& subject, const blocks::BlockWay& way) {
  if (!subject.code.decoded || subject.code.decoded->empty()) return 0;
  const auto jumps = std::ranges::count_if(way.instructions, [](const auto& instruction) {
    return instruction.flags.branch && instruction.flags.never_falls_through;
  });
  if (jumps == 0) return 0;
  const assembler::Decoded& last = subject.code.decoded->back();
  return static_cast<std::int64_t>(last.offset + last.size) / (jumps + (subject.is_loop ? 1 : 0));
}

}  // namespace

Result<std::unique_ptr<ModelledMachine>> ModelledMachine::Make(const Document& machine) {
  const auto architecture = assembler::ParseArchitecture(machine.host.architecture);
  if (!architecture) {
    return BadInput(fmt::format("'{}' is of an architecture that is not known here: '{}'",
                                machine.source, machine.host.architecture));
  }
  auto assembler = TRY(assembler::Assembler::Create(
      assembler::HostTarget(*architecture, machine.host.features, machine.host.llvm_cpu)));
  std::unique_ptr<ModelledMachine> made(
      new ModelledMachine(NameOf(machine.host), std::move(assembler)));
  made->model_.emplace(TRY(predict::CoreModel::From(machine, made->assembler_)));
  return made;
}

Result<assembler::Assembler> ModelledMachine::MakeAssembler(assembler::Syntax syntax) const {
  assembler::Target target = assembler_.target();
  target.syntax = syntax;
  return assembler::Assembler::Create(target);
}

void ModelledMachine::Predict(const blocks::BlockSubject& subject, int timeline_iterations,
                              BlockRow& row) {
  constexpr std::size_t kMostWays = 64;
  const std::vector<blocks::BlockWay> ways = blocks::WaysOf(subject, kMostWays);
  BlockPrediction& prediction = row.predicted.emplace();
  if (ways.empty()) {
    prediction.machine = name_;
    prediction.reason = WhyNoWays(subject, kMostWays);
    return;
  }
  std::vector<double> cycles_by_way;
  for (const blocks::BlockWay& way : ways) {
    BlockPrediction each =
        predict::PredictBlock(*model_,
                              {.instructions = way.instructions,
                               .memory = way.memory,
                               .places = way.places,
                               .takes_branch = subject.is_loop || subject.leads_on,
                               .bytes_to_jump = BytesToJump(subject, way)},
                              {.timeline_iterations = timeline_iterations});
    if (each.cycles) cycles_by_way.push_back(*each.cycles);
    if (cycles_by_way.size() <= 1) prediction = std::move(each);
  }
  prediction.machine = name_;
  if (ways.size() == 1 || cycles_by_way.empty()) return;
  const auto [least, most] = std::ranges::minmax(cycles_by_way);
  prediction.ways = cycles_by_way;
  // Ways that take the same make no difference.
  constexpr double kSameRatio = 1.02;
  if (cycles_by_way.size() == ways.size() && most <= kSameRatio * least) return;
  // What binds one way does not bind all.
  prediction.cycles.reset();
  prediction.binds.clear();
  prediction.claim.reset();
  prediction.verdict.clear();
  prediction.timeline.clear();
  prediction.reason =
      fmt::format("data decide which of {} ways an iteration goes: {:.2f} to {:.2f} cycles",
                  ways.size(), least, most);
}

}  // namespace cyclescope::library
