#include "measure/tally.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

// A visit whose samples were all dropped is repeated this often.
constexpr int kMostLostVisits = 12;

// Code with memory operands takes thousands of instructions to fall into step: on an Emerald Rapids
// `shrx eax, [rbx], ecx` took 0.517 cycles in samples of 2.5 µs, 0.506 in samples of 10 µs and
// 0.501 in samples of 40 µs. What did not settle after this number of visits gets longer samples:
// sooner, where the visits differ from one another and not just one of them from the rest.
constexpr std::size_t kVisitsBeforeLonger = 4;
constexpr std::size_t kMaxVisitsBeforeLonger = 8;

// Where visits were spoiled by a neighbour, an interval wider by this factor is enough:
// visits are costly there.
constexpr double kContendedPrecisionFactor = 2;

// Keeps the visits at the clock rate that is in the middle. Another rate is that of a moment in
// which something took time from both the visit and its probes. Whether most visits had that rate.
bool KeepUsualRate(std::vector<Totals>& visits) {
  constexpr double kSameRateShare = 0.05;
  const auto rate = [](const Totals& each) {
    return each.ticks > 0 ? each.cycles / each.ticks : 0;
  };
  const auto middle = visits.begin() + static_cast<std::ptrdiff_t>(visits.size() / 2);
  std::ranges::nth_element(visits, middle, {}, rate);
  const double usual = rate(*middle);
  const std::size_t all = visits.size();
  std::erase_if(visits, [&](const Totals& each) {
    return std::abs(rate(each) - usual) > kSameRateShare * std::abs(usual);
  });
  return 2 * visits.size() > all;
}

// The longest of those that took as long as the one in the middle. Nothing for no visits.
Totals MiddleOf(std::vector<Totals> visits) {
  if (visits.empty()) return {};
  const bool has_usual_rate = KeepUsualRate(visits);
  const auto value = [](const Totals& each) { return each.cycles / each.units; };
  const auto middle = visits.begin() + static_cast<std::ptrdiff_t>(visits.size() / 2);
  std::ranges::nth_element(visits, middle, {}, value);
  constexpr double kEqual = 0.001;
  const double wanted = value(*middle);
  Totals chosen = *middle;
  for (const Totals& each : visits) {
    if (std::abs(value(each) - wanted) <= kEqual * wanted && each.ticks > chosen.ticks)
      chosen = each;
  }
  chosen.rates_differ = !has_usual_rate;
  return chosen;
}

bool IsFound(const Estimate& estimate, double precision) {
  const double half_width = (estimate.high - estimate.low) / 2;
  // Latencies are whole numbers: one whose interval leaves room for no other is found.
  constexpr double kMaxHalfWidthShare = 0.01;
  const bool whole = std::abs(estimate.value - std::round(estimate.value)) <= half_width &&
                     half_width <= kMaxHalfWidthShare * estimate.value && half_width < 0.5;
  // Two groups of samples may be two states of the code: more visits tell.
  return (half_width <= precision * std::abs(estimate.value) || whole) && estimate.states.empty();
}

// True if the visits lie farther apart than that share of the value, without the one that is
// farthest from the middle.
bool Scatter(const std::vector<Visit>& visits, double share) {
  std::vector<double> medians;
  for (const Visit& visit : visits) medians.push_back(statistics::Median(visit.cycles));
  const double middle = statistics::Median(medians);
  std::ranges::sort(medians, {}, [middle](double each) { return std::abs(each - middle); });
  medians.pop_back();
  return std::ranges::max(medians) - std::ranges::min(medians) > share * middle;
}

// How many there were.
int DropOtherRevisions(int revision, Tally::Seen& seen) {
  int dropped = 0;
  for (std::size_t i = seen.visits.size(); i-- > 0;) {
    if (seen.visits[i].revision == revision) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    seen.visits.erase(seen.visits.begin() + at);
    seen.totals.erase(seen.totals.begin() + at);
    ++dropped;
  }
  return dropped;
}

}  // namespace

void Tally::Add(Visit visit, const Totals& totals) {
  Seen& seen = visit.state == CoreState::kContended ? contended : quiet;
  seen.visits.push_back(std::move(visit));
  seen.totals.push_back(totals);
}

void Tally::Lengthen() {
  stretch *= kSampleLengthFactor;
  loops *= kSampleLengthFactor;
  shorter_ns *= kSampleLengthFactor;
  unsettled = std::exchange(quiet, {});
}

void Tally::End(const sandbox::Death& by) {
  death = by;
  done = true;
  executor.reset();
}

bool Tally::Agrees() const {
  const auto& expected = experiment->expected;
  const bool is_first = quiet.visits.size() == 1 && unsettled.visits.empty();
  if (!expected || !expected->settles || !is_first) return false;
  const double cycles = statistics::Median(quiet.visits.front().cycles);
  return quiet.visits.front().state == CoreState::kQuiet && cycles >= expected->low &&
         cycles <= expected->high;
}

Measurement Tally::ToMeasurement() const {
  Measurement measurement;
  measurement.rejected = rejected;
  measurement.end = end;
  measurement.death = death;
  measurement.cut_short = is_due();
  if (experiment->has_several_speeds && experiment->difference == Difference::kCopies)
    measurement.units_of_speeds = experiment->units;
  if (death) return measurement;
  const bool has_enough =
      quiet.visits.size() >= statistics::kFewestVisits || unsettled.visits.empty();
  const Seen& seen = has_enough ? quiet : unsettled;
  measurement.visits = seen.visits;
  measurement.stretch = has_enough ? stretch : stretch / kSampleLengthFactor;
  measurement.totals = MiddleOf(seen.totals);
  if (Agrees()) {
    measurement.agreed = experiment->expected;
    return measurement;
  }
  if (seen.visits.size() >= statistics::kFewestVisits || contended.visits.empty()) {
    measurement.contended = too_few_quiet;
    return measurement;
  }
  measurement.contended = true;
  measurement.visits.insert(measurement.visits.end(), contended.visits.begin(),
                            contended.visits.end());
  std::vector<Totals> all = seen.totals;
  all.insert(all.end(), contended.totals.begin(), contended.totals.end());
  measurement.totals = MiddleOf(std::move(all));
  return measurement;
}

double Tally::ValueSoFar() const {
  std::vector<double> medians;
  for (const Seen* seen : {&quiet, &unsettled, &contended}) {
    if (!medians.empty()) break;
    for (const Visit& visit : seen->visits) medians.push_back(statistics::Median(visit.cycles));
  }
  return medians.empty() ? std::numeric_limits<double>::infinity() : statistics::Median(medians);
}

void Judge(const Sufficiency& enough, Tally& tally) {
  const std::size_t quiet = tally.quiet.visits.size();
  // Where the core is shared again and again, the few quiet visits must be enough.
  const std::size_t contended = tally.contended.visits.size();
  const std::size_t beside_neighbour = contended + static_cast<std::size_t>(tally.spoiled_visits);
  const bool gives_up =
      (enough.patience_is_spent && contended >= statistics::kFewestVisits) ||
      beside_neighbour >= 4 * static_cast<std::size_t>(std::max(enough.most_visits, 1));
  const auto is_found = [&](double precision) {
    const auto most = static_cast<std::size_t>(std::max(enough.most_visits, 1));
    return quiet >= std::min(enough.least_visits, most) &&
           IsFound(EstimateOf(GroupsOf(tally.quiet.visits), enough.confidence), precision);
  };
  tally.too_few_quiet = false;
  if (tally.Agrees() || is_found(enough.precision)) {
    tally.done = true;
    tally.end = SamplingEnd::kPrecise;
    return;
  }
  const bool is_fair = beside_neighbour >= statistics::kFewestVisits &&
                       is_found(kContendedPrecisionFactor * enough.precision);
  const bool was_visited_enough = static_cast<int>(quiet) >= enough.most_visits;
  tally.done = is_fair || was_visited_enough || gives_up || tally.lost_visits >= kMostLostVisits;
  tally.too_few_quiet = gives_up && !was_visited_enough && !is_fair;
}

bool NeedsLongerSamples(const Sufficiency& enough, const Tally& tally) {
  if (tally.done || tally.stretch >= enough.most_stretch) return false;
  const std::vector<Visit>& visits = tally.quiet.visits;
  return visits.size() >= kMaxVisitsBeforeLonger ||
         (visits.size() >= kVisitsBeforeLonger && Scatter(visits, enough.precision));
}

void JudgeAgain(const QuietCriteria& quiet_criteria, const Sufficiency& enough, Tally& tally) {
  int dropped = 0;
  for (Tally::Seen* seen : {&tally.quiet, &tally.unsettled, &tally.contended})
    dropped += DropOtherRevisions(quiet_criteria.revision, *seen);
  // So that a reference that never settles does not keep it going for ever.
  tally.lost_visits += dropped;
  bool changed = dropped > 0;
  for (Tally::Seen* seen : {&tally.quiet, &tally.unsettled}) {
    for (std::size_t i = 0; i < seen->visits.size();) {
      // A visit of unknown state does not count as quiet once states can be told.
      const Visit& visit = seen->visits[i];
      const bool known = visit.state != CoreState::kUnknown || !quiet_criteria.trusted;
      if (known && quiet_criteria.IsQuiet(visit.width)) {
        ++i;
        continue;
      }
      const auto at = static_cast<std::ptrdiff_t>(i);
      tally.contended.visits.push_back(std::move(seen->visits[i]));
      tally.contended.totals.push_back(seen->totals[i]);
      seen->visits.erase(seen->visits.begin() + at);
      seen->totals.erase(seen->totals.begin() + at);
      changed = true;
    }
  }
  if (!changed || tally.death) return;
  tally.done = false;
  tally.end = SamplingEnd::kBudget;
  Judge(enough, tally);
}

std::vector<Race> RacesOf(std::vector<Tally>& tallies) {
  std::map<std::size_t, Race> by_number;
  for (Tally& each : tallies) {
    if (each.experiment->race) by_number[*each.experiment->race].push_back(&each);
  }
  std::vector<Race> races;
  for (auto& [number, race] : by_number) races.push_back(std::move(race));
  return races;
}

void SettleRace(const Sufficiency& enough, const Race& race) {
  for (Tally* each : race) each->race_over = false;
  // What kills or stops the first does so to all.
  if (const auto& death = race.front()->death) {
    for (Tally* each : race) {
      if (!each->was_visited()) each->death = death;
      each->race_over = true;
    }
    return;
  }
  const auto is_reserve = [](const Tally* each) {
    return each->experiment->reserve && each->parked && !each->was_visited();
  };
  // A value that was measured beside a neighbour decides nothing while there is time to wait.
  bool waiting = false;
  for (Tally* each : race) {
    const bool unseen = enough.patience_is_spent ? !each->was_visited() : !each->was_quiet();
    if (each->done || !unseen || is_reserve(each)) continue;
    each->parked = false;
    waiting = true;
  }
  if (waiting) return;
  // The first that no later one clearly beats is visited on. The others wait: a few samples may be
  // lucky, and when more of them show it slower than another, that one is visited on.
  Tally* leader = race.front();
  for (Tally* each : race) {
    if (!each->death && each->ValueSoFar() < kBeatsRatio * leader->ValueSoFar()) leader = each;
  }
  const bool settled = leader->Agrees();
  // Nothing was as expected: now the reserve runs too.
  if (!settled && std::ranges::any_of(race, is_reserve)) {
    for (Tally* each : race) {
      if (is_reserve(each)) each->parked = false;
    }
    return;
  }
  // One visit may have been unlucky: what comes close is seen some times, where there is time.
  constexpr double kMayWinRatio = 1.1;
  const auto may_still_win = [&](const Tally* each) {
    return LooksForStates(enough.least_visits) && !settled && !each->done && !is_reserve(each) &&
           each->quiet.visits.size() < statistics::kFewestVisits &&
           each->ValueSoFar() < kMayWinRatio * leader->ValueSoFar();
  };
  const bool is_open = std::ranges::any_of(race, may_still_win);
  for (Tally* each : race) {
    each->parked = each != leader && !may_still_win(each);
    each->race_over = settled || (leader->done && !is_open);
  }
}

}  // namespace cyclescope::measure
