// What the machine of a document is called among others.
#pragma once

#include <string>

#include "cyclescope/result/document.h"

namespace cyclescope {

// As the engine knows it: the same machine may run several nodes, and a container has a name of its
// own. Else the host's.
inline const std::string& NodeName(const Document& document) {
  return document.engine && !document.engine->node.empty() ? document.engine->node
                                                           : document.host.name;
}

}  // namespace cyclescope
