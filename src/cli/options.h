// Options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/measure.h"

namespace cyclescope::cli {

// `--cpus LIST`
struct CpuOption {
  std::string list;
  // `names` as CLI11 has them.
  void AddTo(CLI::App& app, std::string_view by_default = "all that may be used",
             const char* names = "--cpus");
  // The CPUs meant; none when the option was not given.
  Result<std::vector<int>> Parse() const;
};

// `--cycles SOURCE`
void AddCyclesOption(CLI::App& app, CycleChoice& choice);

// The option's value is a time in seconds, from `least_s` on.
CLI::Option* AsSeconds(CLI::Option* option, double least_s);

// `--budget SECONDS`, from `least_s` on.
void AddBudgetOption(CLI::App& app, std::optional<double>& budget_s, double least_s);

// `--patience SECONDS`; `by_default` is how long that is without it, where it is always the same.
void AddPatienceOption(CLI::App& app, std::optional<double>& patience_s,
                       std::string_view by_default = {});

// `--topology FILE`
void AddTopologyOption(CLI::App& app, std::string& file);

// --syntax
void AddSyntaxOption(CLI::App& app, bool& att_syntax);

// `--cpu`, `--cycles`, `--syntax` and `--patience`, of the commands that measure code.
void AddCodeOptions(CLI::App& app, CodeRequest& request, std::string_view patience_by_default);

// An error where the texts are the words of one instruction, which was given without quotes.
Result<void> CheckQuotes(const CLI::App& app, const InstructionRequest& request);

// `--filter REGEX`, `--isa NAME` and `--jobs N`, of the commands that sweep.
void AddSweepOptions(CLI::App& app, std::string& filter, std::string& isa, int& jobs);

// `--journal FILE` and `--resume FILE`, of the commands that sweep.
void AddJournalOptions(CLI::App& app, JournalRequest& request);

// Which library is opened as the GPU's driver. Empty: NVIDIA's. Tests name a simulated one in the
// environment; others should not.
std::string GpuDriver();

// What was given on the command line, as name and value, for the result document.
std::vector<GivenOption> GivenOptions(const CLI::App& app);

// "cyclescope sweep --isa avx2 --resume FILE": the command again with what was given, but for the
// options named in `without`, and with `more` behind.
std::string CommandAgain(const CLI::App& app, const std::vector<std::string_view>& without,
                         const std::vector<std::string>& more);

}  // namespace cyclescope::cli
