// The nodes of a fleet for programs that choose among them: host files as Slurm (srun --nodelist,
// --exclude) and MPI (--hostfile) read them, and lines for Node Health Check.
#pragma once

#include <string>

#include "cyclescope/base/error.h"
#include "cyclescope/result/fleet.h"

namespace cyclescope {

// A name a line: the normal ones.
Result<std::string> GoodHosts(const Fleet& fleet);

// The hosts that are slow or different, and those without a result. A node whose result says too
// little is in neither file.
Result<std::string> BadHosts(const Fleet& fleet);

// For nhc.conf, a line for each bad host that takes it out of service and says why:
//   n17 || die 1 "cyclescope: slow: core clock 3.49 GHz, 3.0 % below 3.60 GHz"
Result<std::string> NhcLines(const Fleet& fleet);

}  // namespace cyclescope
