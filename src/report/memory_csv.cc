#include "report/memory_csv.h"

#include <fmt/core.h>

#include "result/names.h"

namespace cyclescope {

std::string MemoryCsv(const std::vector<MemoryRow>& rows) {
  std::string text =
      "cpu,node,order,pages,huge_share,bytes,cycles,cycles_low,cycles_high,ns,ns_low,ns_high,"
      "p10_ns,p90_ns,visits,contended\n";
  for (const MemoryRow& row : rows) {
    for (const MemoryCurve& curve : row.curves) {
      for (const MemoryPoint& point : curve.points) {
        text += fmt::format(
            "{},{},{},{},{:.3g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{}\n",
            row.cpu, row.node ? fmt::format("{}", *row.node) : "", ToString(curve.order),
            ToString(curve.pages), curve.huge_share, point.bytes, point.cycles.value,
            point.cycles.low, point.cycles.high, point.nanoseconds.value, point.nanoseconds.low,
            point.nanoseconds.high, point.p10_ns, point.p90_ns, point.visits,
            point.contended ? "yes" : "no");
      }
    }
  }
  return text;
}

}  // namespace cyclescope
