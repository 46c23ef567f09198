// PredictBlocks
#include <utility>

#include "assembler/target.h"
#include "blocks/block.h"
#include "cyclescope/measure.h"
#include "library/block_jobs.h"
#include "library/block_prediction.h"
#include "library/document_start.h"

namespace cyclescope {

Result<Document> PredictBlocks(const PredictRequest& request) {
  if (auto checked = library::CheckBlockRequest(request.block); !checked)
    return std::unexpected(checked.error());
  auto document = library::StartDocument("predict");
  if (!document) return document;
  // Names of the machine that is predicted; nothing is measured on this one.
  document->host = request.machine.host;
  auto machine = library::ModelledMachine::Make(request.machine);
  if (!machine) return std::unexpected(machine.error());
  auto reader = (*machine)->MakeAssembler(
      request.block.code.att_syntax ? assembler::Syntax::kAtt : assembler::Syntax::kIntel);
  if (!reader) return std::unexpected(reader.error());
  auto jobs = library::MakeJobs(*reader, request.block);
  if (!jobs) return std::unexpected(jobs.error());
  for (library::BlockJob& job : *jobs) {
    if (!job.block) {
      document->blocks.push_back(std::move(job.row));
      continue;
    }
    // Nothing is run: what only a run would have to refuse is no reason here.
    blocks::BlockSubject subject =
        blocks::ReadBlock((*machine)->assembler(), std::move(*job.block), true);
    BlockRow row = subject.row;
    row.status = Status::kPredicted;
    row.reason.clear();
    row.loop = false;
    (*machine)->Predict(subject, request.iterations, row);
    document->blocks.push_back(std::move(row));
  }
  return document;
}

}  // namespace cyclescope
