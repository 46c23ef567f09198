// Every claim that the program can make, with its sentence and the condition under which it is
// true: one table. What measures decides and names the code; the words are here alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cyclescope/result/claim.h"

namespace cyclescope {

struct ClaimRule {
  ClaimCode code;
  std::string_view subject;     // what it is about: "instruction", "node", ...
  std::string_view sentence;    // with figures by name: "it repeats {times:.0f} times (rcx)"
  std::string_view condition;   // when it is true, for docs/claims.md
  std::string_view silence_in;  // the unit test that shows it silent otherwise: "Suite.Name"
};

// One for each code, in their order.
std::span<const ClaimRule> ClaimRules();

std::string Sentence(const Claim& claim);

// The sentences, joined by semicolons.
std::string Sentences(std::span<const Claim> claims);

// Adds a claim to what has claims and, for readers of the text alone, their sentences as notes.
void AddNote(Claim claim, auto& subject) {
  subject.notes.push_back(Sentence(claim));
  subject.claims.push_back(std::move(claim));
}

}  // namespace cyclescope
