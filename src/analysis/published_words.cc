#include "analysis/published_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "analysis/claims.h"
#include "analysis/compare.h"

namespace cyclescope {
namespace {

// What does not depend on the clock, nor on what else runs on the machine.
constexpr std::array kKinds = {ValueKind::kCapacity, ValueKind::kWindow, ValueKind::kLatency,
                               ValueKind::kThroughput};
constexpr std::size_t kFewestJudged = 20;
constexpr double kMostChangedShare = 0.1;
constexpr std::size_t kMostListed = 3;
constexpr double kBytesPerKilobyte = 1024;

std::string BeforeComma(const std::string& text) { return text.substr(0, text.find(',')); }
std::string BeforeFrom(const std::string& text) { return text.substr(0, text.find(" from ")); }

Claim DifferenceClaim(ValueKind kind, const ComparedValue& value) {
  const double there = value.estimates[0]->value;
  const double here = value.estimates[1]->value;
  if (kind == ValueKind::kCapacity) {
    return {ClaimCode::kPublishedCache,
            {{"level", BeforeFrom(value.name)},
             {"here", here * kBytesPerKilobyte},
             {"there", there * kBytesPerKilobyte}}};
  }
  if (kind == ValueKind::kWindow) {
    return {ClaimCode::kPublishedWindow,
            {{"window", BeforeComma(value.name)}, {"here", here}, {"there", there}}};
  }
  return {ClaimCode::kPublishedTime, {{"what", value.name}, {"here", here}, {"there", there}}};
}

// Which CPU of a machine was looked at from is chance: the first rows stand for each other.
Document WithCpuOf(const Document& document, const Document& other) {
  Document same;
  same.host = document.host;
  same.config = document.config;
  same.instructions = document.instructions;
  same.anatomy = document.anatomy;
  same.memory = document.memory;
  if (!same.memory.empty() && !other.memory.empty()) {
    same.memory.resize(1);
    same.memory.front().cpu = other.memory.front().cpu;
    same.memory.front().node = other.memory.front().node;
  }
  return same;
}

}  // namespace

bool IsOneKind(const Host& one, const Host& other) {
  return one.architecture == other.architecture && !one.microarchitecture.empty() &&
         one.microarchitecture == other.microarchitecture;
}

std::optional<BesidePublished> CompareWithPublished(const Document& here, const Document& published,
                                                    const std::string& name) {
  const std::array<Document, 2> both = {published, WithCpuOf(here, published)};
  const Comparison comparison = Compare(both, {});
  std::size_t judged = 0;
  std::size_t changed = 0;
  std::vector<Claim> differences;
  for (const ValueKind kind : kKinds) {
    const auto found = std::ranges::find(comparison.kinds, kind, &ComparedKind::kind);
    if (found == comparison.kinds.end()) continue;
    const ChangeCounts& counts = found->counts.front();
    judged += counts.changed + counts.same;
    changed += counts.changed;
    for (const ComparedValue& value : found->values) {
      if (value.changes.front().verdict != Verdict::kChanged || differences.size() == kMostListed)
        break;  // those that changed stand first
      differences.push_back(DifferenceClaim(kind, value));
    }
  }
  if (judged < kFewestJudged) return std::nullopt;
  const std::string machine = published.host.microarchitecture;
  BesidePublished beside{.machine = name};
  if (static_cast<double>(changed) > kMostChangedShare * static_cast<double>(judged)) {
    beside.claims = {{ClaimCode::kUnlikePublished,
                      {{"machine", machine},
                       {"changed", static_cast<double>(changed)},
                       {"judged", static_cast<double>(judged)}}}};
    beside.text = Sentences(beside.claims);
    return beside;
  }
  if (changed > differences.size()) {
    differences.push_back(
        {ClaimCode::kPublishedMore, {{"more", static_cast<double>(changed - differences.size())}}});
  }
  const Claim like{ClaimCode::kLikePublished, {{"machine", machine}}};
  beside.text = Sentence(like);
  if (!differences.empty()) beside.text += ", but " + Sentences(differences);
  beside.claims = {like};
  beside.claims.insert(beside.claims.end(), differences.begin(), differences.end());
  return beside;
}

}  // namespace cyclescope
