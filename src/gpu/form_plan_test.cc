#include "gpu/form_plan.h"

#include <gtest/gtest.h>

#include <array>

#include "gpu/conclude_form.h"
#include "gpu/testing/ptx_check.h"
#include "gpu/testing/simulated_gpu.h"

namespace cyclescope::gpu {
namespace {

DeviceFacts Made() {
  DeviceFacts device;
  device.major = 9;
  device.driver_version = 12040;
  device.multiprocessors = testing::SimulatedGpu::kMultiprocessors;
  return device;
}

std::string Cubin(const KernelJob& job, const testing::Wishes& wishes = {}) {
  const auto module = testing::ReadPtx(job.ptx);
  EXPECT_TRUE(module.has_value()) << module.error();
  return testing::MakeCubin(*module, wishes, 0);
}

constexpr std::array kPlain = {ChainVariant::kRotating};
constexpr std::array kOther = {ChainVariant::kGuarded, ChainVariant::kAlternating};

FormPlan PlanOf(std::string_view text, const testing::Wishes& wishes = {}) {
  FormPlan plan = StartPlan("", *ParsePtx(text));
  ChooseVariants(plan, Made(), kPlain, Cubin(ProbeJob(plan, Made(), kPlain), wishes));
  if (NeedsOtherVariants(plan))
    ChooseVariants(plan, Made(), kOther, Cubin(ProbeJob(plan, Made(), kOther), wishes));
  return plan;
}

// What the simulated GPU leaves of a job.
std::vector<std::uint64_t> Visit(const KernelJob& job, const testing::Wishes& wishes = {}) {
  testing::SimulatedGpu gpu;
  const auto module = testing::ReadPtx(job.ptx);
  std::vector<std::uint64_t> out(job.out_words * job.launches.size());
  for (std::size_t i = 0; i < job.launches.size(); ++i) {
    const Launch& launch = job.launches[i];
    const auto entry = std::ranges::find(module->entries, launch.entry, &testing::PtxEntry::name);
    EXPECT_NE(entry, module->entries.end()) << launch.entry;
    gpu.Execute(*entry,
                {.blocks = launch.blocks,
                 .threads = launch.threads,
                 .values = {reinterpret_cast<std::uint64_t>(out.data() + i * job.out_words), 0, 0,
                            launch.a, launch.b, launch.c, launch.d}},
                wishes);
  }
  return out;
}

GpuInstruction Measured(FormPlan& plan, const testing::Wishes& wishes = {},
                        const KnownLatencies& known = {}) {
  const KernelJob job = JobOf(plan, Made());
  std::vector<std::vector<std::uint64_t>> visits;
  for (int i = 0; i < 3; ++i) visits.push_back(Visit(job, wishes));
  return Conclude(plan, Made(), visits, known, 0.95);
}

TEST(FormPlan, EverySourceToEveryResult) {
  const FormPlan plan = StartPlan("", *ParsePtx("shfl.sync.idx.b32 %r0|%p0, %r1, %r2, 31, -1"));
  EXPECT_EQ(plan.pairs.size(), 4);
  EXPECT_TRUE(plan.has_chain);
  EXPECT_FALSE(StartPlan("", *ParsePtx("st.global.u32 [%rd0], %r0")).has_chain);
}

TEST(FormPlan, PlainChainIsExact) {
  FormPlan plan = PlanOf("popc.b32 %r0, %r1");
  EXPECT_NEAR(*plan.pairs[0].instructions, 1, 0.1);
  const GpuInstruction row = Measured(plan);
  EXPECT_EQ(row.status, Status::kMeasured);
  ASSERT_EQ(row.latency.size(), 1);
  EXPECT_NEAR(row.latency[0].cycles.value, 17, 1e-9);
  EXPECT_EQ(row.latency[0].kind, GpuLatencyKind::kExact);
  EXPECT_EQ(row.latency[0].cycles.visits, 3);
  ASSERT_TRUE(row.throughput.has_value());
  EXPECT_NEAR(row.throughput->per_sm.value, 16, 0.01);
  EXPECT_NEAR(row.throughput->per_gpu->value, 16 * 8, 0.1);
  EXPECT_FALSE(row.throughput->at_least);
}

TEST(FormPlan, WhatIsFoldedGetsAGuard) {
  testing::Wishes wishes;
  wishes.folds = "rcp";
  FormPlan plan = PlanOf("rcp.approx.ftz.f32 %f0, %f1", wishes);
  EXPECT_EQ(plan.pairs[0].spec.variant, ChainVariant::kGuarded);
  const GpuInstruction row = Measured(plan, wishes);
  EXPECT_FALSE(row.folded);
  EXPECT_EQ(row.chain, GpuChain::kGuarded);
  EXPECT_NEAR(row.latency[0].cycles.value, 17, 1e-9);
}

TEST(FormPlan, WhatIsFoldedInEveryChainIsSaidToBe) {
  testing::Wishes wishes;
  wishes.folds = "neg";
  // With a guard of its own it takes no other, and between predicates nothing can stand.
  FormPlan plan = PlanOf("neg.s16 %rs0, %rs1; neg.s16 %rs2, %rs0", wishes);
  EXPECT_FALSE(HasWork(plan));
  const GpuInstruction row = Conclude(plan, Made(), {}, {}, 0.95);
  EXPECT_TRUE(row.folded);
  EXPECT_EQ(row.status, Status::kUnmeasurable);
  EXPECT_FALSE(row.reason.empty());
  EXPECT_TRUE(row.latency.empty());
}

TEST(FormPlan, ConnectorIsTakenOff) {
  FormPlan plan = PlanOf("atom.global.exch.b32 %r0, [%rd0], %r1");
  const auto connectors = ConnectorsOf(plan);
  ASSERT_EQ(connectors.size(), 1);
  EXPECT_EQ(connectors[0], "mad.wide.u32 %rd0, %r0, %r1, %rd1");
  Estimate known;
  known.value = known.low = known.high = 4;
  const GpuInstruction row = Measured(plan, {}, {{connectors[0], known}});
  ASSERT_EQ(row.latency.size(), 2);
  EXPECT_EQ(row.latency[0].kind, GpuLatencyKind::kConnected);
  EXPECT_NEAR(row.latency[0].cycles.value, testing::SimulatedGpu::kL2Cycles, 1e-9);
  // Without it the pair is left out, not guessed.
  EXPECT_EQ(Measured(plan).latency.size(), 1);
}

TEST(FormPlan, RoundTripSaysSo) {
  FormPlan plan = PlanOf("setp.lt.s32 %p0, %r0, %r1");
  const GpuInstruction row = Measured(plan);
  ASSERT_EQ(row.latency.size(), 2);
  EXPECT_EQ(row.latency[0].kind, GpuLatencyKind::kRoundTrip);
  EXPECT_NEAR(row.latency[0].cycles.value, 8, 1e-9);
  EXPECT_TRUE(row.throughput->at_least);
}

TEST(FormPlan, WhatHasNoResultIsRepeated) {
  FormPlan plan = PlanOf("bar.sync 0");
  const GpuInstruction row = Measured(plan);
  EXPECT_TRUE(row.latency.empty());
  ASSERT_TRUE(row.repeat.has_value());
  EXPECT_NEAR(row.repeat->value, 4, 1e-9);
}

TEST(FormPlan, AJumpingClockIsSeen) {
  testing::Wishes wishes;
  wishes.jumps = true;
  FormPlan plan = PlanOf("popc.b32 %r0, %r1");
  const GpuInstruction row = Measured(plan, wishes);
  ASSERT_EQ(row.latency.size(), 1);
  EXPECT_NEAR(row.latency[0].cycles.value, 17, 1e-9);
  EXPECT_GT(row.latency[0].cycles.rejected, 0);
}

TEST(FormPlan, NonsenseIsDisturbed) {
  FormPlan plan = PlanOf("popc.b32 %r0, %r1");
  const KernelJob job = JobOf(plan, Made());
  const std::vector<std::vector<std::uint64_t>> visits(
      3, std::vector<std::uint64_t>(job.out_words * job.launches.size(), 0));
  const GpuInstruction row = Conclude(plan, Made(), visits, {}, 0.95);
  EXPECT_EQ(row.status, Status::kDisturbed);
  EXPECT_EQ(row.reason, kMostPassesDropped);
}

// Every pass was as the others, and so nothing is said of passes that were dropped.
TEST(FormPlan, WithoutVisitsNoPassWasDropped) {
  FormPlan plan = PlanOf("popc.b32 %r0, %r1");
  const GpuInstruction row = Conclude(plan, Made(), {}, {}, 0.95);
  EXPECT_EQ(row.status, Status::kDisturbed);
  EXPECT_EQ(row.reason, "no chain of it gave a value");
}

TEST(FormPlan, MatricesCountOperations) {
  FormPlan plan = PlanOf(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, "
      "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7}");
  const GpuInstruction row = Measured(plan);
  EXPECT_EQ(row.latency.size(), 3);
  EXPECT_NEAR(*row.throughput->operations_per_sm, 8.0 / 32 * 4096, 1);
}

TEST(FormPlan, FailuresBecomeRows) {
  EXPECT_EQ(FailedRow("g", "t", {FailureKind::kCompiler, "m", ""}).status, Status::kUnsupported);
  EXPECT_EQ(FailedRow("g", "t", {FailureKind::kKernel, "m", ""}).status, Status::kCrashed);
  EXPECT_EQ(FailedRow("g", "t", {FailureKind::kTimeout, "m", ""}).status, Status::kTimeout);
  EXPECT_EQ(FailedRow("g", "t", {FailureKind::kRefused, "m", ""}).reason, "m");
}

}  // namespace
}  // namespace cyclescope::gpu
