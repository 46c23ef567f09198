#include "cores/threaded_line_source.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <utility>

#include "arch/architecture.h"
#include "base/try.h"
#include "cores/line_set.h"
#include "os/clock.h"

namespace cyclescope::cores {
namespace {

using std::chrono::nanoseconds;

// Looks at the line before a side asks whether the partner is still there. A partner that runs
// answers within some ten, so in a game without trouble the question is never asked.
constexpr std::uint64_t kTriesBetweenChecks = 1 << 16;

// A worker's time to wake up, beyond what its job takes.
constexpr nanoseconds kWakeUp = std::chrono::seconds(1);

// Where the threads of a round sleep until all of them have their job. Without it, the first to
// wake would spin on the CPU, and with the priority, from which the next job is still to be posted.
// Not an atomic's wait(), which GCC 12 makes of a condition variable where there is no futex, and
// which may then sleep through the only notification (seen with mingw).
class Gate {
 public:
  void WaitUntilOpen() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }
  void Open() {
    {
      const std::lock_guard lock(mutex_);
      open_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

}  // namespace

int Home::Of(pairs::CpuPair pair) const {
  switch (kind) {
    case Kind::kFirst:
      return pair.first;
    case Kind::kSecond:
      return pair.second;
    case Kind::kCpu:
      return cpu;
  }
  std::unreachable();
}

// One pair's set of lines while it is measured. Both sides' threads hold it, so that it outlives a
// thread that comes late. Each side writes its own vectors only; they are read when both are done.
struct ThreadedLineSource::Game {
  pairs::CpuPair pair;
  arch::PingPong ping_pong;
  pairs::LinePlan plan;
  LineSet lines;
  measure::TickClock clock;
  nanoseconds answer_timeout;

  struct Record {
    std::vector<std::uint64_t> batch_ticks;
    std::vector<std::uint64_t> arrival_ticks;  // per batch, with Protocol::kMessage
    std::vector<std::uint8_t> switched;        // per line
    std::atomic<std::uint64_t> heartbeat = 0;  // moves as long as the side gets on

    void Beat() { heartbeat.fetch_add(1, std::memory_order_relaxed); }
  };
  Record first;
  Record second;
  std::atomic<bool> over = false;
  std::atomic<bool> timed_out = false;

  Game(pairs::CpuPair played, const Options& options, const pairs::LinePlan& wanted, LineSet drawn,
       const measure::TickClock& tick_clock)
      : pair(played),
        ping_pong(options.ping_pong),
        plan(wanted),
        lines(std::move(drawn)),
        clock(tick_clock),
        answer_timeout(options.answer_timeout) {
    for (Record* record : {&first, &second}) {
      record->batch_ticks.reserve(lines.size() * plan.batches);
      record->arrival_ticks.reserve(lines.size() * plan.batches);
      record->switched.reserve(lines.size());
    }
  }

  double Elapsed(std::uint64_t since) const {
    return clock.Nanoseconds(static_cast<double>(arch::ReadTicks() - since));
  }

  // False when the game is over before the turns are taken.
  bool TakeTurns(arch::Side& side, std::uint64_t turns, Record& record) {
    std::uint64_t left = ping_pong.take_turns(side, turns, kTriesBetweenChecks);
    if (left == 0) return true;
    std::uint64_t last_move = arch::ReadTicks();
    while (left > 0) {
      if (over.load(std::memory_order_relaxed)) return false;
      if (Elapsed(last_move) > static_cast<double>(answer_timeout.count())) {
        timed_out = true;
        over = true;
        return false;
      }
      const std::uint64_t before = left;
      left = ping_pong.take_turns(side, left, kTriesBetweenChecks);
      if (left != before) {
        last_move = arch::ReadTicks();
        record.Beat();
      }
    }
    return true;
  }

  // All batches on one line. The end of a batch is the beginning of the next, so that nothing but
  // one reading of the clock stands between them.
  bool PlayLine(arch::Side side, int batches, std::uint64_t round_trips, Record& record) {
    const std::int64_t switches = os::ContextSwitches();
    if (!TakeTurns(side, plan.warm_up, record)) return false;
    std::uint64_t begin = arch::ReadTicks();
    for (int batch = 0; batch < batches; ++batch) {
      side.arrival_ticks = 0;
      if (!TakeTurns(side, round_trips, record)) return false;
      const std::uint64_t end = arch::ReadTicks();
      record.batch_ticks.push_back(end - begin);
      record.arrival_ticks.push_back(side.arrival_ticks);
      begin = end;
    }
    record.switched.push_back(os::ContextSwitches() != switches ? 1 : 0);
    record.Beat();
    return true;
  }

  // The first side ends the game when the budget is spent; the second sees that when it waits in
  // vain.
  void PlayFirst() {
    const std::uint64_t begin = arch::ReadTicks();
    for (std::size_t line = 0; line < lines.size(); ++line) {
      if (plan.budget_ns > 0 && Elapsed(begin) > static_cast<double>(plan.budget_ns)) break;
      const arch::Side side = lines.First(line, ping_pong.protocol);
      if (!PlayLine(side, plan.batches, plan.round_trips, first)) break;
    }
    over = true;
  }

  // Only the arrivals of messages are timed on this side. Without them it takes all turns in one
  // go, since what it does between two batches would be in the time of the first side.
  void PlaySecond() {
    const bool timed = ping_pong.protocol == arch::Protocol::kMessage;
    const int batches = timed ? plan.batches : 1;
    const auto round_trips = std::uint64_t{1} * plan.round_trips * plan.batches / batches;
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const arch::Side side = lines.Second(line, ping_pong.protocol);
      if (!PlayLine(side, batches, round_trips, second)) return;
    }
  }

  pairs::LineDraw Collect() const {
    pairs::LineDraw draw;
    draw.batches = plan.batches;
    draw.timed_out = timed_out;
    const std::size_t complete = std::min(first.switched.size(), second.switched.size());
    for (std::size_t line = 0; line < complete; ++line) {
      draw.switched.push_back(first.switched[line] | second.switched[line]);
      for (int batch = 0; batch < plan.batches; ++batch) {
        AppendBatch(line * plan.batches + batch, draw);
      }
    }
    return draw;
  }

 private:
  void AppendBatch(std::size_t batch, pairs::LineDraw& draw) const {
    const double round_trips = plan.round_trips;
    if (ping_pong.protocol != arch::Protocol::kMessage) {
      const auto ticks = static_cast<double>(first.batch_ticks[batch]);
      draw.batch_ns.push_back(clock.Nanoseconds(ticks) / round_trips / 2);
      return;
    }
    // Each delay is the way plus or minus the offset between the two clocks. A negative sum is a
    // clock that is behind, so the difference is signed.
    const auto mean_ns = [&](std::uint64_t ticks) {
      return clock.Nanoseconds(static_cast<double>(static_cast<std::int64_t>(ticks))) / round_trips;
    };
    const double forth = mean_ns(second.arrival_ticks[batch]);
    const double back = mean_ns(first.arrival_ticks[batch]);
    draw.batch_ns.push_back((forth + back) / 2);
    draw.offset_ns.push_back((forth - back) / 2);
  }
};

ThreadedLineSource::ThreadedLineSource(os::PinnedThreads& workers, measure::TickClock clock,
                                       Options options)
    : workers_(workers), clock_(std::move(clock)), options_(options), random_(options_.seed) {}

Result<std::vector<pairs::LineDraw>> ThreadedLineSource::Draw(std::span<const pairs::CpuPair> pairs,
                                                              const pairs::LinePlan& plan) {
  std::vector<std::shared_ptr<Game>> games;
  for (const pairs::CpuPair pair : pairs) {
    auto lines = TRY(LineSet::Draw(plan.lines, random_));
    const bool playable = workers_.Idle(pair.first) && workers_.Idle(pair.second) &&
                          workers_.Idle(options_.home.Of(pair));
    games.push_back(playable
                        ? std::make_shared<Game>(pair, options_, plan, std::move(lines), clock_)
                        : nullptr);
  }

  // Homes first, and one after the other: with --home N one CPU may be the home of all. One that
  // did not end in time is still at work.
  for (auto& game : games) {
    if (game && !(workers_.Idle(options_.home.Of(game->pair)) && Touch(game))) game = nullptr;
  }
  const auto gate = std::make_shared<Gate>();
  for (auto& game : games) {
    if (game && !(workers_.Idle(game->pair.first) && workers_.Idle(game->pair.second)))
      game = nullptr;
    if (!game) continue;
    workers_.Post(game->pair.second, [gate, game] {
      gate->WaitUntilOpen();
      game->PlaySecond();
    });
    workers_.Post(game->pair.first, [gate, game] {
      gate->WaitUntilOpen();
      game->PlayFirst();
    });
  }
  gate->Open();

  std::vector<pairs::LineDraw> draws;
  for (const auto& game : games) {
    pairs::LineDraw& draw = draws.emplace_back();
    draw.batches = plan.batches;
    draw.timed_out = true;
    if (!game) continue;
    const bool first_done = Finish(game->pair.first, game->first.heartbeat);
    // A side that never ran finds that the game is over when it does at last.
    if (!first_done) game->over = true;
    const bool second_done = Finish(game->pair.second, game->second.heartbeat);
    if (first_done && second_done) draw = game->Collect();
  }
  return draws;
}

std::int64_t ThreadedLineSource::Now() const { return os::MonotonicNanoseconds(); }

bool ThreadedLineSource::Touch(const std::shared_ptr<Game>& game) {
  const int home = options_.home.Of(game->pair);
  workers_.Post(home, [game] { game->lines.FirstTouch(game->ping_pong.protocol); });
  return workers_.Wait(home, options_.answer_timeout + kWakeUp);
}

bool ThreadedLineSource::Finish(int cpu, const std::atomic<std::uint64_t>& heartbeat) {
  // A side gives up by itself when the other does not answer, so a side that neither ends nor gets
  // on is one that its CPU does not let run.
  const nanoseconds patience = 2 * options_.answer_timeout + kWakeUp;
  std::uint64_t before = 0;
  do {
    before = heartbeat.load(std::memory_order_relaxed);
    if (workers_.Wait(cpu, patience)) return true;
  } while (heartbeat.load(std::memory_order_relaxed) != before);
  return false;
}

double ThreadedLineSource::Slowdown(pairs::CpuPair pair) {
  // Long enough that waking up and reading the clock do not count, short enough to fit between two
  // interrupts; the shortest of several is the undisturbed one.
  constexpr std::uint64_t kLoops = 5000;
  constexpr int kRepetitions = 15;
  struct Contest {
    Gate gate;
    std::atomic<bool> other_runs = false;
    std::atomic<bool> over = false;
    std::uint64_t alone = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t together = std::numeric_limits<std::uint64_t>::max();
  };
  const auto contest = std::make_shared<Contest>();
  const auto run = [](std::uint64_t& shortest) {
    for (int i = 0; i < kRepetitions; ++i) {
      const std::uint64_t begin = arch::ReadTicks();
      arch::RunWideLoop(kLoops);
      shortest = std::min(shortest, arch::ReadTicks() - begin);
    }
  };
  const nanoseconds patience = options_.answer_timeout + kWakeUp;
  if (!workers_.Idle(pair.first) || !workers_.Idle(pair.second)) return 0;

  workers_.Post(pair.first, [contest, run] { run(contest->alone); });
  if (!workers_.Wait(pair.first, patience)) return 0;

  workers_.Post(pair.second, [contest] {
    contest->gate.WaitUntilOpen();
    contest->other_runs = true;
    while (!contest->over) arch::RunWideLoop(kLoops);
  });
  workers_.Post(pair.first, [contest, run] {
    contest->gate.WaitUntilOpen();
    while (!contest->other_runs && !contest->over) arch::Relax();
    run(contest->together);
    contest->over = true;
  });
  contest->gate.Open();
  const bool done = workers_.Wait(pair.first, patience);
  contest->over = true;
  if (!workers_.Wait(pair.second, patience) || !done) return 0;
  return static_cast<double>(contest->together) / static_cast<double>(contest->alone);
}

}  // namespace cyclescope::cores
