// What probes tell about a core: how long a cycle is in ticks, and whether another thread shares
// the core. What a quiet core looks like is learnt on the machine, not written down per processor:
// it is the best that repeats.
//
//   CoreWatch watch;
//   watch.Observe(cpu, probe);                        // learns, and counts for the CPU
//   if (watch.StateOf(probe) == CoreState::kQuiet) ...
//   double ticks = *watch.CycleTicks(before, after);  // around a sample
//
// Shared by all CPUs of a kind and by all jobs; safe to use from several threads.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cyclescope/result/clock.h"
#include "cyclescope/result/host.h"
#include "measure/probe.h"

namespace cyclescope::measure {

enum class CoreState {
  kQuiet,      // no other thread uses the core
  kContended,  // another thread takes a part of it
  kUnknown,    // chains and ticks don't fit together here (an emulator): nothing can be said
};

// By what an earlier visit is judged: whether its cycles can be trusted, and whether it was quiet.
struct QuietCriteria {
  int revision = 0;      // of the watch; cycles of an earlier one are wrong
  bool trusted = false;  // states can be told
  // Cycles of a wide add that a quiet core takes at most. Unset until a core was seen without its
  // neighbour: until then it may look quiet.
  std::optional<double> widest_quiet;

  bool IsQuiet(double width) const { return !widest_quiet || width <= *widest_quiet; }
  bool operator==(const QuietCriteria&) const = default;
};

// How much of the time the core of one CPU was shared.
struct SharedTime {
  int cpu = 0;
  int probes = 0;
  int contended = 0;          // of these
  double wide_quiet = 0;      // cycles of a wide add on a quiet core
  double wide_contended = 0;  // the same, the mean over contended probes

  double share() const { return probes == 0 ? 0 : static_cast<double>(contended) / probes; }
};

class CoreWatch {
 public:
  // `expected_width` is what a model of the processor says that one of many independent adds takes.
  // It is not trusted, but a core that looks quiet and is much slower has to look so for longer: a
  // neighbour that never changes looks quiet, too.
  explicit CoreWatch(std::optional<double> expected_width = std::nullopt)
      : expected_width_(expected_width) {}

  // Learns from a probe, and counts it for its CPU. Disturbed probes are ignored.
  void Observe(int cpu, const Probe& probe) { Learn(cpu, probe, /*between=*/false); }
  // The same, of a probe between two pieces of code. Code may leave the core in another state for a
  // while (wide vectors slow its clock). So these teach what quiet looks like only until probes
  // without code around them do.
  void ObserveBetween(int cpu, const Probe& probe) { Learn(cpu, probe, /*between=*/true); }

  CoreState StateOf(const Probe& probe) const;

  // The length of a cycle between two probes: the shortest that any chain tells, if a second chain
  // agrees. Unset where the probes differ by so much that the frequency must have changed.
  std::optional<double> CycleTicks(const Probe& before, const Probe& after) const;
  // The same of one probe alone.
  double CycleTicks(const Probe& probe) const;
  // The same, if its first two chains, between which a reading of the clock stands, agree.
  std::optional<double> SteadyCycleTicks(const Probe& probe) const;

  // Whether the chains take whole numbers of cycles, and numbers that make sense: then ticks can be
  // turned into cycles. The bounds matter. On Golden Cove an add of an immediate takes 0.176
  // cycles, and a multiply of 3 cycles is then 17.05 times that: near 17, but no multiplier takes
  // 17 cycles.
  SelfCheck CheckItself() const;
  bool trusted() const;
  // How often it had to correct how many cycles the chains' links take. Cycles that were computed
  // before a correction are wrong.
  int revision() const;
  // Probes that were looked at for that; no more than the latest 200 count.
  std::size_t probes() const;

  // The criteria as far as they are known by now.
  QuietCriteria quiet_criteria() const;

  // Cycles of a wide add, the larger value of two probes.
  double WidthOf(const Probe& before, const Probe& after) const;

  // Cycles of a wide add on a quiet core; unset while none was seen.
  std::optional<double> QuietWidth() const;
  std::vector<SharedTime> Shares() const;

 private:
  using Cycles = std::array<double, kProbeChains>;
  using Proportions = std::array<int, kProbeChains>;  // cycles of a link
  using Ratios = std::array<double, kProbeChains>;    // ticks of a link over those of an add
  struct SeenRatios {
    Ratios ratios{};
    std::optional<Proportions> whole;  // where all are whole at once
  };
  struct CpuState {
    int probes = 0;
    int contended = 0;
    double contended_width = 0;  // their sum
    // Of the latest probes: their widths, and the length of a cycle as the first chain tells it,
    // divided by what the second tells.
    struct Run {
      std::vector<double> widths;
      std::vector<double> ratios;
    };
    Run looks;
    Run between;
  };

  // What each chain says that a cycle is, in ticks.
  Cycles Implied(const Probe& probe) const;
  double LeastConfirmed(const Probe& probe) const;
  double Width(const Probe& probe) const;
  bool ChainsAgree(const Probe& probe) const;
  CoreState Judge(const Probe& probe) const;
  void Count(const Probe& probe, CpuState& cpu) const;
  void LearnProportions(const Probe& probe);
  // What most of the latest probes with whole ratios show, if they are enough of them.
  std::optional<Proportions> WholeProportions() const;
  // The whole numbers that the medians of the latest ratios are near, if most ratios are near them.
  std::optional<Proportions> RoughProportions() const;
  // The medians of the latest ratios; only of whole ones, where these settled the proportions.
  Ratios MedianRatios() const;
  void Learn(int cpu, const Probe& probe, bool between);
  // Adds to a run of probes; what is quiet follows when it is long enough.
  void LearnWidth(const Probe& probe, CpuState::Run& run, std::vector<double>& quiet_runs);

  // True if a run of that width can be taken for a quiet core.
  bool IsBelievable(double width) const;

  std::optional<double> expected_width_;
  mutable std::mutex mutex_;
  std::optional<Proportions> proportions_;  // unset while chains and ticks don't fit together
  int revision_ = 0;
  std::deque<SeenRatios> ratios_;     // of the latest probes
  std::map<Proportions, int> whole_;  // how many of these had them
  std::deque<double> latest_widths_;  // while no quiet width is known, and one is expected
  // Widths of runs of probes that were alike, the least first: without and with code between them.
  std::vector<double> quiet_looks_;
  std::vector<double> quiet_between_;
  std::optional<double> quiet_width_;
  std::map<int, CpuState> cpus_;
};

// A watch for each kind of core that a machine has: what quiet looks like is the same for all of a
// kind, and for those only.
// All parts of a request share them, so that a result has one verdict. Safe to use from several
// threads.
class CoreWatches {
 public:
  explicit CoreWatches(std::optional<double> expected_width = std::nullopt)
      : expected_width_(expected_width) {}

  // The watch for the kind of core that this CPU has.
  std::shared_ptr<CoreWatch> Of(int cpu, const std::vector<CpuPlace>& topology);

  std::vector<std::shared_ptr<CoreWatch>> all() const;

 private:
  std::optional<double> expected_width_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<CoreWatch>> by_kind_;
};

}  // namespace cyclescope::measure
