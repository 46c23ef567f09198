#include "document/json_text.h"

#include <cmath>

namespace cyclescope {

std::string Dump(const OrderedJson& json) {
  constexpr int kOneLine = -1;
  return json.dump(kOneLine, ' ', /*ensure_ascii=*/false, OrderedJson::error_handler_t::replace);
}

OrderedJson Rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0) return 0.0;
  constexpr double kDigits = 6;
  const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::abs(value))));
  // Values so small or large that the scale over- or underflows are written as they are.
  const double rounded = std::round(value * scale) / scale;
  return std::isfinite(rounded) ? rounded : value;
}

}  // namespace cyclescope
