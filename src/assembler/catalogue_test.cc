#include "assembler/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::map<CatalogueStatus, int> CountByStatus(const std::vector<CatalogueEntry>& entries) {
  std::map<CatalogueStatus, int> counts;
  for (const CatalogueEntry& entry : entries) ++counts[entry.status];
  return counts;
}

// Of the opcodes that this CPU has and that are no other's duplicate, how many have a form.
double Coverage(const std::vector<CatalogueEntry>& entries) {
  auto counts = CountByStatus(entries);
  const double forms = counts[CatalogueStatus::kForm];
  return forms / (forms + counts[CatalogueStatus::kNoForm]);
}

const CatalogueEntry& Entry(const std::vector<CatalogueEntry>& entries, std::string_view opcode) {
  const auto found = std::ranges::find(entries, opcode, &CatalogueEntry::opcode);
  EXPECT_NE(found, entries.end()) << opcode;
  return *found;
}

std::string TextOf(const std::vector<CatalogueEntry>& entries, std::string_view opcode) {
  const CatalogueEntry& entry = Entry(entries, opcode);
  return entry.instruction ? entry.instruction->text : entry.reason;
}

void ExpectWellFormed(Assembler& assembler, const std::vector<CatalogueEntry>& entries) {
  for (const CatalogueEntry& entry : entries) {
    if (entry.status != CatalogueStatus::kForm) {
      EXPECT_FALSE(entry.reason.empty()) << entry.opcode;
      continue;
    }
    ASSERT_TRUE(entry.instruction) << entry.opcode;
    EXPECT_EQ(entry.instruction->opcode, entry.opcode);
    EXPECT_EQ(assembler.Encode(*entry.instruction).size(), entry.instruction->length);
    EXPECT_FALSE(entry.mnemonic.empty()) << entry.opcode;
  }
  std::set<std::string> found;
  for (const CatalogueEntry& entry : entries)
    found.insert(entry.features.begin(), entry.features.end());
  EXPECT_THAT(ExtensionNames(assembler), testing::IsSupersetOf(found));
}

TEST(Catalogue, EndsWhenTheCallerWantsNoMore) {
  Assembler arm = MakeAArch64();
  for (const int most : {0, 100, 8000}) {
    int questions = 0;
    EXPECT_TRUE(Catalogue(arm, [&] { return questions++ < most; }).empty());
    EXPECT_LE(questions, most + 16) << "each of eight threads may ask twice";
  }
}

TEST(Catalogue, AArch64) {
  Assembler arm = MakeAArch64();
  const auto entries = Catalogue(arm);
  EXPECT_EQ(entries.size(), 8172u) << "LLVM 19's list";
  ExpectWellFormed(arm, entries);
  EXPECT_GE(CountByStatus(entries)[CatalogueStatus::kForm], 2850);
  EXPECT_GE(Coverage(entries), 0.99);

  EXPECT_EQ(TextOf(entries, "MADDXrrr"), "madd x0, x1, x2, x3");
  EXPECT_EQ(TextOf(entries, "ADDXrs"), "add x0, x1, x2");
  EXPECT_EQ(TextOf(entries, "LDRXui"), "ldr x0, [x1]");
  EXPECT_EQ(TextOf(entries, "CASPX"), "casp x0, x1, x2, x3, [x4]");
  EXPECT_EQ(TextOf(entries, "TBZX"), "tbz x0, #35, #4") << "to the next instruction, not itself";
  EXPECT_EQ(Entry(entries, "FADD_ZZZ_S").status, CatalogueStatus::kNeedsFeature);
  EXPECT_EQ(Entry(entries, "FADD_ZZZ_S").reason, "needs sve");
  EXPECT_THAT(Entry(entries, "FADDDrr").features, ElementsAre("fp"));
  EXPECT_THAT(Entry(entries, "LDADDX").features, ElementsAre("atomics"));
  EXPECT_EQ(Entry(entries, "COPY").status, CatalogueStatus::kPseudo);
}

TEST(Catalogue, X86) {
  for (const std::string_view cpu : {"skylake-avx512", "znver4"}) {
    Assembler x86 = Make(Architecture::kX86_64, cpu);
    const auto entries = Catalogue(x86);
    EXPECT_EQ(entries.size(), 19817u) << "LLVM 19's list";
    ExpectWellFormed(x86, entries);
    EXPECT_GE(CountByStatus(entries)[CatalogueStatus::kForm], 9000) << cpu;
    EXPECT_GE(Coverage(entries), 0.97) << cpu;

    EXPECT_EQ(TextOf(entries, "VPADDDZrrkz"), "vpaddd zmm0 {k1} {z}, zmm1, zmm2");
    EXPECT_EQ(TextOf(entries, "VADDPSZrrb"), "vaddps zmm0, zmm1, zmm2, {rn-sae}");
    EXPECT_EQ(TextOf(entries, "MOV64rm"), "mov rbx, qword ptr [rsi]");
    EXPECT_EQ(Entry(entries, "JCC_1").status, CatalogueStatus::kForm);
    EXPECT_EQ(TextOf(entries, "SHL64ri"), "shl rbx, 5");
    EXPECT_EQ(TextOf(entries, "ROL8ri"), "rol bl, 5") << "inside the width";
    EXPECT_EQ(TextOf(entries, "ADC16mi8"), "adc word ptr [rbx], 5");
    EXPECT_EQ(TextOf(entries, "ADD64ri32"), "add rbx, 300");
    EXPECT_EQ(TextOf(entries, "SHL64r1"), "shl rbx") << "the opcode means 1";
    EXPECT_EQ(TextOf(entries, "CMOV64rr"), "cmove rbx, rsi");
    EXPECT_EQ(TextOf(entries, "VPTERNLOGDZrri"), "vpternlogd zmm0, zmm1, zmm2, 150");
    EXPECT_EQ(TextOf(entries, "ADD_FrST0"), "fadd st(1), st");
    EXPECT_EQ(TextOf(entries, "TILELOADD"), "tileloadd tmm0, [rbx + rsi]");
    EXPECT_THAT(Entry(entries, "ADDPDrr").features, ElementsAre("sse2"));
    EXPECT_THAT(Entry(entries, "ADDPSrm").features, ElementsAre("sse"));
    EXPECT_THAT(Entry(entries, "CVTPS2PDrr").features, ElementsAre("sse2"));
    EXPECT_THAT(Entry(entries, "MMX_PADDDrr").features, ElementsAre("mmx"));
    EXPECT_THAT(Entry(entries, "ADD_FST0r").features, ElementsAre("x87"));
    EXPECT_THAT(Entry(entries, "CMOV64rr").features, ElementsAre("cmov"));
    EXPECT_THAT(Entry(entries, "CMPXCHG8B").features, ElementsAre("cx8"));
    EXPECT_THAT(Entry(entries, "FXSAVE").features, ElementsAre("fxsr"));
    EXPECT_THAT(Entry(entries, "ADD64rr").features, IsEmpty());
    EXPECT_EQ(Entry(entries, "ADD64rr_REV").status, CatalogueStatus::kDuplicate);
    EXPECT_THAT(Entry(entries, "ADD64rr_REV").reason, HasSubstr("means ADD64rr"));
    EXPECT_EQ(Entry(entries, "AAA").reason, "not there in 64-bit mode");
    EXPECT_THAT(Entry(entries, "AAA").missing, IsEmpty());
    EXPECT_THAT(Entry(entries, "VPMULLQZ128rr").features, ElementsAre("avx512dq", "avx512vl"));
    EXPECT_EQ(Entry(entries, "TDPBSSD").reason, "needs amx_int8");
    // LLVM does not read these, but we know what they belong to.
    EXPECT_EQ(Entry(entries, "VGATHERPF0DPSm").reason, "needs avx512pf");
    EXPECT_EQ(Entry(entries, "ROL8r1_ND").reason, "needs egpr");
    EXPECT_EQ(Entry(entries, "ROL8r1_ND").status, CatalogueStatus::kNeedsFeature);
  }
}

// What `pcmpistrm` writes to xmm0 is not named, nor is the mask that `blendvpd` reads there: a copy
// that read the one or wrote the other would wait for the copy before it.
TEST(Catalogue, NamedVectorsAreNotTheUnnamedOnes) {
  Assembler x86 = Make(Architecture::kX86_64, "sapphirerapids");
  const auto entries = Catalogue(x86);
  EXPECT_THAT(TextOf(entries, "PCMPISTRMrri"), testing::StartsWith("pcmpistrm xmm1, xmm2"));
  for (const std::string_view opcode : {"BLENDVPDrr0", "PBLENDVBrr0", "SHA256RNDS2rr"})
    EXPECT_THAT(TextOf(entries, opcode), testing::EndsWith(" xmm1, xmm2, xmm0")) << opcode;
}

// 0 and 1 are special cases on many cores: only where the opcode leaves no other choice, or means
// just that, may a form have them.
TEST(Catalogue, ImmediatesAreOrdinary) {
  Assembler x86 = MakeX86();
  std::size_t immediates = 0;
  for (const CatalogueEntry& entry : Catalogue(x86)) {
    if (entry.status != CatalogueStatus::kForm) continue;
    const Instruction& form = *entry.instruction;
    for (const Operand& operand : form.operands) {
      if (operand.kind != OperandKind::kImmediate || operand.address != AddressPart::kNone)
        continue;
      ++immediates;
      constexpr auto kMeanIt =
          std::to_array<std::string_view>({"enter", "pextrq", "pinsrq", "vpextrq", "vpinsrq"});
      const bool meant = std::ranges::find(kMeanIt, form.name) != kMeanIt.end() ||
                         form.name.starts_with("vinsert") || form.name.starts_with("vextract");
      EXPECT_TRUE(meant || operand.value > 1) << form.text;
    }
  }
  EXPECT_GT(immediates, 100u);
}

}  // namespace
}  // namespace cyclescope::assembler
