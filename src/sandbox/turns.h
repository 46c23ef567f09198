// Executors that share a CPU: one of them runs at a time. While one runs, whoever has the other
// loads its code, or reads what it measured.
//
//   std::mutex turn;  // must outlive both
//   std::unique_ptr<CodeExecutor> first = TakesTurns(std::move(worker), turn);
//   std::unique_ptr<CodeExecutor> second = TakesTurns(std::move(other_worker), turn);
#pragma once

#include <memory>
#include <mutex>

#include "sandbox/executor.h"

namespace cyclescope::sandbox {

std::unique_ptr<CodeExecutor> TakesTurns(std::unique_ptr<CodeExecutor> executor, std::mutex& turn);

}  // namespace cyclescope::sandbox
