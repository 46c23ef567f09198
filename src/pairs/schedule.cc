#include "pairs/schedule.h"

#include <algorithm>
#include <numeric>

namespace cyclescope::pairs {

Schedule Schedule::OneByOne(const os::CpuList& cpus, std::mt19937_64& random) {
  Schedule schedule;
  schedule.pairs_.reserve(cpus.size() * (cpus.size() - 1) / 2);
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool swapped = random() % 2 == 0;
      schedule.pairs_.push_back(swapped ? CpuPair{cpus[i], cpus[j]} : CpuPair{cpus[j], cpus[i]});
    }
  }
  std::ranges::shuffle(schedule.pairs_, random);
  schedule.set_ends_.resize(schedule.pairs_.size());
  std::iota(schedule.set_ends_.begin(), schedule.set_ends_.end(), std::size_t{1});
  return schedule;
}

// The circle method of round-robin tournaments: one seat stays, the others move on by one a turn,
// and seats that face each other play.
Schedule Schedule::AllAtOnce(const os::CpuList& cpus, std::mt19937_64& random) {
  constexpr int kEmpty = -1;  // facing it means to sit out
  std::vector<int> seats = cpus;
  if (seats.size() % 2 == 1) seats.push_back(kEmpty);
  std::ranges::shuffle(seats, random);

  Schedule schedule;
  for (std::size_t turn = 0; turn + 1 < seats.size(); ++turn) {
    for (std::size_t i = 0; i < seats.size() / 2; ++i) {
      const CpuPair pair = {seats[i], seats[seats.size() - 1 - i]};
      if (pair.first != kEmpty && pair.second != kEmpty) schedule.pairs_.push_back(pair);
    }
    schedule.set_ends_.push_back(schedule.pairs_.size());
    std::rotate(seats.begin() + 1, seats.end() - 1, seats.end());
  }
  return schedule;
}

std::span<const CpuPair> Schedule::Set(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : set_ends_[index - 1];
  return std::span(pairs_).subspan(begin, set_ends_[index] - begin);
}

}  // namespace cyclescope::pairs
