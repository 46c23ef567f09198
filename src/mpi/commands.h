// The commands of cyclescope-mpi. Every rank runs them; rank 0 speaks.
#pragma once

#include <functional>

#include "cli/command.h"
#include "mpi/communicator.h"

namespace cyclescope::mpi {

struct RankCommand {
  CLI::App* app = nullptr;
  std::function<Result<cli::ExitCode>(const Communicator& ranks)> run;
};

RankCommand AddHostsCommand(CLI::App& root);
RankCommand AddSurveyCommand(CLI::App& root);

}  // namespace cyclescope::mpi
