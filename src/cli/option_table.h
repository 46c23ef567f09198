// What the command line offers, as data: help, manual and the shells' completions are made from it,
// so that they cannot disagree.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cyclescope::cli {

struct OptionEntry {
  std::vector<std::string> names;    // "-f", "--file"; the bare name of an argument
  std::string value;                 // "FILE"; empty for a flag
  std::vector<std::string> choices;  // the values there are, where they are few
  std::string summary;
  bool required = false;
  bool repeated = false;  // takes several values

  // True if the name of a known machine may stand there.
  bool TakesMachine() const { return value.starts_with("NAME|FILE"); }
  // True if a file's name may stand there.
  bool TakesFile() const { return value.find("FILE") != std::string::npos; }
};

struct CommandEntry {
  std::string name;
  std::string summary;
  std::string examples;  // lines as help shows them, and what else must be known
  std::vector<OptionEntry> arguments;
  std::vector<OptionEntry> options;
};

struct OptionTable {
  CommandEntry program;
  std::vector<CommandEntry> commands;
};

bool IsFlag(const CLI::Option& option);  // it takes no value
OptionEntry DescribeOption(const CLI::Option& option);
OptionTable DescribeOptions(const CLI::App& root);

// Only these values are accepted.
CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> choices);
// Only numbers in this range are accepted.
CLI::Option* InRange(CLI::Option* option, double least, double most);
// These values are offered where the shell completes, others are accepted.
CLI::Option* Offer(CLI::Option* option, const std::vector<std::string>& choices);

}  // namespace cyclescope::cli
