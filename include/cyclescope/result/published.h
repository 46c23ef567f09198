// How a machine differs from the published one of its kind.
#pragma once

#include <string>
#include <vector>

#include "cyclescope/result/claim.h"
#include "cyclescope/result/describe.h"

namespace cyclescope {

struct BesidePublished {
  std::string machine;
  std::vector<Claim> claims;
  std::string text;
};

void Describe(auto& visit, Of<BesidePublished> auto& beside) {
  constexpr FieldFacts kNew = {.since = "0.3"};
  visit.Struct("BesidePublished", "How a machine differs from the published one of its kind.");
  visit.Required("machine", beside.machine, "Its name, as `cyclescope machines` lists it.", kNew);
  visit.Optional("claims", beside.claims, "Like or unlike it, then what differs.", kNew);
  visit.Required("text", beside.text, "Their sentences.", kNew);
}

}  // namespace cyclescope
