// Every claim that the program can make, with its sentence and the condition under which it is
// true: one table. What measures decides and names the code; the words are here alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cyclescope/result/check.h"
#include "cyclescope/result/claim.h"

namespace cyclescope {

struct Warning;

struct ClaimRule {
  ClaimCode code;
  std::string_view subject;  // what it is about: "instruction", "node", ...
  // Figures by name: {reason} is a text; {times:.0f} a number, {found:bytes} a size,
  // {share:percent} a share, {measured:cycles} cycles; {pairs:|s} one word for 1 and another for
  // other numbers. What stands in [brackets] is left out where one of its figures is missing.
  std::string_view sentence;
  std::string_view condition;    // when it is true, for docs/claims.md
  std::string_view silence_in;   // the unit test that shows it silent on a near miss: "Suite.Name"
  std::string_view effect = {};  // what it does to results, where that is told beside it
};

// One for each code, in their order.
std::span<const ClaimRule> ClaimRules();

std::string Sentence(const Claim& claim);

std::string Effect(const Claim& claim);

// The sentences, joined by semicolons.
std::string Sentences(std::span<const Claim> claims);

// Sets what a check finds and what that does to results, from its claim.
void PutIntoWords(Check& check);

// A warning that says something of the machine, in the words of its claim.
Warning WarningOf(std::string code, Claim claim, std::string hint);

// Adds a claim to what has claims and, for readers of the text alone, their sentences as notes.
void AddNote(Claim claim, auto& subject) {
  subject.notes.push_back(Sentence(claim));
  subject.claims.push_back(std::move(claim));
}

}  // namespace cyclescope
