#include <fmt/core.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/near_names.h"
#include "cli/command.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/outputs.h"

namespace cyclescope::cli {
namespace {

// The first argument that nothing expected: a mistyped command or option, or one too many.
std::string ExplainUnexpected(const CLI::App& root, const CLI::App& command,
                              const std::string& argument) {
  std::vector<std::string> known;
  std::string_view kind = "option";
  if (argument.starts_with('-')) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else if (&command == &root) {
    kind = "command";
    for (const CLI::App* each : root.get_subcommands({})) known.push_back(each->get_name());
  } else {
    return fmt::format("'{}' is one argument too many", argument);
  }
  return fmt::format("no such {}: '{}'{}", kind, argument, DidYouMean(NearNames(argument, known)));
}

// "result is required": an argument that must be there.
std::string ExplainMissing(const CLI::App& command, const std::string& message) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_single_name();
    if (!option->nonpositional() && option->get_required() && message.starts_with(name))
      return fmt::format("no {} given", name);
  }
  return message;
}

// "Could not convert: --cpu = abc": whatever is converted here is to be a number.
std::string ExplainNoNumber(const std::string& message) {
  constexpr std::string_view kBegin = "Could not convert: ";
  constexpr std::string_view kBetween = " = ";
  const std::size_t between = message.find(kBetween);
  if (!message.starts_with(kBegin) || between == std::string::npos) return message;
  return fmt::format("{}: '{}' is not a number",
                     message.substr(kBegin.size(), between - kBegin.size()),
                     message.substr(between + kBetween.size()));
}

// "--fail-on: 1 required WHAT:{regression} missing": an option without its value.
std::string ExplainNoValue(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option == nullptr || !message.ends_with(" missing")) return message;
  const OptionEntry entry = DescribeOption(*option);
  return fmt::format("{} needs a value{}{}", name, entry.choices.empty() ? "" : ": ",
                     fmt::join(entry.choices, ", "));
}

// CLI11's messages, in our form and with near names for what was mistyped.
Error MistakeOf(const CLI::App& root, const CLI::ParseError& error) {
  const auto parsed = root.get_subcommands();
  const CLI::App& command = parsed.empty() ? root : *parsed.front();
  const std::vector<std::string> unexpected = root.remaining(/*recurse=*/true);
  std::string message = error.what();
  const auto is_kind = [&error]<typename Kind>() {
    return dynamic_cast<const Kind*>(&error) != nullptr;
  };
  if (!unexpected.empty()) {
    message = ExplainUnexpected(root, command, unexpected.front());
  } else if (is_kind.operator()<CLI::RequiredError>()) {
    message = parsed.empty() ? "no command given" : ExplainMissing(command, message);
  } else if (is_kind.operator()<CLI::ConversionError>()) {
    message = ExplainNoNumber(message);
  } else if (is_kind.operator()<CLI::ArgumentMismatch>()) {
    message = ExplainNoValue(command, message);
  }
  const std::string path =
      parsed.empty() ? root.get_name() : root.get_name() + ' ' + command.get_name();
  return {ErrorKind::kBadInput, message,
          message.ends_with('?') ? "" : fmt::format("try '{} --help'", path)};
}

}  // namespace

ExitCode ExplainParseEnd(const CLI::App& root, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help and --version
    std::ostringstream text;
    root.exit(error, text, text);
    const auto printed = Outputs::Print(text.str());
    if (printed) return ExitCode::kDone;
    PrintError(printed.error());
    return ExitCode::kFailed;
  }
  if (dynamic_cast<const CLI::RuntimeError*>(&error) != nullptr) {  // of what they print
    PrintError({ErrorKind::kFailed, error.what(), ""});
    return ExitCode::kFailed;
  }
  PrintError(MistakeOf(root, error));
  return ExitCode::kBadInput;
}

}  // namespace cyclescope::cli
