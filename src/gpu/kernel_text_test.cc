#include "gpu/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/form_plan.h"
#include "gpu/testing/ptx_check.h"

namespace cyclescope::gpu {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

DeviceFacts Hopper() {
  DeviceFacts device;
  device.major = 9;
  device.driver_version = 12040;
  device.multiprocessors = 132;
  return device;
}

PtxForm Form(std::string_view text) { return *ParsePtx(text); }

std::string Latency(const ChainSpec& spec, int copies) {
  ModuleText module(Hopper());
  AddLatencyEntry(module, "n", spec, copies);
  const auto read = testing::ReadPtx(module.Text());
  EXPECT_TRUE(read.has_value()) << read.error() << "\n" << module.Text();
  return module.Text();
}

int Count(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(KernelText, HeaderNamesTheNewestVersionThatTheDriverReads) {
  DeviceFacts device = Hopper();
  EXPECT_THAT(PtxHeader(device), HasSubstr(".version 8.4\n.target sm_90a\n"));
  device.major = 8;
  device.minor = 6;
  device.driver_version = 11080;
  EXPECT_THAT(PtxHeader(device), HasSubstr(".version 7.8\n.target sm_86\n"));
  device.driver_version = 13000;
  EXPECT_THAT(PtxHeader(device), HasSubstr(".version 9.0\n"));
}

TEST(KernelText, AChainRunsThroughOneRegister) {
  const PtxForm form = Form("fma.rn.f32 %f0, %f1, %f2, %f3");
  const std::string text = Latency({&form, 1, 0}, 5);
  EXPECT_EQ(Count(text, "fma.rn.f32 %f0_c0, %f1_i"), 5);
  EXPECT_EQ(Count(text, ", %f0_c0, %f3_i"), 5);
  // Neighbours have other values for what is not part of the chain.
  EXPECT_THAT(text, HasSubstr("%f0_c0, %f1_i0, %f0_c0, %f3_i0;"));
  EXPECT_THAT(text, HasSubstr("%f0_c0, %f1_i1, %f0_c0, %f3_i1;"));
}

TEST(KernelText, VariantsKeepTheCompilerFromFolding) {
  const PtxForm form = Form("add.s32 %r0, %r1, %r2");
  EXPECT_EQ(Count(Latency({&form, 0, 0, ChainVariant::kGuarded}, 6), "@%t_"), 6 + 1);
  EXPECT_EQ(
      Count(Latency({&form, 0, 0, ChainVariant::kAlternating}, 6), "mad.lo.u32 %r0_c0, %r0_c0"), 6);
  const auto link = LinkOf({&form, 0, 0, ChainVariant::kAlternating});
  ASSERT_TRUE(link.has_value());
  EXPECT_EQ(link->alternate, "mad.lo.u32 %r0, %r1, %r2, %r3");
}

TEST(KernelText, GuardsAreForSingleInstructionsWithoutOne) {
  const PtxForm guarded = Form("@%p0 add.s32 %r0, %r1, %r2");
  EXPECT_FALSE(LinkOf({&guarded, 0, 0, ChainVariant::kGuarded}).has_value());
  const PtxForm two = Form("add.s32 %r0, %r1, %r2; add.s32 %r3, %r0, %r1");
  EXPECT_FALSE(LinkOf({&two, 0, 0, ChainVariant::kGuarded}).has_value());
}

TEST(KernelText, LoadsLeadToTheNextAddress) {
  const PtxForm wide = Form("ld.global.ca.u64 %rd0, [%rd1]");
  EXPECT_EQ(LinkOf({&wide, 0, 0})->kind, LinkKind::kDirect);
  EXPECT_EQ(Count(Latency({&wide, 0, 0}, 4), "ld.global.ca.u64 %rd0_c0, [%rd0_c0];"), 4);
  const PtxForm narrow = Form("ld.global.ca.u32 %r0, [%rd0]");
  EXPECT_EQ(LinkOf({&narrow, 0, 0})->kind, LinkKind::kDirect);
  const PtxForm half = Form("ld.global.u16 %rs0, [%rd0]");
  EXPECT_EQ(LinkOf({&half, 0, 0})->kind, LinkKind::kRoundTrip);
  const PtxForm exchange = Form("atom.global.exch.b32 %r0, [%rd0], %r1");
  EXPECT_EQ(LinkOf({&exchange, 0, 0})->kind, LinkKind::kConnected);
}

TEST(KernelText, PredicatesGoThereAndBack) {
  const PtxForm form = Form("setp.lt.s32 %p0, %r0, %r1");
  EXPECT_EQ(LinkOf({&form, 0, 0})->kind, LinkKind::kRoundTrip);
  EXPECT_EQ(LinkOf({&form, 0, 0})->connector, "selp.b32");
}

TEST(KernelText, TheClockWaitsForAPredicate) {
  const PtxForm form = Form("setp.lt.s32 %p0, %r0, %r1");
  const std::string text = Latency({&form, 0, 0}, 4);
  const std::string_view loop = std::string_view(text).substr(text.find("PASS:"));
  std::string_view last = loop.substr(0, loop.find("mov.u64 %end"));
  last = last.substr(last.rfind("selp.b32"));
  last = last.substr(last.find(',') + 2);
  // Were both choices the same register, nothing would depend on the predicate.
  const std::string_view when_true = last.substr(0, last.find(','));
  EXPECT_FALSE(last.substr(last.find(',') + 2).starts_with(when_true)) << last;
}

TEST(KernelText, BothHalvesOfAResultAreOfUse) {
  const PtxForm form = Form("mad.wide.u32 %rd0, %r0, %r1, %rd1");
  EXPECT_EQ(LinkOf({&form, 0, 0})->kind, LinkKind::kConnected);
  EXPECT_EQ(LinkOf({&form, 0, 0})->connector, "prmt.b32 %r0, %r1, %r2, %r3");
  EXPECT_EQ(LinkOf({&form, 2, 0})->kind, LinkKind::kDirect);
  EXPECT_EQ(Count(Latency({&form, 0, 0}, 8), "prmt.b32"), 8);
}

TEST(KernelText, AddressesOfGlobalMemoryHave64Bits) {
  const PtxForm form = Form("ld.global.u32 %r0, [%r1]");
  EXPECT_FALSE(LinkOf({&form, 0, 0}).has_value());
}

TEST(KernelText, EveryHeadlineFormMakesWholeKernels) {
  for (const HeadlineForm& headline : HeadlineForms()) {
    SCOPED_TRACE(headline.text);
    const auto form = ParsePtx(headline.text);
    ASSERT_TRUE(form.has_value());
    ModuleText module(Hopper());
    AddFillEntry(module);
    ChainSpec spec{.form = &*form};
    int chains = 0;
    for (std::size_t source = 0; source < form->sources.size(); ++source) {
      for (std::size_t result = 0; result < form->results.size(); ++result) {
        spec.source = source;
        spec.result = result;
        ASSERT_TRUE(LinkOf(spec).has_value());
        AddLatencyEntry(module, fmt::format("l{}", chains++), spec, 8);
      }
    }
    AddThroughputEntry(module, "t", spec, 8);
    const auto read = testing::ReadPtx(module.Text());
    EXPECT_TRUE(read.has_value()) << read.error();
  }
}

TEST(KernelText, EveryInputHasAPlaceOfItsOwn) {
  ModuleText module(Hopper());
  EXPECT_NE(module.AddInput(3), module.AddInput(3));
  EXPECT_EQ(module.Upload().size(), 3 * 32);
}

TEST(PtxCheck, FindsMistakes) {
  const std::string head = ".version 8.4\n.target sm_90a\n.visible .entry k(\n.maxntid 1\n{\n";
  EXPECT_TRUE(testing::ReadPtx(head + "  .reg .b32 %r0;\n  mov.u32 %r0, %laneid;\n  ret;\n}\n"));
  for (const char* body : {"  mov.u32 %r0, %laneid;\n}\n",             // not declared
                           "  .reg .b32 %r0;\n  nonsense %r0;\n}\n",   // no instruction
                           "  .reg .b32 %r0;\n  mov.u32 %r0, 1\n}\n",  // no semicolon
                           "  .reg .b32 %r0;\n  .reg .b32 %r0;\n}\n",  // twice
                           "  bra NOWHERE;\n}\n", "  ret;\n"}) {
    EXPECT_FALSE(testing::ReadPtx(head + body).has_value()) << body;
  }
}

}  // namespace
}  // namespace cyclescope::gpu
