// Measures many forms. Planning a form (choosing registers, assembling) takes about a third of the
// time that measuring it does. So each measuring CPU is served by two threads on other CPUs, each
// with a lab of its own: one plans while the other's code has the CPU. On a machine with no other
// CPU there is one thread only.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "instructions/lab.h"
#include "instructions/measure_form.h"
#include "instructions/sweep_plan.h"
#include "os/cpus.h"

namespace cyclescope::instructions {

struct SweepSettings {
  os::CpuList measuring_cpus;  // at least one
  os::CpuList planning_cpus;   // those allowed that are not measured on; may be empty
  Experiments experiments;
};

// A lab that measures on `cpu`, and only while it holds `turn`.
using LabFactory = std::function<Result<std::unique_ptr<Lab>>(int cpu, std::mutex& turn)>;

struct SweepObserver {
  // Called for each row as it comes, by one thread at a time. An error ends the sweep.
  std::function<Result<void>(const PlacedRow& row)> take_row;
  // Asked before and after each form, by several threads; a form that was under way when it was
  // over gives no row.
  std::function<bool()> is_over;
};

// Ends when all forms are measured or the observer says so; rows come in no particular order.
Result<void> Sweep(const std::vector<SweepForm>& forms, const SweepSettings& settings,
                   const LabFactory& make_lab, const SweepObserver& observer);

}  // namespace cyclescope::instructions
