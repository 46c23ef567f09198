// Snippets given as texts or bytes, from assembling to rows: for `block` and `survey`.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "assembler/assembler.h"
#include "blocks/block.h"
#include "cyclescope/measure.h"
#include "cyclescope/result/instruction.h"
#include "library/block_ports.h"
#include "library/block_prediction.h"
#include "library/code_session.h"
#include "library/pulse.h"

namespace cyclescope::library {

// What is to be measured: a block, or a row that says why there is none.
struct BlockJob {
  std::optional<blocks::Block> block;
  bool predict = false;   // say what llvm-mca predicts, too
  bool timeline = false;  // and how it sees it go
  bool explain = false;   // and what binds it
  BlockRow row;
};

// Fills the block's registers, vectors and memory as the request says, from words to values.
Result<void> ApplySettings(const assembler::Assembler& assembler, const BlockRequest& request,
                           blocks::Block& block);

// The block with its texts assembled; one of raw bytes has its bytes already. One that needs what
// this machine does not offer is a job whose row says so; bad text is an error.
assembler::TextResult<BlockJob> AssembleBlock(assembler::Assembler& assembler, blocks::Block block);

// An error where the request is neither one snippet nor many, or has a number that it cannot have.
Result<void> CheckBlockRequest(const BlockRequest& request);

// The jobs of a checked request. Of many snippets a bad one is a row; of one it is an error.
Result<std::vector<BlockJob>> MakeJobs(assembler::Assembler& assembler,
                                       const BlockRequest& request);

// What is wrong with the sources, as CheckSources says it.
std::vector<TextProblem> ProblemsOfSources(assembler::Assembler& assembler,
                                           const BlockRequest& request);

// Called with a row per job, in their order; with fewer when the pulse ends. A row that is not
// whole lacks some of what was to be said about it, since the pulse ended. Its error ends it.
using OnBlockRow = std::function<Result<void>(const BlockRow&, bool is_whole)>;

// What adds to the rows that were measured, where there is one: ports to those that are explained,
// and a model of the core.
struct BlockAdditions {
  BlockPredictor* ports = nullptr;
  ModelledMachine* machine = nullptr;
  int machine_iterations = 0;  // of its timeline
};
Result<void> MeasureBlocks(CodeSession& session, std::span<const BlockJob> jobs, Pulse& pulse,
                           const OnBlockRow& on_row, const BlockAdditions& additions = {});

}  // namespace cyclescope::library
