// MachineModel and PredictBlocks
#include <utility>

#include "assembler/target.h"
#include "base/try.h"
#include "blocks/block.h"
#include "cyclescope/measure.h"
#include "library/block_jobs.h"
#include "library/block_prediction.h"
#include "library/document_start.h"

namespace cyclescope {

struct MachineModel::Parts {
  Host host;
  std::unique_ptr<library::ModelledMachine> machine;

  Result<library::Reader> MakeReader(const CodeRequest& code) const {
    auto assembler = TRY(machine->MakeAssembler(code.att_syntax ? assembler::Syntax::kAtt
                                                                : assembler::Syntax::kIntel));
    return library::Reader{.assembler = std::move(assembler)};
  }
};

MachineModel::MachineModel(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
MachineModel::MachineModel(MachineModel&&) noexcept = default;
MachineModel& MachineModel::operator=(MachineModel&&) noexcept = default;
MachineModel::~MachineModel() = default;

Result<MachineModel> MachineModel::Read(const Document& machine) {
  auto modelled = TRY(library::ModelledMachine::Make(machine));
  return MachineModel(
      std::make_unique<Parts>(Parts{.host = machine.host, .machine = std::move(modelled)}));
}

Result<Document> MachineModel::Predict(const BlockRequest& request, int iterations) {
  TRY(library::CheckBlockRequest(request));
  auto document = TRY(library::StartDocument("predict"));
  // Names of the machine that is predicted; nothing is measured on this one.
  document.host = parts_->host;
  library::ModelledMachine& machine = *parts_->machine;
  auto reader = TRY(parts_->MakeReader(request.code));
  auto jobs = TRY(library::MakeJobs(reader, request));
  for (library::BlockJob& job : jobs) {
    if (!job.block) {
      document.blocks.push_back(std::move(job.row));
      continue;
    }
    // Nothing is run: what only a run would have to refuse is no reason here.
    blocks::BlockSubject subject =
        blocks::ReadBlock(machine.assembler(), std::move(*job.block), true);
    BlockRow row = subject.row;
    row.status = Status::kPredicted;
    row.reason.clear();
    row.loop = false;
    machine.Predict(subject, iterations, row);
    document.blocks.push_back(std::move(row));
  }
  return document;
}

Result<std::vector<TextProblem>> MachineModel::CheckSources(const BlockRequest& request) {
  auto reader = TRY(parts_->MakeReader(request.code));
  return library::ProblemsOfSources(reader.assembler, request);
}

Result<std::vector<std::optional<InstructionRow>>> MachineModel::Find(
    const InstructionRequest& request) {
  auto reader = TRY(parts_->MakeReader(request.code));
  std::vector<std::optional<InstructionRow>> rows;
  for (const std::string& text : request.texts) {
    std::optional<InstructionRow>& row = rows.emplace_back();
    const auto parsed = reader.assembler.Parse(text);
    if (!parsed || parsed->size() != 1) continue;
    const InstructionRow* found = parts_->machine->RowOf(parsed->front());
    if (found != nullptr) row = *found;
  }
  return rows;
}

Result<Document> PredictBlocks(const PredictRequest& request) {
  TRY(library::CheckBlockRequest(request.block));
  auto model = TRY(MachineModel::Read(request.machine));
  return model.Predict(request.block, request.iterations);
}

}  // namespace cyclescope
