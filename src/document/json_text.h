// What every writer of JSON shares.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace cyclescope {

// Keeps the order in which fields are set, which is the one that people should read them in.
using OrderedJson = nlohmann::ordered_json;

// On one line. Text that is not UTF-8 gets U+FFFD in place of what cannot be read.
std::string Dump(const OrderedJson& json);

// A measured value: six significant digits, ten times finer than the best measurement here and a
// third of the text that all digits of a double take. Null when it is not finite.
OrderedJson Rounded(double value);

}  // namespace cyclescope
