// Where to measure: finds a CPU whose core no other thread uses, or waits for one.
//
//   QuietSearch search(executor, instrument, {.cpus = cpus, .patience = patience});
//   if (!search.Find(goes_on)) ...  // patience is spent: measure what there is, and say so
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "cyclescope/base/error.h"
#include "measure/instrument.h"
#include "measure/tick_clock.h"
#include "os/cpus.h"
#include "sandbox/executor.h"

namespace cyclescope::measure {

struct QuietPlaces {
  os::CpuList cpus;                      // that may be used; with none it stays where it is
  std::chrono::nanoseconds patience{0};  // the time that it waits in all
  WallClock wall_clock = SystemWallClock();
};

class QuietSearch {
 public:
  // The executor and the instrument must outlive it.
  QuietSearch(sandbox::CodeExecutor& executor, const Instrument& instrument, QuietPlaces places);

  // Moves to a CPU whose core no other thread uses, or waits for one. False when patience is spent
  // first.
  bool Find(const GoesOn& goes_on = {});

  // What the core looked like when it was last found quiet; unset where states cannot be told.
  const std::optional<Probe>& quiet_probe() const { return quiet_probe_; }

  bool PatienceIsSpent() const { return waited_ >= places_.patience; }
  void AddPatience(std::chrono::nanoseconds more) { places_.patience += more; }
  std::chrono::nanoseconds waited() const { return waited_; }
  // The worker waited meanwhile.
  void AddWaited(std::chrono::nanoseconds more) { waited_ += more; }
  // How often it handed over to the worker.
  std::int64_t looks() const { return looks_; }

 private:
  // Probes each of them once: one without a neighbour shows what quiet is. False where the worker
  // cannot come back.
  bool ProbeAll();
  // Moves there. True where the core is quiet.
  bool TryCpu(int cpu);
  // Tries some of them in a row, until one is quiet.
  bool TryCpusFrom(std::size_t place);
  Result<std::vector<Probe>> ProbeOn(int cpu, int probes);

  sandbox::CodeExecutor& executor_;
  const Instrument& instrument_;
  QuietPlaces places_;
  std::chrono::nanoseconds waited_{0};
  std::int64_t looks_ = 0;
  bool has_probed_all_ = false;
  std::optional<Probe> quiet_probe_;
};

}  // namespace cyclescope::measure
