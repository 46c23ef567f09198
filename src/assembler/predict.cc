// Compiled without run-time type information, as LLVM is (see parse.cc).
#include "assembler/predict.h"

#include <fmt/core.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCSchedule.h>
#include <llvm/MCA/Context.h>
#include <llvm/MCA/CustomBehaviour.h>
#include <llvm/MCA/HWEventListener.h>
#include <llvm/MCA/InstrBuilder.h>
#include <llvm/MCA/Pipeline.h>
#include <llvm/MCA/SourceMgr.h>
#include <llvm/MCA/Support.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "assembler/llvm_target.h"
#include "assembler/roles.h"
#include "base/try.h"

namespace cyclescope::assembler {
namespace {

namespace mca = llvm::mca;

// Iterations: by the difference of when two of them retire, the start does not count.
constexpr unsigned kWarmUp = 50;
constexpr unsigned kIterations = 150;

// Notes when instructions pass through the pipeline, and what kept them waiting.
class Watcher final : public mca::HWEventListener {
 public:
  struct Times {
    unsigned dispatched = 0;
    unsigned issued = 0;
    unsigned executed = 0;
    unsigned retired = 0;
  };

  // `warm_up` are the instructions after which the rest is timed.
  Watcher(std::size_t instructions_timed, std::size_t warm_up)
      : times_(instructions_timed), warm_up_(warm_up) {}

  void onCycleEnd() override { ++cycle_; }
  void onEvent(const mca::HWInstructionEvent& event) override {
    const unsigned index = event.IR.getSourceIndex();
    if (event.Type == mca::HWInstructionEvent::Retired) {
      last_retired_ = cycle_;
      if (index + 1 == warm_up_) warmed_up_ = cycle_;
    }
    if (index >= times_.size()) return;
    Times& times = times_[index];
    switch (event.Type) {
      case mca::HWInstructionEvent::Dispatched:
        times.dispatched = cycle_;
        break;
      case mca::HWInstructionEvent::Issued:
        times.issued = cycle_;
        break;
      case mca::HWInstructionEvent::Executed:
        times.executed = cycle_;
        break;
      case mca::HWInstructionEvent::Retired:
        times.retired = cycle_;
        break;
      default:
        break;
    }
  }
  void onEvent(const mca::HWStallEvent& /*event*/) override {}
  void onEvent(const mca::HWPressureEvent& event) override {
    const auto count = event.AffectedInstructions.size();
    switch (event.Reason) {
      case mca::HWPressureEvent::RESOURCES:
        resources_[event.ResourceMask] += count;
        break;
      case mca::HWPressureEvent::REGISTER_DEPS:
        registers_ += count;
        break;
      case mca::HWPressureEvent::MEMORY_DEPS:
        memory_ += count;
        break;
      default:
        break;
    }
  }

  std::span<const Times> times() const { return times_; }
  unsigned cycles_after_warm_up() const { return last_retired_ - warmed_up_; }
  std::size_t registers() const { return registers_; }
  std::size_t memory() const { return memory_; }
  const std::map<std::uint64_t, std::size_t>& resources() const { return resources_; }

 private:
  unsigned cycle_ = 0;
  std::vector<Times> times_;
  std::size_t warm_up_;
  unsigned warmed_up_ = 0;
  unsigned last_retired_ = 0;
  std::map<std::uint64_t, std::size_t> resources_;  // by the mask of those that were busy
  std::size_t registers_ = 0;
  std::size_t memory_ = 0;
};

class Simulation {
 public:
  Simulation(const Llvm& llvm, std::span<const Instruction> instructions)
      : llvm_(llvm),
        instructions_(instructions),
        analysis_(llvm.target->createMCInstrAnalysis(llvm.instructions.get())),
        instruments_(*llvm.subtarget, *llvm.instructions),
        builder_(*llvm.subtarget, *llvm.instructions, *llvm.registers, analysis_.get(),
                 instruments_, /*CallLatency=*/100) {}

  Result<void> Run(unsigned iterations, Watcher& watcher) {
    std::vector<std::unique_ptr<mca::Instruction>> lowered;
    for (const Instruction& instruction : instructions_) {
      auto made = builder_.createInstruction(ToMcInst(instruction), {});
      if (!made) {
        llvm::consumeError(made.takeError());
        return Failed(fmt::format("LLVM's model of {} does not know '{}'", llvm_.description.cpu,
                                  instruction.text));
      }
      lowered.push_back(std::move(*made));
    }
    mca::CircularSourceMgr source(lowered, iterations);
    mca::CustomBehaviour behaviour(*llvm_.subtarget, source, *llvm_.instructions);
    mca::Context context(*llvm_.registers, *llvm_.subtarget);
    const mca::PipelineOptions options(0, 0, 0, 0, 0, 0, /*NoAlias=*/true,
                                       /*ShouldEnableBottleneckAnalysis=*/true);
    const auto pipeline = context.createDefaultPipeline(options, source, behaviour);
    pipeline->addEventListener(&watcher);
    auto cycles = pipeline->run();
    if (!cycles) {
      llvm::consumeError(cycles.takeError());
      return Failed("LLVM's simulation of the snippet failed");
    }
    return {};
  }

  // As llvm-mca's "Block RThroughput".
  Result<double> ThroughputBound() {
    const llvm::MCSchedModel& model = llvm_.subtarget->getSchedModel();
    std::vector<unsigned> usage(model.getNumProcResourceKinds());
    llvm::SmallVector<std::uint64_t, 32> masks(model.getNumProcResourceKinds());
    mca::computeProcResourceMasks(model, masks);
    unsigned micro_ops = 0;
    for (const Instruction& instruction : instructions_) {
      auto made = builder_.createInstruction(ToMcInst(instruction), {});
      if (!made) {
        llvm::consumeError(made.takeError());
        return Failed(fmt::format("LLVM's model does not know '{}'", instruction.text));
      }
      const mca::InstrDesc& desc = (*made)->getDesc();
      micro_ops += desc.NumMicroOps;
      for (const auto& [mask, use] : desc.Resources) {
        const auto place = std::ranges::find(masks, mask) - masks.begin();
        if (place < static_cast<std::ptrdiff_t>(usage.size()) && use.size() > 0)
          usage[static_cast<std::size_t>(place)] += use.size();
      }
    }
    return mca::computeBlockRThroughput(model, model.IssueWidth, micro_ops, usage);
  }

  // The resource that a mask of busy ones stands for.
  std::string ResourceName(std::uint64_t busy) const {
    const llvm::MCSchedModel& model = llvm_.subtarget->getSchedModel();
    llvm::SmallVector<std::uint64_t, 32> masks(model.getNumProcResourceKinds());
    mca::computeProcResourceMasks(model, masks);
    for (unsigned i = 1; i < masks.size(); ++i) {
      if ((masks[i] & busy) != 0) return model.getProcResource(i)->Name;
    }
    return "a resource";
  }

 private:
  const Llvm& llvm_;
  std::span<const Instruction> instructions_;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
  mca::InstrumentManager instruments_;
  mca::InstrBuilder builder_;
};

std::string BottleneckOf(const Watcher& watcher, const Simulation& simulation) {
  std::string name;
  std::size_t most = 0;
  const auto consider = [&](std::size_t count, std::string what) {
    if (count <= most) return;
    most = count;
    name = std::move(what);
  };
  consider(watcher.registers(), "register dependences");
  consider(watcher.memory(), "memory dependences");
  for (const auto& [mask, count] : watcher.resources())
    consider(count, simulation.ResourceName(mask));
  return name;
}

// One line for each instruction: D dispatched, = waits, e executes, E executed, - waits to retire,
// R retired.
std::string TimelineOf(std::span<const Instruction> instructions,
                       std::span<const Watcher::Times> times) {
  constexpr unsigned kWidth = 80;
  std::string ruler;
  for (unsigned i = 0; i < kWidth; ++i) ruler += static_cast<char>('0' + i % 10);
  std::string text = fmt::format("{:<10}{}\n", "Index", ruler);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Watcher::Times& each = times[i];
    if (each.retired >= kWidth) break;
    std::string line(kWidth, ' ');
    for (unsigned cycle = 0; cycle < kWidth; cycle += 5) line[cycle] = '.';
    const auto fill = [&line](unsigned from, unsigned to, char c) {
      for (unsigned cycle = from; cycle < to && cycle < kWidth; ++cycle) line[cycle] = c;
    };
    fill(each.dispatched, each.issued, '=');
    fill(each.issued, each.executed, 'e');
    fill(each.executed, each.retired, '-');
    fill(each.executed, each.executed + 1, 'E');
    fill(each.dispatched, each.dispatched + 1, 'D');
    fill(each.retired, each.retired + 1, 'R');
    text += fmt::format("{:<10}{} {}\n",
                        fmt::format("[{},{}]", i / instructions.size(), i % instructions.size()),
                        line, instructions[i % instructions.size()].text);
  }
  return text;
}

}  // namespace

Result<Prediction> Predict(Assembler& assembler, std::span<const Instruction> instructions,
                           bool timeline) {
  const Llvm& llvm = assembler.llvm();
  const llvm::MCSchedModel& model = llvm.subtarget->getSchedModel();
  if (!model.hasInstrSchedModel() || llvm.description.cpu.empty())
    return Failed("LLVM has no model of this CPU");
  if (!model.isOutOfOrder()) return Failed("LLVM's model of this CPU is one that runs in order");
  if (instructions.empty()) return Failed("there is no instruction to be simulated");
  if (std::ranges::any_of(instructions, [](const Instruction& instruction) {
        return instruction.flags.call || instruction.flags.returns;
      })) {
    return Failed("it cannot follow calls and returns");
  }
  Simulation simulation(llvm, instructions);
  Prediction prediction;
  prediction.cpu = llvm.description.cpu;
  constexpr std::size_t kIterationsDrawn = 10;
  Watcher watcher(timeline ? kIterationsDrawn * instructions.size() : 0,
                  kWarmUp * instructions.size());
  TRY(simulation.Run(kIterations, watcher));
  const auto bound = TRY(simulation.ThroughputBound());
  prediction.cycles = static_cast<double>(watcher.cycles_after_warm_up()) /
                      static_cast<double>(kIterations - kWarmUp);
  prediction.throughput_bound = bound;
  prediction.bottleneck = BottleneckOf(watcher, simulation);
  if (timeline) prediction.timeline = TimelineOf(instructions, watcher.times());
  return prediction;
}

bool BreaksDependence(Assembler& assembler, const Instruction& instruction) {
  const Llvm& llvm = assembler.llvm();
  const std::unique_ptr<llvm::MCInstrAnalysis> analysis(
      llvm.target->createMCInstrAnalysis(llvm.instructions.get()));
  if (analysis == nullptr || instruction.RefersToLabel()) return false;
  llvm::APInt which;
  const unsigned cpu = llvm.subtarget->getSchedModel().getProcessorID();
  return analysis->isDependencyBreaking(ToMcInst(instruction), which, cpu);
}

}  // namespace cyclescope::assembler
