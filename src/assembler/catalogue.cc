#include "assembler/catalogue.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "assembler/features.h"
#include "assembler/forms.h"
#include "assembler/isa.h"
#include "assembler/llvm_target.h"
#include "assembler/needed_features.h"
#include "assembler/parse.h"
#include "assembler/roles.h"
#include "base/work.h"

namespace cyclescope::assembler {
namespace {

constexpr std::size_t kFormsPerOpcode = 12;

// What came of the text of one form.
struct ParsedBack {
  std::vector<llvm::MCInst> instructions;
  std::string complaint;
};

// Parses one form per line, all at once: the parser's own set-up costs more than a line.
std::vector<ParsedBack> ParseBack(const Llvm& llvm, const llvm::MCSubtargetInfo& subtarget,
                                  const std::vector<std::string>& lines) {
  std::string text;
  std::vector<std::size_t> starts;
  for (const std::string& line : lines) {
    starts.push_back(text.size());
    text += line;
    text += '\n';
  }
  const auto line_at = [&starts](std::size_t offset) {
    return static_cast<std::size_t>(std::ranges::upper_bound(starts, offset) - starts.begin() - 1);
  };
  std::vector<ParsedBack> parsed(lines.size());
  const ParseOutcome outcome =
      ParseText(llvm, subtarget, text, [&](const llvm::MCInst& inst, std::size_t offset) {
        if (!lines.empty()) parsed[line_at(offset)].instructions.push_back(inst);
      });
  for (const Complaint& complaint : outcome.complaints) {
    std::string& first = parsed[line_at(complaint.offset)].complaint;
    if (first.empty()) first = complaint.message;
  }
  return parsed;
}

bool HasSameBytes(const Llvm& llvm, const llvm::MCInst& form, const ParsedBack& parsed) {
  if (!parsed.complaint.empty() || parsed.instructions.size() != 1) return false;
  llvm::SmallVector<char, 16> expected, found;
  AppendBytes(llvm, form, expected);
  AppendBytes(llvm, parsed.instructions.front(), found);
  return expected == found;
}

// What a subtarget's complaints mean; each is found out once.
class KnownNeeds {
 public:
  std::optional<std::vector<std::string>> Find(const std::string& complaint) const {
    const std::lock_guard lock(mutex_);
    const auto found = features_.find(complaint);
    if (found == features_.end()) return std::nullopt;
    return found->second;
  }
  void Add(const std::string& complaint, const std::vector<std::string>& features) {
    const std::lock_guard lock(mutex_);
    features_.emplace(complaint, features);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> features_;
};

// What the builders of a catalogue share.
struct Shared {
  const cyclescope::GoesOn& goes_on;
  KnownNeeds of_bare_cpu = {};
  KnownNeeds of_target = {};
  std::mutex asking = {};

  bool GoesOn() {
    const std::lock_guard lock(asking);
    return MayGoOn(goes_on);
  }
};

// Opcodes that one thread looks at.
struct OpcodeRange {
  unsigned begin = 0;
  unsigned end = 0;
};

class Builder {
 public:
  Builder(const Llvm& llvm, OpcodeRange range, Shared& shared)
      : llvm_(llvm),
        range_(range),
        shared_(shared),
        all_features_(WithAllFeatures(llvm)),
        disassembler_(llvm.target->createMCDisassembler(*all_features_, *llvm.context)),
        entries_(range.end - range.begin) {}

  // Nothing when the caller wants no more.
  std::vector<CatalogueEntry> Build() {
    Collect();
    if (!GoesOn()) return {};
    // Everything that LLVM knows, first: what parses back with all features is a form, and which of
    // those the target offers is asked once, of all together.
    for (std::size_t round = 0; round < kFormsPerOpcode && !open_.empty(); ++round) {
      Try(round);
      if (!GoesOn()) return {};
    }
    FindFeatures();
    if (!GoesOn()) return {};
    return std::move(entries_);
  }

 private:
  struct Open {
    unsigned opcode;
    FormCandidates candidates;
  };

  bool GoesOn() const { return shared_.GoesOn(); }

  CatalogueEntry& EntryOf(unsigned opcode) { return entries_[opcode - range_.begin]; }

  void Collect() {
    for (unsigned opcode = range_.begin; opcode < range_.end && GoesOn(); ++opcode) {
      CatalogueEntry& entry = EntryOf(opcode);
      entry.opcode = llvm_.OpcodeName(opcode);
      const bool own = IsCompilersOwn(opcode);
      FormCandidates candidates;
      if (!own) candidates = CandidatesFor(llvm_, *disassembler_, opcode, kFormsPerOpcode);
      if (!candidates.has_bytes) {
        entry.status = CatalogueStatus::kPseudo;
        entry.reason = "the compiler's own: no CPU has it";
      } else if (!candidates.forms.empty()) {
        open_.push_back({opcode, std::move(candidates)});
      } else if (!candidates.reads_as.empty()) {
        entry.status = CatalogueStatus::kDuplicate;
        entry.reason = fmt::format("its bytes are those of {}", candidates.reads_as);
      } else if (candidates.unread) {
        candidates.forms = {*candidates.unread};
        open_.push_back({opcode, std::move(candidates)});
      } else {
        entry.reason = "no choice of operands gives bytes that read back";
      }
    }
  }

  bool IsCompilersOwn(unsigned opcode) const {
    const llvm::MCInstrDesc& desc = llvm_.instructions->get(opcode);
    const auto& named = llvm_.rules->compilers_own;
    return desc.isPseudo() || desc.isPreISelOpcode() || desc.isMetaInstruction() ||
           std::ranges::find(named, llvm_.OpcodeName(opcode)) != named.end();
  }

  void Try(std::size_t round) {
    std::vector<std::string> lines;
    for (const Open& open : open_) {
      lines.push_back(round < open.candidates.forms.size()
                          ? PrintInst(llvm_, open.candidates.forms[round])
                          : std::string());
    }
    const auto parsed = ParseBack(llvm_, *all_features_, lines);
    std::vector<Open> still_open;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      Open& open = open_[i];
      if (round >= open.candidates.forms.size()) continue;
      CatalogueEntry& entry = EntryOf(open.opcode);
      const llvm::MCInst& form = open.candidates.forms[round];
      if (BranchesRelatively(form)) {
        Settle(form, entry);
        continue;
      }
      if (HasSameBytes(llvm_, form, parsed[i])) {
        const llvm::MCInst& same = parsed[i].instructions.front();
        if (same.getOpcode() == form.getOpcode() || same.getFlags() != 0) {
          Settle(same, entry);
          continue;
        }
      }
      Explain(lines[i], parsed[i], entry);
      still_open.push_back(std::move(open));
    }
    open_ = std::move(still_open);
  }

  void Settle(const llvm::MCInst& form, CatalogueEntry& entry) const {
    entry.status = CatalogueStatus::kForm;
    entry.reason.clear();
    entry.instruction = Describe(llvm_, form);
    entry.instruction->opcode = entry.opcode;  // of a form with a prefix, another than its own
    entry.mnemonic = entry.instruction->mnemonic;
  }

  // Its target is a distance, which text cannot say: a label would be another matter. That its
  // bytes read back is enough.
  bool BranchesRelatively(const llvm::MCInst& form) const {
    const llvm::MCInstrDesc& desc = llvm_.instructions->get(form.getOpcode());
    return std::ranges::any_of(desc.operands(), [](const llvm::MCOperandInfo& info) {
      return info.OperandType == llvm::MCOI::OPERAND_PCREL;
    });
  }

  void Explain(const std::string& line, const ParsedBack& parsed, CatalogueEntry& entry) const {
    if (!entry.reason.empty()) return;  // the first candidate is the most telling
    entry.mnemonic = MnemonicOf(llvm_, line);
    if (parsed.complaint.starts_with("instruction requires:") &&
        parsed.complaint.ends_with("-bit mode")) {
      entry.status = CatalogueStatus::kNeedsFeature;
      entry.reason = "not there in 64-bit mode";
      return;
    }
    if (!parsed.complaint.empty()) {
      const auto& named = llvm_.rules->unreadable;
      const auto known = std::ranges::find_if(named, [&entry](const Unreadable& each) {
        return entry.opcode.starts_with(each.begin) && entry.opcode.ends_with(each.end);
      });
      if (known == named.end()) {
        entry.reason = fmt::format("'{}' does not parse back: {}", line, parsed.complaint);
      } else if (!known->extension.empty() &&
                 !OffersExtension(llvm_, known->extension).value_or(false)) {
        Lack({std::string(known->extension)}, entry);
      } else {
        entry.reason = known->reason;
      }
      return;
    }
    entry.status = CatalogueStatus::kDuplicate;
    const std::string_view other = parsed.instructions.empty()
                                       ? "nothing"
                                       : llvm_.OpcodeName(parsed.instructions.front().getOpcode());
    entry.reason = other == entry.opcode ? fmt::format("'{}' parses back with other operands", line)
                                         : fmt::format("'{}' means {}", line, other);
  }

  // Which features each form needs, and whether the target offers them.
  void FindFeatures() {
    std::vector<CatalogueEntry*> forms;
    std::vector<std::string> lines;
    for (CatalogueEntry& entry : entries_) {
      if (entry.status != CatalogueStatus::kForm) continue;
      forms.push_back(&entry);
      lines.push_back(entry.instruction->text);
    }
    const auto bare = BareCpu(llvm_);
    const auto on_bare = ParseBack(llvm_, *bare, lines);
    if (!GoesOn()) return;
    const auto on_target = ParseBack(llvm_, *llvm_.subtarget, lines);
    for (std::size_t i = 0; i < forms.size(); ++i) {
      CatalogueEntry& entry = *forms[i];
      entry.features = IsaOf(llvm_, *entry.instruction);
      std::vector<std::string> missing = MissingIsa(llvm_, *entry.instruction);
      AddNeeded(*bare, lines[i], on_bare[i].complaint, shared_.of_bare_cpu, entry.features);
      AddNeeded(*llvm_.subtarget, lines[i], on_target[i].complaint, shared_.of_target, missing);
      if (!missing.empty()) Lack(std::move(missing), entry);
    }
  }

  static void Lack(std::vector<std::string> missing, CatalogueEntry& entry) {
    entry.status = CatalogueStatus::kNeedsFeature;
    entry.reason = fmt::format("needs {}", fmt::join(missing, ", "));
    entry.missing = std::move(missing);
  }

  void AddNeeded(const llvm::MCSubtargetInfo& offered, const std::string& line,
                 const std::string& complaint, KnownNeeds& known,
                 std::vector<std::string>& features) {
    if (complaint.empty()) return;
    for (const std::string& feature : FeaturesFor(offered, line, complaint, known)) {
      if (std::ranges::find(features, feature) == features.end()) features.push_back(feature);
    }
  }

  // LLVM's complaint names what is missing in words of its own; forms with the same complaint need
  // the same features, so that only one of each kind is searched for.
  std::vector<std::string> FeaturesFor(const llvm::MCSubtargetInfo& offered,
                                       const std::string& line, const std::string& complaint,
                                       KnownNeeds& known) {
    if (!complaint.starts_with("instruction requires:")) {
      return NeededFeatures(llvm_, offered, line);
    }
    if (auto found = known.Find(complaint)) return *found;
    std::vector<std::string> needed = NeededFeatures(llvm_, offered, line);
    if (!needed.empty()) known.Add(complaint, needed);
    return needed;
  }

  const Llvm& llvm_;
  OpcodeRange range_;
  Shared& shared_;
  std::unique_ptr<llvm::MCSubtargetInfo> all_features_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::vector<CatalogueEntry> entries_;
  std::vector<Open> open_;
};

}  // namespace

std::vector<CatalogueEntry> Catalogue(Assembler& assembler, const GoesOn& goes_on) {
  constexpr unsigned kMostThreads = 8;
  constexpr unsigned kPartsPerThread = 4;
  const unsigned opcodes = assembler.llvm().instructions->getNumOpcodes();
  const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
  const unsigned parts = threads == 1 ? 1 : threads * kPartsPerThread;
  Shared shared{.goes_on = goes_on};
  std::vector<std::vector<CatalogueEntry>> built(parts);
  std::atomic<unsigned> next = 0;
  std::atomic<bool> is_taken = false;
  RunOnThreads(threads, [&] {
    // LLVM's objects are for one thread: the first takes those that there are.
    std::optional<Assembler> own;
    if (is_taken.exchange(true)) {
      auto created = Assembler::Create(assembler.target());
      if (!created) return;  // then the others do it all
      own = std::move(*created);
    }
    const Llvm& llvm = own ? own->llvm() : assembler.llvm();
    for (unsigned part = next++; part < parts; part = next++) {
      const OpcodeRange range = {opcodes * part / parts, opcodes * (part + 1) / parts};
      built[part] = Builder(llvm, range, shared).Build();
      if (built[part].empty()) return;
    }
  });
  std::vector<CatalogueEntry> entries;
  for (std::vector<CatalogueEntry>& part : built) {
    if (part.empty()) return {};
    std::ranges::move(part, std::back_inserter(entries));
  }
  return entries;
}

std::vector<std::string> ExtensionNames(Assembler& assembler) {
  const Llvm& llvm = assembler.llvm();
  std::set<std::string> names(llvm.rules->baseline.begin(), llvm.rules->baseline.end());
  names.insert(llvm.rules->other_extensions.begin(), llvm.rules->other_extensions.end());
  for (const FeatureName& name : FeatureNames(llvm.description.architecture))
    names.emplace(name.word.empty() ? name.llvm : name.word);
  for (const Extension& extension : llvm.extensions)
    names.emplace(FeatureWord(llvm.description.architecture, extension.name));
  return {names.begin(), names.end()};
}

}  // namespace cyclescope::assembler
