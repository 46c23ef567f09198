#include "measure/run_tallies.h"

#include <algorithm>
#include <utility>

#include "statistics/statistics.h"

namespace cyclescope::measure {
namespace {

void SetWideExcess(std::optional<double> quiet_width, Measurement& measurement) {
  if (!quiet_width || measurement.visits.empty()) return;
  std::vector<double> widths;
  for (const Visit& visit : measurement.visits) widths.push_back(visit.width);
  measurement.wide_excess = std::max(statistics::Median(widths) / *quiet_width - 1, 0.0);
}

}  // namespace

RunTallies::RunTallies(std::span<const Experiment> experiments, const Runner::Replace& replace)
    : tallies_(experiments.size()), replacements_(experiments.size()), replace_(replace) {
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    tallies_[i].experiment = &experiments[i];
    tallies_[i].parked = experiments[i].reserve;
    if (const auto& expected = experiments[i].expected) tallies_[i].stretch = expected->stretch;
  }
  races_ = RacesOf(tallies_);
}

std::vector<Tally*> RunTallies::Due() {
  std::vector<Tally*> due;
  for (Tally& tally : tallies_) {
    if (tally.is_due()) due.push_back(&tally);
  }
  std::ranges::stable_sort(due, {}, [](const Tally* tally) {
    return std::pair(tally->visits(), !tally->experiment->shows_illegal);
  });
  return due;
}

bool RunTallies::ReplaceDead(Tally& tally) {
  if (!tally.death || !tally.experiment->alone || !replace_) return false;
  const auto index = static_cast<std::size_t>(&tally - tallies_.data());
  auto replacement = replace_(index, *tally.death);
  if (!replacement) return false;
  tally = Tally();
  tally.experiment = &replacements_[index].emplace(std::move(*replacement));
  return true;
}

void RunTallies::EndThoseLike(std::span<Tally* const> batch) {
  for (const Tally* dead : batch) {
    const Experiment& shown = *dead->experiment;
    if (!shown.shows_illegal || !shown.about || !dead->death ||
        dead->death->kind != sandbox::DeathKind::kIllegalInstruction) {
      continue;
    }
    for (Tally& tally : tallies_) {
      if (!tally.done && !tally.was_visited() && tally.experiment->about == shown.about)
        tally.End(*dead->death);
    }
  }
}

void RunTallies::SettleLostRaces(const Sufficiency& enough) {
  for (const Race& race : races_) {
    if (race.front()->death) SettleRace(enough, race);
  }
}

void RunTallies::SettleOpenRaces(const Sufficiency& enough) {
  for (const Race& race : races_) {
    if (!race.front()->race_over) SettleRace(enough, race);
  }
}

void RunTallies::JudgeAll(const QuietCriteria& quiet_criteria, const Sufficiency& enough) {
  for (Tally& tally : tallies_) JudgeAgain(quiet_criteria, enough, tally);
  for (const Race& race : races_) SettleRace(enough, race);
}

std::vector<Measurement> RunTallies::ToMeasurements(std::optional<double> quiet_width) const {
  std::vector<Measurement> measurements;
  for (const Tally& tally : tallies_) {
    measurements.push_back(tally.ToMeasurement());
    SetWideExcess(quiet_width, measurements.back());
  }
  return measurements;
}

}  // namespace cyclescope::measure
