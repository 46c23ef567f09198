#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cctype>

#include "cli/command.h"
#include "cli/self_description.h"

namespace cyclescope::cli {
namespace {

// Text as roff takes it: a hyphen that can be typed, and no line that begins like a macro.
std::string Roff(std::string_view text) {
  std::string escaped;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\'') {
      escaped += "\\(aq";
    } else {
      escaped += c;
    }
    at_line_start = c == '\n';
  }
  return escaped;
}

std::string Bold(std::string_view text) { return fmt::format("\\fB{}\\fR", Roff(text)); }
std::string Italic(std::string_view text) { return fmt::format("\\fI{}\\fR", Roff(text)); }

std::string Section(std::string_view title) { return fmt::format(".SH \"{}\"\n", title); }

std::string Term(std::string_view term, std::string_view explanation) {
  return fmt::format(".TP\n{}\n{}\n", term, Roff(explanation));
}

// "TEXT...", in brackets where it may be left out.
std::string ArgumentText(const OptionEntry& argument) {
  const std::string text = Italic(argument.value) + (argument.repeated ? "..." : "");
  return argument.required ? text : fmt::format("[{}]", text);
}

std::string OptionTerm(const OptionEntry& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(Bold(name));
  const std::string value = option.value.empty() ? "" : ' ' + Italic(option.value);
  return fmt::format("{}{}", fmt::join(names, ", "), value);
}

std::string OptionTerms(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& argument : command.arguments)
    text += Term(Italic(argument.value), argument.summary);
  for (const OptionEntry& option : command.options)
    text += Term(OptionTerm(option), option.summary);
  return text;
}

std::string CommandPart(const CommandEntry& command) {
  std::string usage = command.name + " [OPTION]...";
  for (const OptionEntry& argument : command.arguments) usage += ' ' + ArgumentText(argument);
  return fmt::format(".SS {}\n{}.\n.PP\n.EX\n{}\n.EE\n{}", usage, Roff(command.summary),
                     Roff(command.examples), OptionTerms(command));
}

std::string LowerFirst(std::string text) {
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string UpperCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

std::string ManualPage(const OptionTable& table, std::string_view version) {
  const CommandEntry& program = table.program;
  std::string text = fmt::format(".TH {} 1 \"\" \"cyclescope {}\" \"User Commands\"\n",
                                 UpperCase(program.name), version);
  text += Section("NAME");
  const std::string_view first_sentence =
      std::string_view(program.summary).substr(0, program.summary.find(':'));
  text +=
      fmt::format("{} \\- {}\n", Roff(program.name), Roff(LowerFirst(std::string(first_sentence))));
  text += Section("SYNOPSIS");
  text += fmt::format("{} {} [{}]...\n", Bold(program.name), Italic("COMMAND"), Italic("OPTION"));
  text += Section("DESCRIPTION");
  text += fmt::format("{}\n.PP\n.EX\n{}\n.EE\n", Roff(program.summary), Roff(program.examples));
  text += Section("OPTIONS") + OptionTerms(program);
  text += Section("COMMANDS");
  for (const CommandEntry& command : table.commands) text += CommandPart(command);
  text += Section("EXIT STATUS");
  for (const ExitCodeMeaning& exit : ExitCodeMeanings())
    text += Term(Bold(fmt::format("{}", static_cast<int>(exit.code))), exit.meaning);
  text += Section("ENVIRONMENT");
  text += Term(Bold("NO_COLOR"), "Any value but an empty one switches colour off.");
  return text;
}

}  // namespace cyclescope::cli
