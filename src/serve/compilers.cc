#include "serve/compilers.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <regex>
#include <set>
#include <system_error>

#include "base/try.h"
#include "cyclescope/measure.h"

namespace cyclescope::serve {
namespace {

using sandbox::ConfinedEnding;
using sandbox::ConfinedResult;

// A compiler calls what it reads from standard input so.
constexpr std::string_view kInputName = "<stdin>:";

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// What others call Linux on that architecture.
std::string TargetOf(const std::string& architecture) { return architecture + "-linux-gnu"; }

// Paths of compilers, without those that are other names of another. A gcc makes code of one
// architecture, and is named after it where that is not its own; clang makes code of all.
std::vector<std::filesystem::path> CompilersIn(const std::vector<std::string>& folders,
                                               const std::string& architecture) {
  const std::string gcc =
      architecture == ArchitectureName() ? "gcc" : TargetOf(architecture) + "-gcc";
  const std::regex name(fmt::format("({}|clang)(-[0-9]+)?", gcc));
  std::vector<std::filesystem::path> paths;
  for (const std::string& folder : folders) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (std::regex_match(entry.path().filename().string(), name)) paths.push_back(entry.path());
    }
  }
  // The shortest name of each comes first: gcc before gcc-12.
  std::ranges::sort(paths, {}, [](const std::filesystem::path& path) {
    return std::pair(path.filename().string().size(), path.string());
  });
  std::set<std::filesystem::path> seen;
  std::erase_if(paths, [&seen](const std::filesystem::path& path) {
    std::error_code error;
    const auto real = std::filesystem::canonical(path, error);
    return error || !seen.insert(real).second;
  });
  return paths;
}

int NumberIn(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(':')) text.remove_prefix(1);
  return number;
}

std::optional<Message> ReadMessage(std::string_view line) {
  if (!line.starts_with(kInputName)) return std::nullopt;
  line.remove_prefix(kInputName.size());
  Message message;
  message.line = NumberIn(line);
  message.column = NumberIn(line);
  if (line.starts_with(' ')) line.remove_prefix(1);
  for (const std::string_view severity : {"fatal error", "error", "warning", "note"}) {
    if (!line.starts_with(severity) || !line.substr(severity.size()).starts_with(": ")) continue;
    message.severity = severity == "fatal error" ? "error" : severity;
    message.text = line.substr(severity.size() + 2);
    return message;
  }
  return std::nullopt;
}

std::vector<std::string> WordsFor(const Compiler& compiler, const CompilerInput& input) {
  std::vector<std::string> words = {compiler.path};
  words.insert(words.end(), compiler.words.begin(), compiler.words.end());
  words.insert(words.end(), input.flags.begin(), input.flags.end());
  if (compiler.architecture == "x86_64" && !input.att_syntax) words.emplace_back("-masm=intel");
  // Line numbers, and nothing that a reader of assembly would have to look past.
  for (const char* word :
       {"-g1", "-fno-asynchronous-unwind-tables", "-fdiagnostics-color=never", "-S", "-o", "-",
        "-x", input.language == Language::kC ? "c" : "c++", "-"}) {
    words.emplace_back(word);
  }
  return words;
}

std::unexpected<Error> Explain(const ConfinedResult& ended) {
  switch (ended.ending) {
    case ConfinedEnding::kTimedOut:
      return Failed("the compiler took longer than it may, and was ended",
                    "give it less to do: it has ten seconds");
    case ConfinedEnding::kTooMuchOutput:
      return Failed("the compiler wrote more than 8 MB, and was ended", "give it less to do");
    case ConfinedEnding::kKilled:
      return Failed("the compiler needed more memory or time than it may have, and was ended",
                    "give it less to do: it has 2 GB");
    case ConfinedEnding::kStopped:
      return Failed("compiling was cancelled");
    case ConfinedEnding::kExited:
      break;
  }
  const std::string said = FirstLine(ended.errors);
  return Failed(said.empty() ? "the compiler failed without a word" : "the compiler: " + said);
}

// A clang may have been built without that architecture.
bool Compiles(const Compiler& compiler, const RunProgram& run) {
  const auto answer = Compile(compiler, {.text = "int x;"}, run, {});
  return answer && !answer->assembly.empty();
}

}  // namespace

Compilers FindCompilers(const std::vector<std::string>& folders, const std::string& architecture,
                        const RunProgram& run) {
  const bool is_foreign = architecture != ArchitectureName();
  Compilers compilers;
  compilers.why_none = is_foreign ? "no compiler here makes code of " + architecture
                                  : "neither gcc nor clang is installed";
  for (const std::filesystem::path& path : CompilersIn(folders, architecture)) {
    sandbox::ConfinedProgram program;
    program.words = {path.string(), "--version"};
    const auto said = run(program, {});
    if (!said) {
      compilers.why_none = said.error().ToString();
      continue;
    }
    if (said->ending != ConfinedEnding::kExited || said->exit_status != 0) continue;
    Compiler compiler = {.id = path.filename().string(),
                         .name = FirstLine(said->output),
                         .path = path.string(),
                         .architecture = architecture};
    if (is_foreign && compiler.id.starts_with("clang"))
      compiler.words = {"--target=" + TargetOf(architecture)};
    if (!is_foreign || Compiles(compiler, run)) compilers.found.push_back(std::move(compiler));
  }
  if (!compilers.found.empty()) compilers.why_none.clear();
  return compilers;
}

std::vector<Message> ReadMessages(std::string_view text) {
  constexpr std::size_t kMostMessages = 200;
  std::vector<Message> messages;
  while (!text.empty() && messages.size() < kMostMessages) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (auto message = ReadMessage(line)) messages.push_back(std::move(*message));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return messages;
}

Result<CompilerAnswer> Compile(const Compiler& compiler, const CompilerInput& input,
                               const RunProgram& run, const GoesOn& goes_on) {
  TRY(CheckFlags(input.flags));
  sandbox::ConfinedProgram program;
  program.words = WordsFor(compiler, input);
  program.input = input.text;
  auto ended = TRY(run(program, goes_on));
  CompilerAnswer answer;
  answer.messages = ReadMessages(ended.errors);
  const bool good = ended.ending == ConfinedEnding::kExited && ended.exit_status == 0;
  const bool has_error =
      std::ranges::find(answer.messages, "error", &Message::severity) != answer.messages.end();
  if (good)
    answer.assembly = std::move(ended.output);
  else if (ended.ending != ConfinedEnding::kExited || !has_error)
    return Explain(ended);
  return answer;
}

}  // namespace cyclescope::serve
