#include "serve/prepared_code.h"

#include <algorithm>
#include <map>
#include <utility>

namespace cyclescope::serve {
namespace {

std::vector<int> LinesWithText(std::string_view text) {
  std::vector<int> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(number);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return lines;
}

std::vector<int> Sorted(std::vector<int> lines) {
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  return lines;
}

// Where its instructions come from in the source.
std::vector<int> SourceLines(const BlockSource& loop, const std::vector<ShownLine>& shown) {
  std::map<int, int> source_of;
  for (const ShownLine& line : shown) source_of[line.line] = line.source;
  std::vector<int> lines;
  for (const int line : LinesOf(loop)) {
    const auto found = source_of.find(line);
    if (found != source_of.end() && found->second != 0) lines.push_back(found->second);
  }
  return Sorted(std::move(lines));
}

void TakeLoops(std::vector<BlockSource> sources, PreparedCode& prepared) {
  for (BlockSource& source : sources) {
    std::vector<int> lines =
        prepared.shown.empty() ? LinesOf(source) : SourceLines(source, prepared.shown);
    prepared.loops.push_back({std::move(source), std::move(lines)});
  }
  if (prepared.loops.empty()) {
    prepared.trouble =
        prepared.shown.empty()
            ? "there is no loop in this text: put '# LLVM-MCA-BEGIN' and '# LLVM-MCA-END' around "
              "what is to be measured"
            : "the compiler left no loop in this code";
  }
}

void PrepareAssembly(const Code& code, const std::string& architecture, PreparedCode& prepared) {
  prepared.att_syntax = code.att_syntax;
  if (auto listing = ReadListing(code.text, architecture)) {
    // A file that does not say its syntax is AT&T's for an assembler. Who writes Intel's here, and
    // one directive, means Intel's: AT&T's registers begin with %.
    const bool has_registers = std::ranges::any_of(listing->sources, [](const BlockSource& source) {
      return source.text.find('%') != std::string::npos;
    });
    prepared.att_syntax = listing->att_syntax && (code.att_syntax || has_registers);
    FindCodeOffsets(code.text, prepared.att_syntax, listing->sources, architecture);
    TakeLoops(std::move(listing->sources), prepared);
    return;
  }
  std::vector<int> lines = LinesWithText(code.text);
  if (lines.empty()) {
    prepared.trouble = "there is no instruction yet";
    return;
  }
  prepared.loops.push_back({{.text = code.text}, std::move(lines)});
}

void PrepareSource(const Code& code, const Preparation& preparation, const GoesOn& goes_on,
                   PreparedCode& prepared) {
  const Compilers& compilers = *preparation.compilers;
  const auto compiler = std::ranges::find(compilers.found, code.compiler, &Compiler::id);
  if (compiler == compilers.found.end()) {
    prepared.trouble = compilers.found.empty()
                           ? "C and C++ cannot be compiled here: " + compilers.why_none
                           : "there is no compiler '" + code.compiler + "' here";
    return;
  }
  if (LinesWithText(code.text).empty()) {
    prepared.trouble = "there is no code yet";
    return;
  }
  const CompilerInput input = {.language = code.language,
                               .flags = code.flags,
                               .att_syntax = code.att_syntax,
                               .text = code.text};
  auto answer = Compile(*compiler, input, preparation.run, goes_on);
  if (!answer) {
    prepared.trouble = answer.error().ToString();
    return;
  }
  prepared.messages = std::move(answer->messages);
  if (answer->assembly.empty()) {
    prepared.trouble = "the compiler refuses this code";
    return;
  }
  prepared.shown = ShownLines(answer->assembly);
  if (auto listing = ReadListing(answer->assembly, preparation.architecture)) {
    prepared.att_syntax = listing->att_syntax;
    FindCodeOffsets(answer->assembly, prepared.att_syntax, listing->sources,
                    preparation.architecture);
    TakeLoops(std::move(listing->sources), prepared);
  }
}

}  // namespace

std::vector<int> LinesOf(const BlockSource& loop) {
  std::vector<int> lines;
  for (const BlockTextPlace& place : loop.places) {
    if (place.line > 0) lines.push_back(place.line);
  }
  return Sorted(std::move(lines));
}

void AddProblems(const std::vector<TextProblem>& problems, PreparedCode& prepared) {
  if (problems.empty()) return;
  prepared.trouble = prepared.shown.empty() ? "this text is not assembly that can be measured"
                                            : "what the compiler made of this cannot be measured";
  for (const TextProblem& problem : problems) {
    Message message = {
        static_cast<int>(problem.line), static_cast<int>(problem.column), "error",
        problem.hint.empty() ? problem.message : problem.message + "; " + problem.hint};
    if (!prepared.shown.empty()) {
      // The editor has the source.
      const auto shown = std::ranges::find(prepared.shown, message.line, &ShownLine::line);
      message.line = shown == prepared.shown.end() ? 0 : shown->source;
      message.column = 0;
    }
    prepared.messages.push_back(std::move(message));
  }
}

PreparedCode Prepare(const Code& code, const Preparation& preparation, const GoesOn& goes_on) {
  PreparedCode prepared;
  if (code.language == Language::kAssembly)
    PrepareAssembly(code, preparation.architecture, prepared);
  else
    PrepareSource(code, preparation, goes_on, prepared);
  return prepared;
}

std::optional<std::size_t> ChooseLoop(const PreparedCode& prepared, const Code& code) {
  const std::vector<PreparedLoop>& loops = prepared.loops;
  if (loops.empty()) return std::nullopt;
  if (code.loop && static_cast<std::size_t>(*code.loop) < loops.size())
    return static_cast<std::size_t>(*code.loop);
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (loops[i].lines.empty()) continue;
    if (std::ranges::binary_search(loops[i].lines, code.line)) return i;
    const bool is_nearer = !before || loops[i].lines.front() > loops[*before].lines.front();
    if (loops[i].lines.front() <= code.line && is_nearer) before = i;
  }
  return before.value_or(0);
}

}  // namespace cyclescope::serve
