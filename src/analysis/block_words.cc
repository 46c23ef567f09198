#include "analysis/block_words.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/claims.h"
#include "base/byte_size.h"
#include "base/text.h"

namespace cyclescope {
std::string LeftOutText(const BlockRow& row) {
  if (row.left_out.empty()) return "";
  std::vector<std::string> quoted;
  for (const std::string& text : row.left_out) quoted.push_back(fmt::format("'{}'", text));
  return Printable(fmt::format("without {}, which {} not counted", fmt::join(quoted, ", "),
                               quoted.size() == 1 ? "is" : "are"));
}

namespace {

// Claims without which a reader would take the cycles for something else.
bool IsFirst(const Claim& claim) {
  return claim.code == ClaimCode::kSameWay || claim.code == ClaimCode::kAvoidsCalls ||
         claim.code == ClaimCode::kAvoidsLoops;
}

}  // namespace

std::string FirstWords(const BlockRow& row) {
  std::vector<std::string> parts;
  if (std::string left_out = LeftOutText(row); !left_out.empty())
    parts.push_back(std::move(left_out));
  for (const Claim& claim : row.claims) {
    if (IsFirst(claim)) parts.push_back(Sentence(claim));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::vector<std::string> FurtherNotes(const BlockRow& row) {
  std::vector<std::string> notes = row.notes;
  for (const Claim& claim : row.claims) {
    if (IsFirst(claim)) std::erase(notes, Sentence(claim));
  }
  return notes;
}

std::string DataText(const BlockRow& row) {
  std::vector<std::string> parts;
  for (const BlockData& each : row.by_data)
    parts.push_back(fmt::format("{} data {:.2f}", Printable(each.data), each.cycles.value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool TimesDiffer(const Estimate& first, const Estimate& second) {
  constexpr double kSameRatio = 1.05;
  const auto is_less = [](const Estimate& less, const Estimate& more) {
    return kSameRatio * less.high < more.low;
  };
  if (first.contended || second.contended) return false;
  return is_less(first, second) || is_less(second, first);
}

namespace {

// Places at which a loop takes the same, the fastest first.
using PlaceGroup = std::vector<const BlockPlace*>;

std::vector<PlaceGroup> GroupsOf(const std::vector<BlockPlace>& places) {
  PlaceGroup sorted;
  for (const BlockPlace& place : places) sorted.push_back(&place);
  std::ranges::stable_sort(sorted, {}, [](const BlockPlace* each) { return each->cycles.value; });
  std::vector<PlaceGroup> groups;
  for (const BlockPlace* each : sorted) {
    if (groups.empty() || TimesDiffer(groups.back().front()->cycles, each->cycles))
      groups.emplace_back();
    groups.back().push_back(each);
  }
  for (PlaceGroup& group : groups) std::ranges::sort(group, {}, &BlockPlace::offset);
  return groups;
}

double MeanOf(const PlaceGroup& group) {
  double sum = 0;
  for (const BlockPlace* each : group) sum += each->cycles.value;
  return sum / static_cast<double>(group.size());
}

}  // namespace

std::optional<int> AddPlaces(std::vector<BlockPlace> places, BlockRow& row) {
  std::erase_if(places, [](const BlockPlace& place) {
    return place.cycles.contended || place.cycles.disturbed;
  });
  const std::vector<PlaceGroup> groups = GroupsOf(places);
  if (groups.size() < 2 || !row.cycles || row.cycles->contended) return std::nullopt;
  const BlockPlace& usual = *std::ranges::max_element(groups, {}, &PlaceGroup::size)->front();
  const int offset = usual.offset;
  row.cycles = usual.cycles;
  row.cycles->two_modes = true;
  row.cycles->states.clear();
  for (const PlaceGroup& group : groups) {
    row.cycles->states.push_back(
        {MeanOf(group), static_cast<double>(group.size()) / static_cast<double>(places.size())});
  }
  row.by_place = std::move(places);
  AddNote({ClaimCode::kPlaceMatters, {{"places", PlacesText(row)}}}, row);
  return offset;
}

std::string PlacesText(const BlockRow& row) {
  std::vector<std::string> parts;
  if (row.by_place.empty()) return "";
  for (const PlaceGroup& group : GroupsOf(row.by_place)) {
    std::vector<std::string> offsets;
    for (const BlockPlace* each : group) offsets.push_back(fmt::format("{}", each->offset));
    parts.push_back(fmt::format("{:.2f} {} {}", MeanOf(group),
                                parts.empty() ? "cycles at byte" : "at",
                                fmt::join(offsets, offsets.size() > 2 ? ", " : " or ")));
    if (parts.size() == 1) parts.back() += " of a line";
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<Claim> DataClaims(const BlockRow& row) {
  if (row.by_data.empty()) return {};
  if (row.data_cause == "branch")
    return {{ClaimCode::kMispredictedBranch, {}}, {ClaimCode::kUseSelect, {}}};
  if (row.data_cause == "jump") return {{ClaimCode::kMispredictedJump, {}}};
  if (row.data_cause == "forwarding") return {{ClaimCode::kStoreReadAgain, {}}};
  if (row.data_cause == "division") return {{ClaimCode::kSlowValues, {}}};
  return {};
}

std::optional<Claim> PredictionClaim(const Estimate& random, const Estimate& constant) {
  // A tenth of a misprediction in each trip.
  constexpr double kToleratedCycles = 2;
  if (random.contended || constant.contended || random.high >= constant.low + kToleratedCycles)
    return std::nullopt;
  if (TimesDiffer(random, constant) && random.value > constant.value) return std::nullopt;
  return Claim{ClaimCode::kWellPredicted, {}};
}

void AddData(std::vector<BlockData> kinds, BlockRow& row) {
  std::vector<BlockData> shown;
  for (BlockData& kind : kinds) {
    const bool is_known = std::ranges::any_of(
        shown, [&kind](const BlockData& other) { return !TimesDiffer(kind.cycles, other.cycles); });
    if (!is_known) shown.push_back(std::move(kind));
  }
  if (shown.size() > 1) row.by_data = std::move(shown);
}

std::optional<Claim> AccumulatorClaim(const BlockRow& row) {
  if (!row.cycles || row.status != Status::kMeasured || row.data_cause == "branch")
    return std::nullopt;
  if (!row.bounds || row.bounds->binds != "chain" || !row.bounds->accumulates) return std::nullopt;
  // Fewer cycles than this are not worth the change.
  constexpr double kMinGainRatio = 1.3;
  const BlockBounds& bounds = *row.bounds;
  // Without the width of the core it is not known what comes next.
  if (bounds.issue <= 0 || bounds.next <= 0 || bounds.chain < kMinGainRatio * bounds.next)
    return std::nullopt;
  const double accumulators = std::ceil(bounds.chain / bounds.next - 0.05);
  return Claim{
      ClaimCode::kMoreAccumulators,
      {{"count", accumulators}, {"cycles", std::max(bounds.next, bounds.chain / accumulators)}}};
}

std::optional<Claim> ClaimOf(const BlockPorts& ports) {
  // Each is known to some per cent: of two that are closer, neither binds for sure.
  constexpr double kSameBoundRatio = 0.95;
  const std::pair<std::string_view, double> bounds[] = {{"ports", ports.ports},
                                                        {"dispatch", ports.dispatch},
                                                        {"chain", ports.chain},
                                                        {"other", ports.other}};
  for (const auto& [name, cycles] : bounds) {
    if (name != ports.binds && cycles > kSameBoundRatio * ports.cycles) return std::nullopt;
  }
  if (ports.binds == "ports") {
    return Claim{ClaimCode::kBoundByPorts,
                 {{"count", static_cast<double>(ports.binding_ports.size())},
                  {"ports", fmt::format("{}", fmt::join(ports.binding_ports, " "))}}};
  }
  if (ports.binds == "other")
    return Claim{ClaimCode::kBoundByOwnUnit, {{"what", ports.other_text}}};
  return Claim{
      ports.binds == "chain" ? ClaimCode::kBoundByPredictedChain : ClaimCode::kBoundByDispatch, {}};
}

std::string MemoryLayoutText(const BlockRow& row) {
  std::vector<std::string> parts;
  if (row.footprint > 0) {
    parts.push_back(fmt::format("{} of memory with {} data",
                                FormatBytes(static_cast<double>(row.footprint)),
                                Printable(row.memory)));
  } else if (row.pages > 0) {
    parts.push_back(fmt::format("memory at {} page{}, full of {}", row.pages,
                                row.pages == 1 ? "" : "s", Printable(row.memory)));
  }
  if (row.trips > 0) {
    parts.push_back(fmt::format("{} and {} trips", row.trips, 2 * row.trips));
  } else if (row.passes) {
    parts.push_back(fmt::format("registers as at first after every {} cop{}", row.unroll,
                                row.unroll == 1 ? "y" : "ies"));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace cyclescope
