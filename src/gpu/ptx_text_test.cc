#include "gpu/ptx_text.h"

#include <gtest/gtest.h>

namespace cyclescope::gpu {
namespace {

PtxForm Parsed(std::string_view text) {
  auto form = ParsePtx(text);
  EXPECT_TRUE(form.has_value()) << text << ": " << form.error().ToString();
  return form ? std::move(*form) : PtxForm{};
}

TEST(PtxText, FirstOperandIsWritten) {
  const PtxForm form = Parsed("fma.rn.f32 %f0, %f1, %f2, %f3");
  ASSERT_EQ(form.results.size(), 1);
  EXPECT_EQ(form.results[0].text, "%f0");
  ASSERT_EQ(form.sources.size(), 3);
  EXPECT_EQ(form.sources[2].text, "%f3");
  EXPECT_EQ(form.registers[0].kind, RegisterKind::kFloat32);
  EXPECT_EQ(form.access_bytes, 0);
}

TEST(PtxText, KindsFollowFromNames) {
  const PtxForm form = Parsed("x %p0, %rs1, %r2, %rd3, %f4, %fd5, %h6");
  const RegisterKind expected[] = {RegisterKind::kPredicate, RegisterKind::kBits16,
                                   RegisterKind::kBits32,    RegisterKind::kBits64,
                                   RegisterKind::kFloat32,   RegisterKind::kFloat64,
                                   RegisterKind::kBits16};
  ASSERT_EQ(form.registers.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(form.registers[i].kind, expected[i]) << i;
}

TEST(PtxText, SpecialRegistersAreNoOperands) {
  const PtxForm form = Parsed("add.u32 %r0, %r1, %laneid");
  EXPECT_EQ(form.sources.size(), 1);
  EXPECT_EQ(form.registers.size(), 2);
}

TEST(PtxText, Addresses) {
  const PtxForm load = Parsed("ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r4+16]");
  ASSERT_EQ(load.sources.size(), 1);
  EXPECT_TRUE(load.sources[0].is_address);
  EXPECT_EQ(load.sources[0].space, AddressSpace::kShared);
  EXPECT_EQ(load.access_bytes, 16);
  EXPECT_EQ(load.results[0].registers.size(), 4);
  const PtxForm store = Parsed("st.global.u64 [%rd0], %rd1");
  EXPECT_TRUE(store.results.empty());
  EXPECT_EQ(store.sources.size(), 2);
  EXPECT_EQ(store.sources[0].space, AddressSpace::kGlobal);
}

TEST(PtxText, CopiesNameBothSpaces) {
  const PtxForm copy = Parsed("cp.async.cg.shared.global [%r0], [%rd0], 16; cp.async.wait_all");
  ASSERT_EQ(copy.sources.size(), 2);
  EXPECT_EQ(copy.sources[0].space, AddressSpace::kShared);
  EXPECT_EQ(copy.sources[1].space, AddressSpace::kGlobal);
}

TEST(PtxText, TwoResults) {
  const PtxForm form = Parsed("shfl.sync.bfly.b32 %r0|%p0, %r1, 1, 31, 0xffffffff");
  ASSERT_EQ(form.results.size(), 2);
  EXPECT_EQ(form.results[1].text, "%p0");
}

TEST(PtxText, WhatTheTextMadeItselfIsNoSource) {
  const PtxForm form = Parsed("add.s32 %r0, %r1, %r2; mul.lo.s32 %r3, %r0, %r1");
  ASSERT_EQ(form.sources.size(), 2);
  EXPECT_EQ(form.sources[0].text, "%r1");
  EXPECT_EQ(form.results.size(), 2);
}

TEST(PtxText, GuardsAndLabels) {
  EXPECT_TRUE(Parsed("@%p0 add.s32 %r0, %r1, %r2").has_guard);
  EXPECT_EQ(Parsed("@%p0 add.s32 %r0, %r1, %r2").opcode, "add.s32");
}

TEST(PtxText, Refuses) {
  for (const char* text : {"", " ; ", "ret", "call f", ".reg .b32 %r0", "add // %r0", "@%p0",
                           "ld.local.u32 %r0, [%rd0]", "ld.const.u32 %r0, [%rd0]"}) {
    const auto form = ParsePtx(text);
    ASSERT_FALSE(form.has_value()) << text;
    EXPECT_EQ(form.error().kind, ErrorKind::kBadInput) << text;
  }
}

TEST(PtxText, MatrixOperations) {
  EXPECT_EQ(MatrixOperations("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), 4096);
  EXPECT_EQ(MatrixOperations("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16"), 524288);
  EXPECT_EQ(MatrixOperations("fma.rn.f32"), 0);
  EXPECT_EQ(MatrixOperations("ldmatrix.sync.aligned.m8n8.x4.shared.b16"), 0);
}

}  // namespace
}  // namespace cyclescope::gpu
