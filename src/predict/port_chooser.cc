#include "predict/port_chooser.h"

#include <algorithm>
#include <bit>

namespace cyclescope::predict {
namespace {

// More than on another port that waits: then that one is not passed over.
constexpr int kPendingMargin = 3;
// From when a µop starts until its port is known to have one less.
constexpr std::int64_t kToldAfterCycles = 2;

}  // namespace

void PortChooser::BeginCycle(std::int64_t now) {
  if (choice_ == PortChoice::kTurnsOfSets) {
    const auto told = std::ranges::find_if(
        started_, [now](const auto& each) { return each.first + kToldAfterCycles > now; });
    for (auto each = started_.begin(); each != told; ++each) --waiting_[each->second];
    started_.erase(started_.begin(), told);
    turns_.clear();
  }
  if (choice_ != PortChoice::kLeastWaiting) waited_ = waiting_;
}

int PortChooser::Choose(PortSet ports, std::int64_t slot) {
  int chosen = 0;
  if (ports == alternating_) {
    is_second_ = !is_second_;
    chosen = is_second_ ? std::bit_width(ports) - 1 : std::countr_zero(ports);
  } else if (choice_ == PortChoice::kTurnsOfSets) {
    chosen = ByTurnOfSet(ports);
  } else {
    const bool in_turn = choice_ == PortChoice::kInTurn;
    chosen = FewestAndNext(ports, in_turn ? waited_ : waiting_, in_turn && slot % 2 == 1);
  }
  ++waiting_[static_cast<std::size_t>(chosen)];
  return chosen;
}

void PortChooser::Started(std::size_t port, std::int64_t now) {
  if (choice_ == PortChoice::kTurnsOfSets) {
    started_.emplace_back(now, port);
  } else {
    --waiting_[port];
  }
}

// Of several ports that are equal, the last.
int PortChooser::FewestAndNext(PortSet ports, const PortCounts& waiting, bool takes_next) const {
  int best = -1;
  int next = -1;
  for (PortSet left = ports; left != 0;) {
    const int port = std::bit_width(left) - 1;
    left ^= PortSet{1} << port;
    const auto fewer = [&](int other) {
      return other < 0 ||
             waiting[static_cast<std::size_t>(port)] < waiting[static_cast<std::size_t>(other)];
    };
    if (fewer(best)) {
      next = best;
      best = port;
    } else if (fewer(next)) {
      next = port;
    }
  }
  const bool is_near = next >= 0 && waiting[static_cast<std::size_t>(next)] <
                                        waiting[static_cast<std::size_t>(best)] + kPendingMargin;
  return takes_next && is_near ? next : best;
}

int PortChooser::ByTurnOfSet(PortSet ports) {
  std::array<int, kMostPorts> order{};
  int count = 0;
  // Equal ports begin with another one each time.
  for (int i = 0; i < kMostPorts; ++i) {
    const int port = (i + bound_) % kMostPorts;
    if ((ports >> port & 1) != 0) order[static_cast<std::size_t>(count++)] = port;
  }
  bound_ = (bound_ + 1) % kMostPorts;
  const auto waits = [this](int port) { return waited_[static_cast<std::size_t>(port)]; };
  // A few: the fewest first, and equal ones as they stand.
  for (int i = 1; i < count; ++i) {
    for (int k = i; k > 0; --k) {
      int& before = order[static_cast<std::size_t>(k) - 1];
      int& own = order[static_cast<std::size_t>(k)];
      if (waits(before) <= waits(own)) break;
      std::swap(before, own);
    }
  }
  int near = 1;
  while (near < count &&
         waits(order[static_cast<std::size_t>(near)]) < waits(order[0]) + kPendingMargin)
    ++near;
  auto turn = std::ranges::find(turns_, ports, &std::pair<PortSet, int>::first);
  if (turn == turns_.end()) turn = turns_.insert(turns_.end(), {ports, 0});
  return order[static_cast<std::size_t>(turn->second++ % near)];
}

std::uint64_t PortChooser::State(std::int64_t now) const {
  std::uint64_t state = is_second_ ? 1 : 0;
  if (choice_ != PortChoice::kTurnsOfSets) return state;
  state = state * kMostPorts + static_cast<std::uint64_t>(bound_);
  for (const auto& [at, port] : started_) {
    constexpr std::uint64_t kMixed = 0x9E3779B97F4A7C15ULL;
    state = (state ^ (static_cast<std::uint64_t>(now - at) * kMostPorts + port)) * kMixed;
  }
  return state;
}

}  // namespace cyclescope::predict
