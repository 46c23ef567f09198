// `cyclescope serve`
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/try.h"
#include "cli/command.h"
#include "cli/known_machines.h"
#include "cli/narration.h"
#include "cli/option_table.h"
#include "cli/outputs.h"
#include "os/browser.h"
#include "os/interrupt.h"
#include "os/terminal.h"
#include "serve/server.h"

namespace cyclescope::cli {
namespace {

struct ServeCommandOptions {
  int port = 0;
  std::string listen;
  std::string token;
  std::string machine;
  bool open = false;
  bool no_open = false;
};

constexpr std::size_t kShortestToken = 16;

Result<serve::ServeOptions> ServerOptions(const ServeCommandOptions& options) {
  serve::ServeOptions server;
  server.port = options.port;
  if (!options.listen.empty()) {
    if (options.token.empty()) {
      return BadInput("--listen needs --token: everyone who reaches it could run code here",
                      fmt::format("give a secret of {} characters or more", kShortestToken));
    }
    server.address = options.listen;
  }
  if (!options.token.empty()) {
    const bool is_plain = options.token.find_first_not_of(
                              "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") ==
                          std::string::npos;
    if (options.token.size() < kShortestToken || !is_plain) {
      return BadInput(
          fmt::format("--token takes {} or more letters, digits, - and _", kShortestToken),
          "without it a random one is made");
    }
    server.token = options.token;
  }
  if (!options.machine.empty()) {
    server.machine = [name = options.machine] { return ReadMachine(name); };
  }
  return server;
}

void Announce(const serve::Started& started) {
  if (!started.is_loopback) {
    PrintLine(
        "warning: this address can be reached from other machines, without encryption; everyone "
        "who has the token can run code in the sandbox here");
  }
  if (!started.measures) {
    PrintLine(
        "warning: --machine is of another kind of CPU: code is predicted, and nothing is measured");
  }
  if (!started.why_no_compiler.empty()) {
    PrintLine(fmt::format("warning: C and C++ are refused, assembly is taken: {}",
                          started.why_no_compiler));
  }
  std::string text;
  if (started.why_no_compiler.empty())
    text = fmt::format("Compilers: {}\n", fmt::join(started.compilers, "; "));
  text += fmt::format("Open {}\nCtrl-C ends it\n", started.address);
  const auto shown = Outputs::Print(text);
  if (!shown) PrintError(shown.error());
}

// What a person at a desktop wants, and a script does not.
bool Opens(const ServeCommandOptions& options) {
  if (options.open || options.no_open) return options.open;
  return os::IsTerminal(os::Stream::kOutput) && os::HasDesktop();
}

// In the browser; the printed address works without.
std::optional<os::ShownAddress> ShowPage(const serve::Started& started) {
  auto shown = os::ShownAddress::Show(started.address);
  if (shown) return std::move(*shown);
  PrintLine(fmt::format("warning: {}", shown.error().ToString()));
  return std::nullopt;
}

Result<ExitCode> RunServe(const ServeCommandOptions& options) {
  auto server = TRY(ServerOptions(options));
  const os::InterruptGuard guard;
  std::optional<os::ShownAddress> shown;
  const auto on_start = [&](const serve::Started& started) {
    Announce(started);
    if (!Opens(options)) return;
    if (auto page = ShowPage(started)) shown.emplace(std::move(*page));
  };
  TRY(serve::Serve(std::move(server), on_start, [] { return !os::Interrupted(); }));
  return ExitCode::kDone;
}

}  // namespace

Command AddServeCommand(CLI::App& root) {
  CLI::App* app = AddSubcommand(
      root, "serve", "A web page to type code into: it shows how many cycles it takes, and why",
      "  cyclescope serve                                its address is printed, and\n"
      "                                                  opened on a desktop\n"
      "  cyclescope serve --machine model.json           predictions, too\n"
      "  cyclescope serve --listen 192.0.2.1 --token \"$(openssl rand -hex 16)\"\n\n"
      "Only this machine can reach it, and only with the token in its address. Code\n"
      "runs in the sandbox, as always; the compiler sees nothing but its own files.");
  auto options = std::make_shared<ServeCommandOptions>();
  InRange(app->add_option("--port", options->port, "The port (default: one that is free)")
              ->type_name("N"),
          1, 65535);
  CLI::Option* open =
      app->add_flag("--open", options->open,
                    "Open the page in the browser: the default in a terminal on a desktop");
  app->add_flag("--no-open", options->no_open, "Print its address only")->excludes(open);
  app->add_option("--machine", options->machine,
                  "Predict with the model of a machine: a name that 'machines' lists, or a result "
                  "of 'model' or 'sweep --ports'. If its CPU is of another kind, code is predicted "
                  "and not measured")
      ->type_name("NAME|FILE");
  app->add_option("--listen", options->listen,
                  "Accept connections from other machines at this address; needs --token")
      ->type_name("ADDRESS");
  app->add_option("--token", options->token,
                  "The secret that every request must have (default: a random one)")
      ->type_name("TEXT");
  return {app, [options] { return RunServe(*options); }};
}

}  // namespace cyclescope::cli
