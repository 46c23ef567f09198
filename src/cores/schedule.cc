#include "cores/schedule.h"

#include <algorithm>
#include <numeric>

namespace cyclescope::cores {

Schedule Schedule::OneByOne(const os::CpuList& cpus, std::mt19937_64& random) {
  Schedule schedule;
  schedule.pairs_.reserve(cpus.size() * (cpus.size() - 1));
  for (const int first : cpus) {
    for (const int second : cpus) {
      if (first != second) schedule.pairs_.push_back({first, second});
    }
  }
  std::ranges::shuffle(schedule.pairs_, random);
  schedule.round_ends_.resize(schedule.pairs_.size());
  std::iota(schedule.round_ends_.begin(), schedule.round_ends_.end(), std::size_t{1});
  return schedule;
}

// The circle method of round-robin tournaments: one seat stays, the others move on by one a round,
// and seats that face each other play.
Schedule Schedule::AllAtOnce(const os::CpuList& cpus, std::mt19937_64& random) {
  constexpr int kEmpty = -1;  // facing it means to sit out
  std::vector<int> seats = cpus;
  if (seats.size() % 2 == 1) seats.push_back(kEmpty);
  std::ranges::shuffle(seats, random);

  Schedule schedule;
  for (std::size_t turn = 0; turn + 1 < seats.size(); ++turn) {
    for (const bool swapped : {false, true}) {
      for (std::size_t i = 0; i < seats.size() / 2; ++i) {
        CpuPair pair = {seats[i], seats[seats.size() - 1 - i]};
        if (pair.first == kEmpty || pair.second == kEmpty) continue;
        if (swapped) std::swap(pair.first, pair.second);
        schedule.pairs_.push_back(pair);
      }
      schedule.round_ends_.push_back(schedule.pairs_.size());
    }
    std::rotate(seats.begin() + 1, seats.end() - 1, seats.end());
  }
  return schedule;
}

std::span<const CpuPair> Schedule::Round(std::size_t round) const {
  const std::size_t begin = round == 0 ? 0 : round_ends_[round - 1];
  return std::span(pairs_).subspan(begin, round_ends_[round] - begin);
}

}  // namespace cyclescope::cores
