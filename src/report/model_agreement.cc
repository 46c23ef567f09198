#include "report/model_agreement.h"

#include <algorithm>
#include <cmath>

#include "report/row_figures.h"

namespace cyclescope {
namespace {

bool Agree(double measured, double model) {
  constexpr double kRelative = 0.02;
  constexpr double kCycles = 0.05;
  return std::abs(measured - model) <= std::max(kRelative * model, kCycles);
}

bool IsMeasured(const InstructionRow& row) {
  return row.status == Status::kMeasured || row.status == Status::kDisturbed;
}

void CompareLatency(const InstructionRow& row, ModelAgreement& agreement) {
  const Latency* measured = LongestLatency(row);
  if (measured == nullptr || !row.model->latency) return;
  // Like with like: the register that an instruction combines with a loaded value does not wait for
  // the load. Documents of older versions have only the whole.
  const double model = measured->model.value_or(*row.model->latency);
  const double cycles = measured->cycles.value;
  ++agreement.latency.compared;
  if (Agree(cycles, model) || (IsUpperBound(*measured) && cycles > model)) {
    ++agreement.latency.agreeing;
  } else {
    agreement.differences.push_back({&row, ModelQuantity::kLatency, cycles, model});
  }
}

void CompareThroughput(const InstructionRow& row, ModelAgreement& agreement) {
  if (!row.throughput || !row.model->throughput) return;
  const double measured = row.throughput->cycles.value;
  const double model = *row.model->throughput;
  ++agreement.throughput.compared;
  if (Agree(measured, model)) {
    ++agreement.throughput.agreeing;
  } else {
    agreement.differences.push_back({&row, ModelQuantity::kThroughput, measured, model});
  }
}

}  // namespace

ModelAgreement CompareWithModel(std::span<const InstructionRow> rows) {
  ModelAgreement agreement;
  for (const InstructionRow& row : rows) {
    if (!row.model) continue;
    if (agreement.cpu.empty()) agreement.cpu = row.model->cpu;
    if (!IsMeasured(row)) continue;
    CompareLatency(row, agreement);
    CompareThroughput(row, agreement);
  }
  std::ranges::stable_sort(agreement.differences, std::ranges::greater(),
                           [](const ModelDifference& d) { return std::abs(d.difference()); });
  return agreement;
}

}  // namespace cyclescope
