// How text reports look on the terminal they go to, and what they must not hold there.
#pragma once

#include <string>
#include <string_view>

namespace cyclescope {

struct TextStyle {
  bool color = false;
  int width = 80;
  bool verbose = false;  // how it was measured, beside what was measured
};

// How much of a part is shown.
enum class TextSize {
  kPage,  // what people look for first
  kFull,  // every value, curve and footprint
};

enum class Tint { kGood, kNote, kWarn, kFaint, kBold };

// The text, coloured where the style has colour.
std::string Paint(std::string_view text, Tint tint, const TextStyle& style);

}  // namespace cyclescope
