// What is measured of one form. Planning is pure: an executor (executor.h) runs what is planned,
// and conclude_form.h says what the measurements mean.
//
//   FormPlan plan = StartPlan(form, device);             // every source -> result pair
//   auto probe = ProbeJob(plan, device, {kRotating});    // how much code a copy becomes
//   ChooseVariants(plan, device, {kRotating}, cubin);    // what is folded gets another chain
//   KernelJob job = JobOf(plan, device);                 // run it, several times
//   GpuInstruction row = Conclude(plan, device, outs, known, 0.95);
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/result/gpu.h"
#include "gpu/executor.h"
#include "gpu/kernel_text.h"
#include "gpu/ptx_text.h"

namespace cyclescope::gpu {

struct PairPlan {
  ChainSpec spec;
  LinkFacts link;
  // Machine instructions of one copy, by the size of the code: alone, and in the chain. Where it
  // has fewer in the chain, the chain was folded.
  std::optional<double> alone;
  std::optional<double> instructions;
  bool is_settled = false;  // it has a chain that is not folded
  std::size_t first_launch = 0;
};

struct FormPlan {
  std::string group;
  std::unique_ptr<PtxForm> form;  // specs point to it
  std::vector<PairPlan> pairs;    // one without source and result where nothing can be chained
  bool has_chain = false;

  // Copies of the shortest chain; the others have two and four times as many.
  int copies = 0;
  int throughput_copies = 0;
  int throughput_passes = 0;
  std::size_t throughput_launch = 0;
  std::optional<double> throughput_instructions;  // of a copy among many side by side
};

FormPlan StartPlan(std::string_view group, PtxForm form);

// Compiles every pair that is not settled, with each of these variants, short and less short.
KernelJob ProbeJob(const FormPlan& plan, const DeviceFacts& device,
                   std::span<const ChainVariant> variants);
// Gives each pair the variant in which a copy takes as many instructions as alone, or the nearest
// one that takes more.
void ChooseVariants(FormPlan& plan, const DeviceFacts& device,
                    std::span<const ChainVariant> variants, std::string_view cubin);
// The short probe of the chain that throughput is measured with.
std::string ShownEntry(const FormPlan& plan);
bool NeedsOtherVariants(const FormPlan& plan);
// True if anything is left to be measured: a form whose every chain was folded has nothing.
bool HasWork(const FormPlan& plan);

// Forms whose latency is taken off.
std::vector<std::string> ConnectorsOf(const FormPlan& plan);

// One visit: every chain in three lengths, the throughput in two, on one multiprocessor and on all.
// The numbers of copies follow from the sizes that are known by now.
KernelJob JobOf(FormPlan& plan, const DeviceFacts& device);

// How much code the throughput kernels have: two copies side by side may become one instruction.
void NoteThroughputCode(FormPlan& plan, const DeviceFacts& device, std::string_view cubin);

// The PTX forms that people look for first, in groups.
struct HeadlineForm {
  std::string_view group;
  std::string_view text;
  int capability = 70;    // the first that has it: 80 is 8.0
  bool is_quick = false;  // one that a quick run measures, too
};

std::span<const HeadlineForm> HeadlineForms();

}  // namespace cyclescope::gpu
