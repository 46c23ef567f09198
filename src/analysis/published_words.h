// How a machine differs from the published one of its kind, in words.
#pragma once

#include <optional>
#include <string>

#include "cyclescope/result/document.h"

namespace cyclescope {

// True if the two are of one kind: the same microarchitecture.
bool IsOneKind(const Host& one, const Host& other);

// "as the published Emerald Rapids, but L3 ends at 14 MB, not at 60 MB". Unset where too few values
// can be judged by their intervals. `name` is what the published one is called.
std::optional<BesidePublished> CompareWithPublished(const Document& here, const Document& published,
                                                    const std::string& name);

}  // namespace cyclescope
