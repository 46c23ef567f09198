// Compiled without run-time type information, as LLVM is: a class that derives from LLVM's would
// look for type information that is not there.
#include "assembler/parse.h"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSymbol.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <iterator>

namespace cyclescope::assembler {
namespace {

// Hands instructions on instead of writing them anywhere.
class InstructionSink final : public llvm::MCStreamer {
 public:
  using Found = llvm::function_ref<void(const llvm::MCInst& inst, llvm::SMLoc place)>;
  InstructionSink(llvm::MCContext& context, Found found)
      : llvm::MCStreamer(context), found_(found) {}

  void emitInstruction(const llvm::MCInst& inst, const llvm::MCSubtargetInfo& /*info*/) override {
    found_(inst, getStartTokLoc());
  }
  bool emitSymbolAttribute(llvm::MCSymbol* /*symbol*/, llvm::MCSymbolAttr /*attribute*/) override {
    return true;
  }
  void emitCommonSymbol(llvm::MCSymbol* /*symbol*/, std::uint64_t /*size*/,
                        llvm::Align /*alignment*/) override {}
  void emitZerofill(llvm::MCSection* /*section*/, llvm::MCSymbol* /*symbol*/,
                    std::uint64_t /*size*/, llvm::Align /*alignment*/,
                    llvm::SMLoc /*place*/) override {}

 private:
  Found found_;
};

// One text being parsed: LLVM wants all of these to live together.
class Session {
 public:
  Session(const Llvm& llvm, const llvm::MCSubtargetInfo& subtarget, const std::string& text)
      : llvm_(llvm), subtarget_(subtarget), text_(text) {
    sources_.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBuffer(text, "text", /*RequiresNullTerminator=*/true), {});
    sources_.setDiagHandler([](const llvm::SMDiagnostic& diagnostic,
                               void* self) { static_cast<Session*>(self)->Note(diagnostic); },
                            this);
    context_ = std::make_unique<llvm::MCContext>(llvm.triple, llvm.asm_info.get(),
                                                 llvm.registers.get(), &subtarget, &sources_);
    context_->setDiagnosticHandler([this](const llvm::SMDiagnostic& diagnostic, bool,
                                          const llvm::SourceMgr&,
                                          std::vector<const llvm::MDNode*>&) { Note(diagnostic); });
    object_info_.reset(llvm.target->createMCObjectFileInfo(*context_, /*PIC=*/true));
    context_->setObjectFileInfo(object_info_.get());
  }

  llvm::MCContext& context() { return *context_; }
  std::vector<Complaint> complaints() { return std::move(complaints_); }

  std::size_t OffsetOf(llvm::SMLoc place) const {
    const char* at = place.getPointer();
    if (at < text_.data() || at > text_.data() + text_.size()) return 0;
    return static_cast<std::size_t>(at - text_.data());
  }

  void Run(llvm::MCStreamer& streamer, bool finish) {
    const std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(sources_, *context_, streamer, *llvm_.asm_info));
    const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
        llvm_.target->createMCAsmParser(subtarget_, *parser, *llvm_.instructions, {}));
    parser->setAssemblerDialect(llvm_.Dialect());
    parser->setTargetParser(*target_parser);
    parser->Run(/*NoInitialTextSection=*/false, /*NoFinalize=*/!finish);
  }

 private:
  void Note(const llvm::SMDiagnostic& diagnostic) {
    if (diagnostic.getKind() != llvm::SourceMgr::DK_Error) return;
    complaints_.push_back({OffsetOf(diagnostic.getLoc()), diagnostic.getMessage().str()});
  }

  const Llvm& llvm_;
  const llvm::MCSubtargetInfo& subtarget_;
  const std::string& text_;
  llvm::SourceMgr sources_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCObjectFileInfo> object_info_;
  std::vector<Complaint> complaints_;
};

// LLVM 19 takes `bfdot` without operands for an instruction, and crashes when it prints it.
bool IsComplete(const llvm::MCInst& inst, const llvm::MCInstrDesc& desc) {
  if (inst.getNumOperands() < desc.getNumOperands()) return false;
  for (unsigned i = 0; i < desc.getNumOperands(); ++i) {
    const llvm::MCOperand& operand = inst.getOperand(i);
    if (!operand.isValid()) return false;
    // Parts of an address may be left out, and are then no register.
    const bool must_be = desc.operands()[i].OperandType == llvm::MCOI::OPERAND_REGISTER;
    if (must_be && (!operand.isReg() || operand.getReg() == 0)) return false;
  }
  return true;
}

}  // namespace

ParseOutcome ParseText(const Llvm& llvm, const llvm::MCSubtargetInfo& subtarget,
                       const std::string& text, FoundInstruction found) {
  Session session(llvm, subtarget, text);
  std::vector<Complaint> incomplete;
  const auto with_offset = [&](const llvm::MCInst& inst, llvm::SMLoc place) {
    const std::size_t offset = session.OffsetOf(place);
    if (!IsComplete(inst, llvm.instructions->get(inst.getOpcode()))) {
      incomplete.push_back({offset, "too few operands for instruction"});
    } else {
      found(inst, offset);
    }
  };
  InstructionSink sink(session.context(), with_offset);
  llvm.target->createNullTargetStreamer(sink);  // owned by the sink
  session.Run(sink, /*finish=*/false);

  ParseOutcome outcome{.complaints = session.complaints(), .undefined_labels = {}};
  std::ranges::move(incomplete, std::back_inserter(outcome.complaints));
  for (const auto& entry : session.context().getSymbols()) {
    const llvm::MCSymbol* symbol = entry.getValue().Symbol;
    if (symbol == nullptr || !symbol->isUndefined()) continue;
    // Compilers' own labels (.L3) are temporary, and so is what LLVM makes of `1f`, which has no
    // name in the text.
    const std::string name = symbol->getName().str();
    if (!symbol->isTemporary() || text.find(name) != std::string::npos)
      outcome.undefined_labels.push_back(name);
  }
  std::ranges::sort(outcome.undefined_labels);
  return outcome;
}

ObjectOutcome EmitObject(const Llvm& llvm, const std::string& text) {
  ObjectOutcome outcome;
  llvm::SmallVector<char, 4096> elf;
  llvm::raw_svector_ostream stream(elf);
  Session session(llvm, *llvm.subtarget, text);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      llvm.target->createMCAsmBackend(*llvm.subtarget, *llvm.registers, {}));
  auto writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      llvm.target->createMCCodeEmitter(*llvm.instructions, session.context()));
  const std::unique_ptr<llvm::MCStreamer> streamer(
      llvm.target->createMCObjectStreamer(llvm.triple, session.context(), std::move(backend),
                                          std::move(writer), std::move(emitter), *llvm.subtarget));
  session.Run(*streamer, /*finish=*/true);
  outcome.complaints = session.complaints();
  if (outcome.complaints.empty()) outcome.elf.assign(elf.begin(), elf.end());
  return outcome;
}

}  // namespace cyclescope::assembler
