// Options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cyclescope/cycle_choice.h"
#include "os/cpus.h"
#include "result/document.h"

namespace cyclescope::cli {

// `--cpus LIST`
struct CpuOption {
  std::string list;
  void AddTo(CLI::App& app);
  // The CPUs meant: all that may be used when the option was not given.
  Result<os::CpuList> Select() const;
};

// `--cycles SOURCE`
void AddCyclesOption(CLI::App& app, CycleChoice& choice);

// `--topology FILE`
struct TopologyOption {
  std::string file;
  void AddTo(CLI::App& app);
};

// What was given on the command line, as name and value, for the result document.
std::vector<GivenOption> GivenOptions(const CLI::App& app);

}  // namespace cyclescope::cli
