// Names that a mistyped one may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope {

// The number of letters to insert, remove, replace or swap with their neighbour to get from one to
// the other.
int EditDistance(std::string_view from, std::string_view to);

// Up to `most` of `known` that differ from `name` by at most a third of its letters (and never by
// all of them), nearest first.
std::vector<std::string> NearNames(std::string_view name, std::span<const std::string> known,
                                   int most = 3);

// "; did you mean 'a' or 'b'?", or nothing.
std::string DidYouMean(std::span<const std::string> names);

}  // namespace cyclescope
