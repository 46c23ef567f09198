// `cyclescope-mpi hosts`: latency and bandwidth between hosts, as text.
#pragma once

#include <string>

#include "cyclescope/result/hosts.h"
#include "report/text_style.h"

namespace cyclescope {

std::string HostsText(const HostMatrix& matrix, const TextStyle& style);

}  // namespace cyclescope
