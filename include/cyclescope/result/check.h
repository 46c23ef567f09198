// `cyclescope doctor`: one thing about this machine that may disturb measuring.
#pragma once

#include <optional>
#include <string>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"
#include "cyclescope/result/names.h"

namespace cyclescope {

enum class CheckStatus { kOk, kNote, kWarn };

constexpr auto NamesOf(CheckStatus) { return Names("ok", "note", "warn"); }

struct Check {
  std::string name;
  CheckStatus status = CheckStatus::kOk;
  std::optional<Claim> claim;
  std::string finding;
  std::string effect;
  std::string remedy;
};

void Describe(auto& visit, Of<Check> auto& check) {
  visit.Struct("Check", "A check of `cyclescope doctor`.");
  visit.Required("name", check.name, "Short and stable: governor, steal, ...");
  visit.Required("status", check.status, "How much it disturbs.");
  visit.Optional("claim", check.claim, "What is so on this machine.", {.since = "0.3"});
  visit.Required("finding", check.finding, "The sentence of that claim.");
  visit.Optional("effect", check.effect, "What it does to results.");
  visit.Optional("remedy", check.remedy, "The command that changes it.");
}

}  // namespace cyclescope
