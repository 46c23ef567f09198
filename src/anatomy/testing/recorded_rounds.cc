#include "anatomy/testing/recorded_rounds.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <span>
#include <sstream>

#include "statistics/statistics.h"

namespace cyclescope::anatomy::testing {
namespace {

using RoundsByFiller = std::map<std::string, std::vector<RecordedRound>>;

// All windows hold more fillers than these samples have.
constexpr std::size_t kSideBySideSamples = 6;

RoundsByFiller ReadRounds(const std::string& machine) {
  std::ifstream file(std::string(CYCLESCOPE_TEST_DATA) + "/anatomy/core-windows-" + machine +
                     ".csv");
  RoundsByFiller rounds;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string filler;
    std::getline(fields, filler, ',');
    std::size_t round = 0;
    RecordedSample sample;
    char comma = 0;
    fields >> round >> comma >> sample.fillers >> comma >> sample.times.one_chain_ns >> comma >>
        sample.times.two_chains_ns;
    rounds[filler].resize(std::max(rounds[filler].size(), round + 1));
    rounds[filler][round].push_back(sample);
  }
  return rounds;
}

RoundsByFiller& RoundsOfMachine(const std::string& machine) {
  static std::map<std::string, RoundsByFiller> recorded;
  if (!recorded.contains(machine)) recorded[machine] = ReadRounds(machine);
  return recorded[machine];
}

std::span<const RecordedSample> SideBySideSamples(const RecordedRound& round) {
  return std::span(round).first(kSideBySideSamples);
}

}  // namespace

const std::vector<RecordedRound>& RecordedRounds(const std::string& machine,
                                                 const std::string& filler) {
  return RoundsOfMachine(machine)[filler];
}

HeadTimes SideBySideOf(const RecordedRound& round) {
  std::vector<double> one;
  std::vector<double> two;
  for (const RecordedSample& sample : SideBySideSamples(round)) {
    one.push_back(sample.times.one_chain_ns);
    two.push_back(sample.times.two_chains_ns);
  }
  return {statistics::Median(one), statistics::Median(two)};
}

std::vector<HeadTimes> RecordedNoise(const std::string& machine) {
  std::vector<HeadTimes> noise;
  for (const auto& [filler, rounds] : RoundsOfMachine(machine)) {
    for (const RecordedRound& round : rounds) {
      const HeadTimes middle = SideBySideOf(round);
      for (const RecordedSample& sample : SideBySideSamples(round))
        noise.push_back({sample.times.one_chain_ns / middle.one_chain_ns,
                         sample.times.two_chains_ns / middle.two_chains_ns});
    }
  }
  return noise;
}

}  // namespace cyclescope::anatomy::testing
