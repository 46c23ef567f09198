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
    sentences.insert(std::string(rule.sentence) + std::string(rule.subject));
  }
  EXPECT_EQ(sentences.size(), ClaimRules().size()) << "one sentence says one thing";
}

TEST(Claims, FiguresAreInTheSentence) {
  EXPECT_EQ(Sentence({ClaimCode::kBoundFailed, {{"bound", "chain"}, {"cycles", 3.14159}}}),
            "the chain bound of 3.14 cycles does not hold: it takes less");
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
