#include "cli/options.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "cli/command.h"
#include "cli/option_table.h"
#include "cli/self_description.h"
#include "os/cpus.h"

namespace cyclescope::cli {
namespace {

// As a POSIX shell reads it back.
std::string ShellWord(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./:=,+%@").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  return ShellQuoted(text);
}

}  // namespace

void CpuOption::AddTo(CLI::App& app, std::string_view by_default, const char* names) {
  app.add_option(names, list, fmt::format("CPUs to use, as in 0-3,8 (default: {})", by_default))
      ->type_name("LIST")
      // An empty list is a variable that was not set, not a wish for every CPU.
      ->check([](const std::string& text) {
        return text.empty() ? "no CPUs given; write them as in 0-3,8" : "";
      });
}

Result<std::vector<int>> CpuOption::Parse() const {
  if (list.empty()) return std::vector<int>();
  return os::ParseCpuList(list);
}

void AddCyclesOption(CLI::App& app, CycleChoice& choice) {
  constexpr auto kNames = NamesOf(CycleChoice{});
  // A function instead of CLI11's transformer, whose messages show the enumerators' numbers.
  OneOf(app.add_option_function<std::string>(
            "--cycles",
            [&choice](const std::string& name) { choice = *ParseName<CycleChoice>(name); },
            "Where cycles come from: auto (default), counter-user, counter, reference"),
        {kNames.begin(), kNames.end()})
      ->type_name("SOURCE");
}

CLI::Option* AsSeconds(CLI::Option* option, double least_s) {
  return InRange(option->type_name("SECONDS"), least_s, kLongestS);
}

void AddBudgetOption(CLI::App& app, std::optional<double>& budget_s, double least_s) {
  AsSeconds(app.add_option("--budget", budget_s,
                           "Stop after this time and keep what was measured until then"),
            least_s);
}

void AddPatienceOption(CLI::App& app, std::optional<double>& patience_s,
                       std::string_view by_default) {
  AsSeconds(
      app.add_option(
          "--patience", patience_s,
          fmt::format("How long to wait for a moment in which no other thread uses the core{}",
                      by_default.empty() ? "" : fmt::format(" (default {})", by_default))),
      0);
}

void AddTopologyOption(CLI::App& app, std::string& file) {
  app.add_option("--topology", file,
                 "Read the topology from an hwloc XML file instead of this machine")
      ->type_name("FILE");
}

void AddSyntaxOption(CLI::App& app, bool& att_syntax) {
  OneOf(app.add_option_function<std::string>(
            "--syntax", [&att_syntax](const std::string& name) { att_syntax = name == "att"; },
            "Syntax of x86-64 assembly: intel (default), att"),
        {"intel", "att"})
      ->type_name("NAME");
}

void AddCodeOptions(CLI::App& app, CodeRequest& request, std::string_view patience_by_default) {
  app.add_option("--cpu", request.cpu, "CPU to measure on (default: one that is quiet)")
      ->type_name("N")
      ->check([](const std::string& text) {
        int cpu = 0;
        const bool is_cpu = CLI::detail::lexical_cast(text, cpu) && cpu >= 0;
        return is_cpu ? std::string()
                      : fmt::format("'{}' is not a CPU number: they count from 0", text);
      });
  AddCyclesOption(app, request.cycles);
  AddSyntaxOption(app, request.att_syntax);
  AddPatienceOption(app, request.patience_s, patience_by_default);
  request.reader = MakeTextReader();
}

Result<void> CheckQuotes(const CLI::App& app, const InstructionRequest& request) {
  const auto is_word = [](const std::string& text) { return !text.contains(' '); };
  if (request.texts.size() < 2 || !std::ranges::all_of(request.texts, is_word)) return {};
  const auto problems = CheckTexts(request);
  if (!problems || problems->empty()) return {};
  return BadInput("an instruction with its operands is one argument",
                  ForThisShell(fmt::format("put it in quotes: cyclescope {} '{}'", app.get_name(),
                                           fmt::join(request.texts, " "))));
}

void AddSweepOptions(CLI::App& app, std::string& filter, std::string& isa, int& jobs) {
  app.add_option("--filter", filter,
                 "Only instructions that this matches: text, mnemonic or LLVM's opcode")
      ->type_name("REGEX");
  app.add_option("--isa", isa, "Only instructions of this extension: base, asimd, avx2, ...")
      ->type_name("NAME");
  InRange(app.add_option("--jobs", jobs,
                         "CPUs to measure instructions on at once (default 1, as more may disturb "
                         "each other)")
              ->type_name("N"),
          1, kMostJobs);
}

void AddJournalOptions(CLI::App& app, JournalRequest& request) {
  CLI::Option* journal =
      app.add_option("--journal", request.file,
                     "Write each row to this file at once (default: a new file in "
                     "~/.local/state/cyclescope)")
          ->type_name("FILE");
  app.add_option("--resume", request.resume,
                 "Continue this journal; its rows are not measured again")
      ->type_name("FILE")
      ->excludes(journal);
}

std::string GpuDriver() {
  const char* library = std::getenv("CYCLESCOPE_TEST_GPU_DRIVER");
  return library == nullptr ? "" : library;
}

std::vector<GivenOption> GivenOptions(const CLI::App& app) {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    given.emplace_back(
        option->get_single_name(),
        IsFlag(*option) ? std::string() : fmt::format("{}", fmt::join(option->results(), " ")));
  }
  return given;
}

std::string CommandAgain(const CLI::App& app, const std::vector<std::string_view>& without,
                         const std::vector<std::string>& more) {
  std::string command = "cyclescope " + app.get_name();
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_single_name();
    if (option->count() == 0 || std::ranges::find(without, name) != without.end()) continue;
    command += " --" + name;
    if (IsFlag(*option)) continue;
    for (const std::string& value : option->results()) command += ' ' + ShellWord(value);
  }
  for (const std::string& word : more) command += ' ' + ShellWord(word);
  return command;
}

}  // namespace cyclescope::cli
