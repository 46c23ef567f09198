#include "sweep/sweep_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cyclescope::sweep {
namespace {

using assembler::CatalogueEntry;
using assembler::CatalogueStatus;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

CatalogueEntry Entry(std::string opcode, CatalogueStatus status,
                     std::vector<std::string> features = {}) {
  CatalogueEntry entry;
  entry.opcode = std::move(opcode);
  entry.status = status;
  entry.features = std::move(features);
  if (status == CatalogueStatus::kPseudo) return entry;
  entry.mnemonic = "fadd";
  assembler::Instruction instruction;
  instruction.opcode = entry.opcode;
  instruction.text = "fadd " + entry.opcode;
  entry.instruction = instruction;
  return entry;
}

CatalogueEntry Missing(std::string opcode, std::vector<std::string> missing) {
  CatalogueEntry entry = Entry(std::move(opcode), CatalogueStatus::kNeedsFeature, missing);
  entry.reason = "needs it";
  entry.missing = std::move(missing);
  return entry;
}

std::vector<CatalogueEntry> SimulatedCatalogue() {
  std::vector<CatalogueEntry> catalogue = {
      Entry("G_ADD", CatalogueStatus::kPseudo),
      Entry("FADDDrr", CatalogueStatus::kForm, {"fp"}),
      Entry("FADDv4f32", CatalogueStatus::kForm, {"asimd", "asimdhp"}),
      Entry("ADDXrr", CatalogueStatus::kForm),
      Missing("FADD_ZZZ_S", {"sve"}),
      Missing("FADD_SME", {"sve", "sme"}),
      Entry("SVC", CatalogueStatus::kForm),
      Entry("MOVPRFX", CatalogueStatus::kNoForm),
      Entry("ADDXrr_REV", CatalogueStatus::kDuplicate)};
  catalogue[6].instruction->flags.traps = true;
  return catalogue;
}

SweepPlan Plan(const SweepSelection& selection, bool virtual_machine = true) {
  static const std::vector<CatalogueEntry> catalogue = SimulatedCatalogue();  // outlives all plans
  return PlanSweep(catalogue, selection,
                   {.cpu = "neoverse-v1", .hidden = {"sve"}, .virtual_machine = virtual_machine});
}

std::vector<std::string> Opcodes(const SweepPlan& plan) {
  std::vector<std::string> opcodes;
  for (const SweepForm& form : plan.forms) opcodes.push_back(form.instruction->opcode);
  return opcodes;
}

const InstructionRow& Settled(const SweepPlan& plan, std::string_view opcode) {
  return std::ranges::find(plan.settled, opcode,
                           [](const PlacedRow& placed) { return placed.row.opcode; })
      ->row;
}

TEST(PlanSweep, WhatTheModeDoesNotHaveIsNotHidden) {
  CatalogueEntry entry = Missing("AAA", {});
  entry.reason = "not there in 64-bit mode";
  const SweepPlan plan = PlanSweep({entry}, {}, {.cpu = "graniterapids", .virtual_machine = true});
  EXPECT_EQ(Settled(plan, "AAA").reason, "not there in 64-bit mode");
}

TEST(PlanSweep, CountsEveryOpcodeOnce) {
  for (const SweepSelection& selection :
       {SweepSelection{}, SweepSelection{.filter = "ADD"}, SweepSelection{.isa = "fp"}}) {
    const SweepPlan plan = Plan(selection);
    EXPECT_EQ(plan.summary.opcodes, 9);
    EXPECT_EQ(plan.summary.duplicates, 1);
    EXPECT_EQ(static_cast<std::size_t>(plan.summary.pseudos + plan.summary.duplicates +
                                       plan.summary.left_out) +
                  plan.forms.size() + plan.settled.size(),
              9);
  }
}

TEST(PlanSweep, EveryRowThatIsNotMeasuredHasAReason) {
  const SweepPlan plan = Plan({});
  EXPECT_THAT(Settled(plan, "FADD_ZZZ_S").reason,
              StartsWith("hidden by the hypervisor: LLVM lists sve for neoverse-v1"));
  EXPECT_EQ(Settled(plan, "FADD_ZZZ_S").status, Status::kUnsupported);
  ASSERT_THAT(Settled(plan, "FADD_ZZZ_S").claims, SizeIs(1));
  EXPECT_EQ(Settled(plan, "FADD_ZZZ_S").claims[0].code, ClaimCode::kHiddenFeature);
  EXPECT_EQ(Settled(plan, "FADD_SME").reason, "needs it")
      << "one of its features is not hidden, but missing";
  EXPECT_THAT(Settled(plan, "FADD_SME").claims, SizeIs(0));
  EXPECT_THAT(Settled(plan, "SVC").reason, StartsWith("would change the system's state"));
  EXPECT_EQ(Settled(plan, "MOVPRFX").status, Status::kUnmeasurable);
  EXPECT_THAT(Settled(Plan({}, /*virtual_machine=*/false), "FADD_ZZZ_S").reason,
              StartsWith("hidden by the kernel"));
}

TEST(PlanSweep, NamesExtensions) {
  const SweepPlan plan = Plan({});
  ASSERT_THAT(plan.forms, SizeIs(3));
  EXPECT_EQ(plan.forms[0].isa, "fp");
  EXPECT_EQ(plan.forms[1].isa, "asimd+asimdhp");
  EXPECT_EQ(plan.forms[2].isa, "base");
}

TEST(PlanSweep, FiltersByTextMnemonicAndOpcode) {
  EXPECT_EQ(Opcodes(Plan({.filter = "^FADDv"})), std::vector<std::string>{"FADDv4f32"});
  EXPECT_EQ(Opcodes(Plan({.filter = "fadd ADD"})), std::vector<std::string>{"ADDXrr"});
  EXPECT_THAT(Opcodes(Plan({.filter = "^fadd$"})), SizeIs(3)) << "their mnemonic";
}

TEST(PlanSweep, SelectsAnExtension) {
  EXPECT_EQ(Opcodes(Plan({.isa = "base"})), std::vector<std::string>{"ADDXrr"});
  EXPECT_EQ(Opcodes(Plan({.isa = "asimdhp"})), std::vector<std::string>{"FADDv4f32"})
      << "one of two that it needs";
  EXPECT_EQ(Opcodes(Plan({.isa = "asimd+asimdhp"})), std::vector<std::string>{"FADDv4f32"});
}

TEST(CheckSelection, RefusesWhatCannotBeMeant) {
  const std::vector<std::string> extensions = {"asimd", "asimdhp", "fp"};
  for (const char* isa : {"", "base", "fp", "asimd+asimdhp"})
    EXPECT_TRUE(CheckSelection({.filter = "^ADD", .isa = isa}, extensions)) << isa;
  EXPECT_FALSE(CheckSelection({.isa = "asimd+"}, extensions));
  const auto bad_filter = CheckSelection({.filter = "("}, extensions);
  ASSERT_FALSE(bad_filter);
  EXPECT_EQ(bad_filter.error().kind, ErrorKind::kBadInput);
  const auto bad_isa = CheckSelection({.isa = "asimdhq"}, extensions);
  ASSERT_FALSE(bad_isa);
  EXPECT_THAT(bad_isa.error().message, HasSubstr("did you mean 'asimdhp'"));
}

}  // namespace
}  // namespace cyclescope::sweep
