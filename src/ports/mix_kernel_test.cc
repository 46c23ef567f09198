#include "ports/mix_kernel.h"

#include <set>

#include "arch/architecture.h"
#include "arch/headline_forms.h"
#include "arch/kernel_parts.h"

namespace cyclescope::ports {
namespace {

class MixKernel : public testing::Test {
 protected:
  // Planning runs nothing, so that the address need not exist.
  static constexpr std::uint64_t kAddress = 0x10000000;
  static inline const std::vector<std::string> kFeatures = {"fp", "asimd", "sse", "sse2"};

  MixKernel()
      : planner_(*assembler::Assembler::Create(
                     assembler::HostTarget(*assembler::ParseArchitecture(arch::Name()), kFeatures,
                                           {}, assembler::Syntax::kIntel)),
                 kAddress) {}

  MixForm Parse(std::string_view text) {
    const auto parsed = planner_.assembler().Parse(text);
    EXPECT_TRUE(parsed) << text;
    return {instructions::MakeForm(parsed->front())};
  }

  instructions::Planner planner_;
};

TEST_F(MixKernel, HasEachFormAsOftenAsTheMixSays) {
  const auto texts = arch::PortForms();
  const std::vector<MixForm> forms = {Parse(texts[0]), Parse(texts[1]), Parse(texts[2])};
  const auto sequence = ArrangeMix(planner_, forms, {{1, 5}, {2, 1}}, MixOrder::kSpread);
  ASSERT_TRUE(sequence);
  ASSERT_EQ(static_cast<double>(sequence->code.size()), sequence->units);
  EXPECT_EQ(sequence->code.size() % 6, 0U);
  const std::string rare = forms[2].form.instruction.mnemonic;
  const auto count = std::ranges::count_if(
      sequence->text, [&rare](const std::string& text) { return text.starts_with(rare + " "); });
  EXPECT_EQ(static_cast<std::size_t>(count) * 6, sequence->code.size());
}

TEST_F(MixKernel, PartsAreSpreadEvenly) {
  const auto texts = arch::PortForms();
  const std::vector<MixForm> forms = {Parse(texts[0]), Parse(texts[1]), Parse(texts[2])};
  const auto sequence = ArrangeMix(planner_, forms, {{1, 3}, {2, 3}}, MixOrder::kSpread);
  ASSERT_TRUE(sequence);
  const auto mnemonic = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  for (std::size_t i = 1; i < sequence->text.size(); ++i)
    EXPECT_NE(mnemonic(sequence->text[i]), mnemonic(sequence->text[i - 1])) << i;
}

TEST_F(MixKernel, TwoPassesHaveEachFormTwiceInARow) {
  const auto texts = arch::PortForms();
  const std::vector<MixForm> forms = {Parse(texts[1]), Parse(texts[2])};
  const Mix mix = {{0, 2}, {1, 1}};
  EXPECT_EQ(OrdersOf(mix).back(), MixOrder::kTwoPasses);
  const auto sequence = ArrangeMix(planner_, forms, mix, MixOrder::kTwoPasses);
  ASSERT_TRUE(sequence);
  std::string first;
  for (std::size_t i = 0; i < 6; ++i) first += sequence->text[i].substr(0, 2) + " ";
  const std::string one = sequence->text[0].substr(0, 2);
  const std::string other = sequence->text[4].substr(0, 2);
  EXPECT_NE(one, other);
  EXPECT_EQ(first, fmt::format("{0} {0} {0} {0} {1} {1} ", one, other));
}

TEST_F(MixKernel, CopiesWriteDifferentRegisters) {
  const std::vector<MixForm> forms = {Parse(arch::PortForms()[1])};
  const auto sequence = ArrangeMix(planner_, forms, {{0, 1}}, MixOrder::kSpread);
  ASSERT_TRUE(sequence);
  const std::set<std::string> different(sequence->text.begin(), sequence->text.end());
  EXPECT_GE(different.size(), 3U);
}

TEST_F(MixKernel, LoadsAndStoresOfAMixHavePlacesOfTheirOwn) {
  std::vector<MixForm> forms(2);
  for (const std::string_view text : arch::PortForms()) {
    const auto parsed = planner_.assembler().Parse(text);
    if (!parsed) continue;
    const instructions::Form form = instructions::MakeForm(parsed->front());
    if (form.reads_memory && !form.writes_memory) forms[0] = {form};
    if (form.writes_memory && !form.reads_memory) forms[1] = {form};
  }
  const std::string load = forms[0].form.instruction.opcode;
  ASSERT_FALSE(load.empty());
  ASSERT_FALSE(forms[1].form.instruction.opcode.empty());
  const auto sequence = ArrangeMix(planner_, forms, {{0, 3}, {1, 2}}, MixOrder::kSpread);
  ASSERT_TRUE(sequence);
  std::set<std::string> loaded;
  std::set<std::string> stored;
  for (const std::string& text : sequence->text) {
    const std::size_t open = text.find('[');
    ASSERT_NE(open, std::string::npos) << text;
    const std::string place = text.substr(open, text.find(']') - open + 1);
    const auto parsed = planner_.assembler().Parse(text);
    ASSERT_TRUE(parsed) << text;
    (parsed->front().opcode == load ? loaded : stored).insert(place);
  }
  EXPECT_EQ(loaded.size(), 6U);
  EXPECT_EQ(stored.size(), 6U);
  for (const std::string& place : loaded) EXPECT_FALSE(stored.contains(place)) << place;
}

TEST_F(MixKernel, StoresShareTheirPlaces) {
  const bool is_arm = arch::Name() == "aarch64";
  std::vector<MixForm> forms = {Parse(is_arm ? "str x0, [x1]" : "mov [rbx], rax"),
                                Parse(is_arm ? "str q0, [x1]" : "movups [rbx], xmm0")};
  for (MixForm& each : forms) each.one_place = true;
  const auto sequence = ArrangeMix(planner_, forms, {{0, 1}, {1, 1}}, MixOrder::kSpread);
  ASSERT_TRUE(sequence);
  std::set<std::string> places;
  for (const std::string& text : sequence->text)
    places.insert(text.substr(text.find('['), text.find(']') - text.find('[')));
  EXPECT_EQ(places.size(), 1U);
}

TEST_F(MixKernel, CopiesThatMoveTheirAddressHaveSeveral) {
  if (arch::Name() != "aarch64") GTEST_SKIP() << "x86-64 has no such forms";
  const std::vector<MixForm> forms = {Parse("st1 { v0.8b }, [x0], x1")};
  const auto sequence = ArrangeMix(planner_, forms, {{0, 1}}, MixOrder::kSpread);
  ASSERT_TRUE(sequence);
  std::set<std::string> addresses;
  for (const std::string& text : sequence->text) addresses.insert(text.substr(text.find('[')));
  EXPECT_EQ(addresses.size(), 4U);
  EXPECT_EQ(sequence->moving_addresses.size(), 4U);
}

TEST_F(MixKernel, WhatWritesNoVectorReadsThoseThatOthersWrite) {
  if (!arch::SourcesGrowCold()) GTEST_SKIP() << "registers do not grow cold";
  const std::vector<MixForm> forms = {Parse("add v0.4s, v1.4s, v2.4s"), Parse("fmov x0, d1")};
  const auto sequence = ArrangeMix(planner_, forms, {{0, 2}, {1, 1}}, MixOrder::kSpread);
  ASSERT_TRUE(sequence);
  std::set<std::string> written;
  for (const std::string& text : sequence->text) {
    if (text.starts_with("add v")) written.insert(text.substr(5, text.find('.') - 5));
  }
  for (const std::string& text : sequence->text) {
    if (!text.starts_with("fmov")) continue;
    EXPECT_TRUE(written.contains(text.substr(text.rfind('d') + 1))) << text;
  }
}

TEST_F(MixKernel, EveryPairOfTheMapsFormsFindsRegisters) {
  std::vector<MixForm> forms;
  for (const std::string_view text : arch::PortForms()) {
    const auto parsed = planner_.assembler().Parse(text);
    if (parsed) forms.push_back({instructions::MakeForm(parsed->front())});
  }
  ASSERT_GT(forms.size(), 10U);
  for (std::size_t a = 0; a < forms.size(); ++a) {
    EXPECT_EQ(WhyNotInMix(forms[a].form), "") << forms[a].form.instruction.text;
    for (std::size_t b = a + 1; b < forms.size(); ++b)
      EXPECT_TRUE(ArrangeMix(planner_, forms, {{a, 5}, {b, 2}}, MixOrder::kReversed))
          << forms[a].form.instruction.text << " and " << forms[b].form.instruction.text;
  }
}

}  // namespace
}  // namespace cyclescope::ports
