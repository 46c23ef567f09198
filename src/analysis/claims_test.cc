#include "analysis/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cyclescope/result/instruction.h"

namespace cyclescope {
namespace {

// The names of the figures in a sentence: "{cycles:.2f}" is cycles, a number.
std::vector<ClaimFigure> FiguresOf(std::string_view sentence) {
  std::vector<ClaimFigure> figures;
  for (auto open = sentence.find('{'); open != sentence.npos; open = sentence.find('{', open + 1)) {
    const std::string_view inside = sentence.substr(open + 1, sentence.find('}', open) - open - 1);
    const std::string name(inside.substr(0, inside.find(':')));
    if (inside.contains(':')) {
      figures.emplace_back(name, 2.0);
    } else {
      figures.emplace_back(name, "something");
    }
  }
  return figures;
}

TEST(Claims, EveryCodeHasASentenceAndACondition) {
  std::set<std::string> sentences;
  for (const ClaimRule& rule : ClaimRules()) {
    const std::string name(ToString(rule.code));
    EXPECT_FALSE(rule.subject.empty()) << name;
    EXPECT_TRUE(rule.condition.ends_with('.')) << name;
    EXPECT_THAT(rule.silence_in, testing::HasSubstr(".")) << name;
    const std::string sentence = Sentence({rule.code, FiguresOf(rule.sentence)});
    EXPECT_FALSE(sentence.empty()) << name;
    EXPECT_FALSE(sentence.contains('{')) << name;
    EXPECT_FALSE(sentence.contains('[') || sentence.contains(']')) << name;
    EXPECT_FALSE(sentence.contains('?')) << name << ": " << sentence;
    EXPECT_FALSE(Effect({rule.code, FiguresOf(rule.effect)}).contains('?')) << name;
    sentences.insert(std::string(rule.sentence) + std::string(rule.subject) +
                     std::string(rule.effect));
  }
  EXPECT_EQ(sentences.size(), ClaimRules().size()) << "one sentence says one thing";
}

TEST(Claims, FiguresAreInTheSentence) {
  EXPECT_EQ(Sentence({ClaimCode::kBoundFailed, {{"bound", "chain"}, {"cycles", 3.14159}}}),
            "the chain bound of 3.14 cycles does not hold: it takes less");
}

TEST(Claims, PartsAreLeftOutWithTheirFigures) {
  const auto floating = [](std::vector<ClaimFigure> figures) {
    return Sentence({ClaimCode::kFloatingCpus, std::move(figures)});
  };
  EXPECT_EQ(floating({}),
            "virtual CPUs move between cores: placement by CPU number means nothing on this "
            "machine");
  EXPECT_THAT(floating({{"levels", "at 8 ns in 3 %"}}),
              testing::HasSubstr("the same pair was at 8 ns in 3 % of all visits; placement"));
  EXPECT_THAT(floating({{"share", 0.03}}), testing::Not(testing::HasSubstr("3 %")))
      << "a part within a part that is left out";
}

TEST(Claims, NumbersHaveTheirForms) {
  const auto more = [](double pairs) {
    return Sentence({ClaimCode::kOtherPortMaps, {{"maps", pairs}}});
  };
  EXPECT_EQ(more(1), "1 other map explains the times as well");
  EXPECT_EQ(more(2), "2 other maps explain the times as well");
  EXPECT_EQ(Sentence({ClaimCode::kSwappedOut, {{"swapped", 1536.0 * 1024}}}).substr(0, 6),
            "1.5 MB");
}

// A document of another version, or a damaged one.
TEST(Claims, WhatIsMissingIsAQuestionMark) {
  EXPECT_EQ(Sentence({ClaimCode::kBoundFailed, {{"cycles", "three"}}}),
            "the ? bound of ? cycles does not hold: it takes less");
}

TEST(Claims, ACheckIsWordedByItsClaim) {
  Check check{.name = "steal", .claim = Claim{ClaimCode::kTimeStolen, {{"percent", 5.0}}}};
  PutIntoWords(check);
  EXPECT_EQ(check.finding, "the hypervisor withheld 5.00 % of the time since boot");
  EXPECT_EQ(check.effect, "samples are lost to it, and tails grow");
}

TEST(Claims, TextOfAFileCannotControlATerminal) {
  EXPECT_THAT(Sentence({ClaimCode::kRunFailed, {{"reason", "\x1b[2J"}}}),
              testing::Not(testing::HasSubstr("\x1b")));
}

TEST(Claims, ANoteIsAClaimAndItsSentence) {
  InstructionRow row;
  AddNote({ClaimCode::kEliminated, {}}, row);
  ASSERT_EQ(row.claims.size(), 1);
  EXPECT_EQ(row.claims[0].code, ClaimCode::kEliminated);
  EXPECT_THAT(row.notes, testing::ElementsAre(Sentence(row.claims[0])));
}

}  // namespace
}  // namespace cyclescope
