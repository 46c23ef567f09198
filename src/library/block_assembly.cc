#include "library/block_assembly.h"

#include <utility>

namespace cyclescope::library {

assembler::TextResult<instructions::Block> AssembleBlock(assembler::Assembler& assembler,
                                                         instructions::Block block) {
  if (!block.init_text.empty()) {
    auto init = assembler.Assemble(block.init_text);
    if (!init) return std::unexpected(init.error());
    block.init = std::move(init->bytes);
    block.init_instructions = std::move(init->instructions);
  }
  if (block.raw) return block;
  auto snippet = assembler.Assemble(block.text);
  if (!snippet) return std::unexpected(snippet.error());
  block.bytes = std::move(snippet->bytes);
  block.instructions = std::move(snippet->instructions);
  return block;
}

BlockRow UnsupportedBlock(const instructions::Block& block, const assembler::TextError& error) {
  BlockRow row;
  row.text = block.text;
  row.init = block.init_text;
  row.status = Status::kUnsupported;
  row.reason = error.message;
  return row;
}

}  // namespace cyclescope::library
