// Over every form of the catalogue, without running any: where a value can go round by itself,
// nothing of ours stands on the chain.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assembler/catalogue.h"
#include "instructions/chain.h"
#include "instructions/testing/planning.h"

namespace cyclescope::instructions {
namespace {

using testing::Either;
using testing::MakePlanner;

// True if what a copy writes can be what the next one reads.
bool CanGoRound(const Form& form, const Pair& pair) {
  if (pair.from == kMemory || pair.to == kMemory) return false;
  const Group& from = form.groups[pair.from];
  const Group& to = form.groups[pair.to];
  if (from.is_address() || to.is_address()) return pair.from == pair.to;
  return pair.from == pair.to || CanShare(from, to);
}

// What the value sets of a form say of its chains.
bool NeedsPins(const arch::ValueSet* values) { return values != nullptr && !values->steady; }

class DirectChainsBulk : public ::testing::Test {
 protected:
  void Check(const Instruction& instruction, const arch::ValueSet* values) {
    const Form form =
        MakeForm(planner_->assembler().AtAddress(instruction, planner_->builder().address()));
    const ChainBuilder builder(*planner_, form, values);
    for (const Pair& pair : builder.Pairs()) {
      if (!CanGoRound(form, pair)) continue;
      const std::string name = instruction.text + ": " + builder.NameOf(pair.from) + " to " +
                               builder.NameOf(pair.to) +
                               (values == nullptr ? "" : ", " + std::string(values->name));
      const std::vector<Chain> chains = builder.Build(pair);
      const bool is_direct = !chains.empty() && chains.front().connector.empty();
      if (values != nullptr && values->steady) {
        if (form.groups[pair.from].file == RegisterFile::kMask) continue;
        const auto steady = builder.BuildSteady(pair);
        EXPECT_TRUE(steady && steady->connector.empty()) << name;
        ++steady_;
      } else if (is_direct) {
        ++direct_;
      } else {
        EXPECT_TRUE(NeedsPins(values)) << name;
        ++pinned_;
      }
    }
  }

  std::unique_ptr<Planner> planner_ = MakePlanner(Either("neoverse-v1", "sapphirerapids"));
  int direct_ = 0;
  int steady_ = 0;
  int pinned_ = 0;
};

TEST_F(DirectChainsBulk, AreTriedWhereverAValueCanGoRound) {
  const auto catalogue = assembler::Catalogue(planner_->assembler());
  int forms = 0;
  for (const assembler::CatalogueEntry& entry : catalogue) {
    if (entry.status != assembler::CatalogueStatus::kForm) continue;
    const Instruction& instruction = *entry.instruction;
    if (RefusalOf(instruction, /*filters_system_calls=*/true)) continue;
    ++forms;
    if (instruction.value_sets.empty()) Check(instruction, nullptr);
    for (const arch::ValueSet& values : instruction.value_sets) Check(instruction, &values);
  }
  // Thousands of forms, hundreds of divisions and roots; of what needs its values put back there
  // are integer divisions and little else.
  EXPECT_GT(forms, 3000);
  EXPECT_GT(direct_, forms / 2);
  EXPECT_GT(steady_, 50);
  EXPECT_LT(pinned_, direct_ / 20);
  RecordProperty("direct", direct_);
  RecordProperty("steady", steady_);
  RecordProperty("pinned", pinned_);
}

}  // namespace
}  // namespace cyclescope::instructions
