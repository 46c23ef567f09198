// MachineModel and PredictBlocks
#include <utility>

#include "assembler/target.h"
#include "blocks/block.h"
#include "cyclescope/measure.h"
#include "library/block_jobs.h"
#include "library/block_prediction.h"
#include "library/document_start.h"

namespace cyclescope {

struct MachineModel::Parts {
  Host host;
  std::unique_ptr<library::ModelledMachine> machine;

  Result<assembler::Assembler> MakeReader(const CodeRequest& code) const {
    return machine->MakeAssembler(code.att_syntax ? assembler::Syntax::kAtt
                                                  : assembler::Syntax::kIntel);
  }
};

MachineModel::MachineModel(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
MachineModel::MachineModel(MachineModel&&) noexcept = default;
MachineModel& MachineModel::operator=(MachineModel&&) noexcept = default;
MachineModel::~MachineModel() = default;

Result<MachineModel> MachineModel::Read(const Document& machine) {
  auto modelled = library::ModelledMachine::Make(machine);
  if (!modelled) return std::unexpected(modelled.error());
  return MachineModel(
      std::make_unique<Parts>(Parts{.host = machine.host, .machine = std::move(*modelled)}));
}

Result<Document> MachineModel::Predict(const BlockRequest& request, int iterations) {
  if (auto checked = library::CheckBlockRequest(request); !checked)
    return std::unexpected(checked.error());
  auto document = library::StartDocument("predict");
  if (!document) return document;
  // Names of the machine that is predicted; nothing is measured on this one.
  document->host = parts_->host;
  library::ModelledMachine& machine = *parts_->machine;
  auto reader = parts_->MakeReader(request.code);
  if (!reader) return std::unexpected(reader.error());
  auto jobs = library::MakeJobs(*reader, request);
  if (!jobs) return std::unexpected(jobs.error());
  for (library::BlockJob& job : *jobs) {
    if (!job.block) {
      document->blocks.push_back(std::move(job.row));
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
    document->blocks.push_back(std::move(row));
  }
  return document;
}

Result<std::vector<TextProblem>> MachineModel::CheckSources(const BlockRequest& request) {
  auto reader = parts_->MakeReader(request.code);
  if (!reader) return std::unexpected(reader.error());
  return library::ProblemsOfSources(*reader, request);
}

Result<std::vector<std::optional<InstructionRow>>> MachineModel::Find(
    const InstructionRequest& request) {
  auto reader = parts_->MakeReader(request.code);
  if (!reader) return std::unexpected(reader.error());
  std::vector<std::optional<InstructionRow>> rows;
  for (const std::string& text : request.texts) {
    std::optional<InstructionRow>& row = rows.emplace_back();
    const auto parsed = reader->Parse(text);
    if (!parsed || parsed->size() != 1) continue;
    const InstructionRow* found = parts_->machine->RowOf(parsed->front());
    if (found != nullptr) row = *found;
  }
  return rows;
}

Result<Document> PredictBlocks(const PredictRequest& request) {
  if (auto checked = library::CheckBlockRequest(request.block); !checked)
    return std::unexpected(checked.error());
  auto model = MachineModel::Read(request.machine);
  if (!model) return std::unexpected(model.error());
  return model->Predict(request.block, request.iterations);
}

}  // namespace cyclescope
