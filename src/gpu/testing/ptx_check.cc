#include "gpu/testing/ptx_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

namespace cyclescope::gpu::testing {
namespace {

bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// First parts of the opcodes that a GPU has.
bool IsKnown(std::string_view opcode) {
  static const std::set<std::string_view> known = {
      "add",   "mad",      "mul",   "sub",   "lop3", "shf",      "shl",      "shr",  "prmt", "dp4a",
      "min",   "max",      "sad",   "bfe",   "bfi",  "popc",     "clz",      "brev", "selp", "setp",
      "div",   "fma",      "rcp",   "rsqrt", "sqrt", "ex2",      "lg2",      "sin",  "tanh", "cvt",
      "shfl",  "vote",     "match", "redux", "ld",   "st",       "ldmatrix", "atom", "red",  "bar",
      "fence", "mma",      "wgmma", "cp",    "mov",  "and",      "or",       "not",  "xor",  "ret",
      "bra",   "mbarrier", "cvta",  "neg",   "abs",  "nanosleep"};
  return known.contains(opcode.substr(0, opcode.find('.')));
}

class ModuleReader {
 public:
  explicit ModuleReader(std::string_view text) : text_(text) {}

  std::expected<PtxModule, std::string> Read() {
    while (error_.empty() && NextLine()) {
      if (entry_ == nullptr) {
        ReadOutside();
      } else {
        ReadInside();
      }
    }
    if (error_.empty() && entry_ != nullptr) Fail("the text ends within a kernel");
    if (error_.empty() && (!has_version_ || !has_target_)) Fail("no .version or no .target");
    if (!error_.empty()) return std::unexpected(error_);
    return module_;
  }

 private:
  bool NextLine() {
    if (text_.empty()) return false;
    ++number_;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line_ = Trimmed(text_.substr(0, end));
    text_.remove_prefix(std::min(end + 1, text_.size()));
    return true;
  }

  void Fail(std::string_view what) {
    if (error_.empty()) error_ = fmt::format("line {}; error : {}", number_, what);
  }

  void ReadOutside() {
    if (line_.starts_with(".version ")) {
      has_version_ = line_ == ".version 8.4";
    } else if (line_.starts_with(".target ")) {
      has_target_ = line_ == ".target sm_90a";
    } else if (line_.starts_with(".visible .entry ")) {
      const std::string_view rest = line_.substr(16);
      header_name_ = std::string(rest.substr(0, rest.find('(')));
    } else if (line_.starts_with(".maxntid ")) {
      header_threads_ = std::atoi(std::string(line_.substr(9)).c_str());
    } else if (line_ == "{") {
      for (const PtxEntry& each : module_.entries) {
        if (each.name == header_name_) return Fail("two kernels of one name");
      }
      module_.entries.push_back({header_name_, header_threads_, {}});
      entry_ = &module_.entries.back();
      registers_.clear();
      labels_.clear();
      jumps_.clear();
      depth_ = 1;
    } else if (!line_.empty() && !line_.starts_with(".param") &&
               !line_.starts_with(".address_size") && !line_.starts_with(".reqnctapercluster ") &&
               !line_.starts_with(".extern .shared")) {
      Fail(fmt::format("unexpected '{}'", line_));
    }
  }

  void ReadInside() {
    if (line_ == "{") {
      ++depth_;
    } else if (line_ == "}") {
      if (--depth_ == 0) EndEntry();
    } else if (line_.ends_with(':')) {
      if (!labels_.insert(std::string(line_.substr(0, line_.size() - 1))).second && depth_ == 1)
        Fail(fmt::format("the label {} stands twice", line_));
    } else if (!line_.empty()) {
      ReadStatements();
    }
  }

  void EndEntry() {
    for (const std::string& label : jumps_) {
      if (!labels_.contains(label)) Fail(fmt::format("Unknown symbol '{}'", label));
    }
    entry_ = nullptr;
  }

  // Several may stand on a line; braces of a scope, too.
  void ReadStatements() {
    std::string_view rest = line_;
    if (rest.starts_with("{ ")) {
      ++depth_;
      rest.remove_prefix(2);
    }
    bool closes = false;
    if (rest.ends_with(" }")) {
      closes = true;
      rest.remove_suffix(2);
    }
    if (!Trimmed(rest).ends_with(';')) return Fail("no semicolon at the end of a statement");
    while (!Trimmed(rest).empty()) {
      const std::size_t end = rest.find(';');
      ReadStatement(Trimmed(rest.substr(0, end)));
      rest.remove_prefix(end + 1);
    }
    if (closes) --depth_;
  }

  void ReadStatement(std::string_view statement) {
    if (statement.starts_with(".reg ")) return Declare(statement.substr(5));
    PtxStatement read;
    const std::size_t label = statement.find(": ");
    if (label != std::string_view::npos) {
      labels_.insert(std::string(statement.substr(0, label)));
      statement = Trimmed(statement.substr(label + 1));
    }
    std::string_view operands = statement;
    if (statement.starts_with('@')) {
      read.has_guard = true;
      statement = Trimmed(statement.substr(std::min(statement.find(' '), statement.size())));
    }
    read.opcode = std::string(statement.substr(0, statement.find(' ')));
    if (!IsKnown(read.opcode))
      return Fail(fmt::format("Not a name of any known instruction: '{}'",
                              read.opcode.substr(0, read.opcode.find('.'))));
    CheckRegisters(operands);
    read.reads_clock = operands.find("%clock64") != std::string_view::npos;
    if (read.opcode == "bra" || read.opcode == "bra.uni")
      jumps_.insert(std::string(Trimmed(statement.substr(statement.find(' ')))));
    entry_->statements.push_back(std::move(read));
  }

  // ".b64 %a, %b" or ".f32 %d<128>"
  void Declare(std::string_view text) {
    text = Trimmed(text.substr(text.find(' ')));
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(','), text.size());
      std::string name(Trimmed(text.substr(0, end)));
      if (const std::size_t count = name.find('<'); count != std::string::npos) {
        for (int i = 0; i < std::atoi(name.c_str() + count + 1); ++i)
          registers_.insert(fmt::format("{}{}", name.substr(0, count), i));
      } else if (!registers_.insert(name).second && depth_ == 1) {
        Fail(fmt::format("Duplicate definition of variable '{}'", name));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void CheckRegisters(std::string_view text) {
    static const std::set<std::string_view> special = {
        "%laneid",      "%tid.x", "%ntid.x",  "%ctaid.x", "%nctaid.x",
        "%clusterid.x", "%smid",  "%clock64", "%clock",   "%globaltimer"};
    for (std::size_t at = text.find('%'); at != std::string_view::npos;
         at = text.find('%', at + 1)) {
      std::size_t end = at + 1;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                                   text[end] == '_' || text[end] == '.'))
        ++end;
      const std::string_view name = text.substr(at, end - at);
      if (!special.contains(name) && !registers_.contains(std::string(name)))
        Fail(fmt::format("Unknown symbol '{}'", name));
    }
  }

  std::string_view text_;
  std::string_view line_;
  int number_ = 0;
  int depth_ = 0;
  std::string error_;
  bool has_version_ = false;
  bool has_target_ = false;
  std::string header_name_;
  int header_threads_ = 0;
  std::set<std::string> registers_;
  std::set<std::string> labels_;
  std::set<std::string> jumps_;
  PtxEntry* entry_ = nullptr;
  PtxModule module_;
};

}  // namespace

bool PtxEntry::Has(std::string_view first_part) const {
  return std::ranges::any_of(statements, [&](const PtxStatement& each) {
    return std::string_view(each.opcode).substr(0, each.opcode.find('.')) == first_part;
  });
}

std::expected<PtxModule, std::string> ReadPtx(std::string_view text) {
  return ModuleReader(text).Read();
}

}  // namespace cyclescope::gpu::testing
