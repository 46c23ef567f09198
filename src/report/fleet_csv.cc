
#include <fmt/core.h>

#include <array>

#include "report/csv.h"

namespace cyclescope {

std::string FleetCsv(const Fleet& fleet) {
  std::string text =
      "node,verdict,group,compared_with,passes,metric,unit,value,low,high,centre,difference,score,"
      "slower,cause\n";
  for (const FleetNode& node : fleet.nodes) {
    const auto line = [&](const FleetDeviation* deviation) {
      const auto number = [&](double FleetDeviation::* member) {
        return deviation == nullptr ? "" : CsvNumber(deviation->*member);
      };
      const std::array<std::string, 15> fields = {node.name,
                                                  std::string(ToString(node.verdict)),
                                                  node.group,
                                                  node.compared_with,
                                                  fmt::format("{}", node.passes),
                                                  deviation == nullptr ? "" : deviation->metric,
                                                  deviation == nullptr ? "" : deviation->unit,
                                                  number(&FleetDeviation::value),
                                                  number(&FleetDeviation::low),
                                                  number(&FleetDeviation::high),
                                                  number(&FleetDeviation::centre),
                                                  number(&FleetDeviation::difference),
                                                  number(&FleetDeviation::score),
                                                  deviation == nullptr ? ""
                                                  : deviation->slower  ? "yes"
                                                                       : "no",
                                                  node.cause};
      text += CsvLine(fields);
    };
    if (node.deviations.empty()) line(nullptr);
    for (const FleetDeviation& deviation : node.deviations) line(&deviation);
  }
  return text;
}

}  // namespace cyclescope
