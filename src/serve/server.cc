#include "serve/server.h"

#include <fmt/core.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>
#include <utility>  // before Asio, whose coroutines need it

#ifdef _WIN32
// Boost's sockets include <windows.h>, where these are macros.
#undef far
#undef near
#endif

#include "base/try.h"
#include "document/json_text.h"
#include "sandbox/confined_program.h"
#include "sandbox/worker_process.h"
#include "serve/access.h"
#include "serve/event_stream.h"
#include "serve/job_queue.h"
#include "serve/playground.h"
#include "serve/rate_limit.h"

namespace cyclescope::serve {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;

constexpr std::uint32_t kMostHeaderBytes = 16 << 10;
constexpr std::uint64_t kMostBodyBytes = 3 << 20;  // a text of 1 MB, two of them, in JSON
constexpr int kMostConnections = 64;
constexpr double kMostAtOnce = 100;
constexpr double kMostPerSecond = 30;
constexpr auto kTimeToAsk = std::chrono::seconds(10);
constexpr auto kTimeToRead = std::chrono::seconds(30);

// An error that a coroutine gets as a value.
auto Into(error_code& error) { return net::redirect_error(net::use_awaitable, error); }

class Server {
 public:
  Server(AccessRules rules, Playground playground)
      : rules_(std::move(rules)), playground_(std::move(playground)) {}

  // What listens, until it is asked to stop.
  void Run(tcp::acceptor acceptor, net::io_context& context, const GoesOn& goes_on) {
    net::co_spawn(context, Accept(std::move(acceptor)), net::detached);
    net::co_spawn(context, Watch(context, goes_on), net::detached);
    context.run();
  }

 private:
  using Response = http::response<http::string_body>;

  net::awaitable<void> Watch(net::io_context& context, const GoesOn& goes_on) {
    net::steady_timer timer(context);
    error_code ignored;
    while (goes_on()) {
      timer.expires_after(std::chrono::milliseconds(100));
      co_await timer.async_wait(Into(ignored));
    }
    context.stop();
  }

  net::awaitable<void> Accept(tcp::acceptor acceptor) {
    while (true) {
      error_code error;
      tcp::socket socket = co_await acceptor.async_accept(Into(error));
      if (error) {
        // Out of descriptors, perhaps: others are given back as connections end.
        net::steady_timer timer(acceptor.get_executor(), std::chrono::milliseconds(50));
        co_await timer.async_wait(Into(error));
        continue;
      }
      if (connections_ >= kMostConnections) {
        // In one packet or not at all: nothing waits for one that is turned away.
        constexpr std::string_view kBusy =
            "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
            "Content-Length: 0\r\n\r\n";
        socket.non_blocking(true, error);
        socket.write_some(net::buffer(kBusy), error);
        socket.shutdown(tcp::socket::shutdown_send, error);
        continue;
      }
      ++connections_;
      net::co_spawn(acceptor.get_executor(), Talk(beast::tcp_stream(std::move(socket))),
                    [this](const std::exception_ptr&) { --connections_; });
    }
  }

  // One request, and its answer.
  net::awaitable<void> Talk(beast::tcp_stream stream) {
    error_code error;
    beast::flat_buffer buffer(kMostHeaderBytes + kMostBodyBytes);
    http::request_parser<http::string_body> parser;
    parser.header_limit(kMostHeaderBytes);
    parser.body_limit(kMostBodyBytes);
    stream.expires_after(kTimeToAsk);
    co_await http::async_read_header(stream, buffer, parser, Into(error));
    if (!error && !CheckAccess(rules_, HeadOf(parser.get())) &&
        parser.get().method() == http::verb::post) {
      co_await http::async_read(stream, buffer, parser, Into(error));
    }
    if (error == http::error::end_of_stream || error == beast::error::timeout) co_return;
    Question question;
    std::optional<Response> response = AtOnce(error, parser.get(), question);
    if (response) {
      co_await Write(stream, *response);
    } else {
      co_await Stream(stream, question);
    }
    co_await End(stream);
  }

  // The answer, where it takes no work; else what is asked.
  std::optional<Response> AtOnce(error_code error, const http::request<http::string_body>& request,
                                 Question& question) {
    if (error) return Troubled(error);
    const RequestHead head = HeadOf(request);
    if (const auto refusal = CheckAccess(rules_, head)) {
      // A browser shows this to the person who opened the address.
      return request.method() == http::verb::get
                 ? Answer(refusal->status, "text/plain; charset=utf-8",
                          "cyclescope: " + refusal->reason + '\n')
                 : Refused(*refusal);
    }
    if (!rate_.Allows(RateLimit::Clock::now()))
      return Refused({429, "too many requests at once; try again in a second"});
    if (request.method() == http::verb::get) return WithPage();
    auto parsed = ParseQuestion(PathOf(head.target), request.body());
    if (!parsed) return Refused({404, "there is nothing at this address"});
    if (!*parsed) return Refused({400, parsed->error().ToString()});
    question = std::move(**parsed);
    if (!std::holds_alternative<CancelQuestion>(question.what)) return std::nullopt;
    queue_.Cancel(question.tab);
    return Answer(200, "application/json", "{}");
  }

  static RequestHead HeadOf(const http::request<http::string_body>& request) {
    const auto field = [&request](auto name) {
      const auto value = request[name];
      return std::string_view(value.data(), value.size());
    };
    const auto method = request.method_string();
    const auto target = request.target();
    return {.method = {method.data(), method.size()},
            .target = {target.data(), target.size()},
            .host = field(http::field::host),
            .origin = field(http::field::origin),
            .token = field(beast::string_view(kTokenHeader.data(), kTokenHeader.size())),
            .fetch_site = field("Sec-Fetch-Site"),
            .content_type = field(http::field::content_type)};
  }

  static Response Answer(int status, std::string_view type, std::string body) {
    Response response(static_cast<http::status>(status), 11);
    SetHeaders(response, type);
    response.body() = std::move(body);
    response.prepare_payload();
    return response;
  }

  // No page may frame this one, keep it, or learn its address.
  static void SetHeaders(auto& response, std::string_view type) {
    response.set(http::field::content_type, beast::string_view(type.data(), type.size()));
    response.set(http::field::connection, "close");
    response.set(http::field::cache_control, "no-store");
    response.set("Referrer-Policy", "no-referrer");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("X-Frame-Options", "DENY");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
  }

  static Response Refused(const Refusal& refusal) {
    return Answer(refusal.status, "application/json",
                  Dump(OrderedJson{{"message", refusal.reason}}));
  }

  static Response Troubled(error_code error) {
    if (error == http::error::body_limit) return Refused({413, "a question has 3 MB at most"});
    if (error == http::error::header_limit) return Refused({431, "the header has 16 KB at most"});
    return Refused({400, "this is no HTTP request"});
  }

  static Response WithPage() {
    return Answer(200, "text/html; charset=utf-8", std::string(Page()));
  }

  // GCC 12 destroys temporaries of a co_await twice: what is awaited gets names of its own.
  static net::awaitable<void> Write(beast::tcp_stream& stream, Response& response) {
    error_code error;
    stream.expires_after(kTimeToRead);
    co_await http::async_write(stream, response, Into(error));
  }

  // Says that this was all, and lets the other side read it, though it may still be sending.
  static net::awaitable<void> End(beast::tcp_stream& stream) {
    error_code error;
    stream.socket().shutdown(tcp::socket::shutdown_send, error);
    std::array<char, 1 << 14> unread{};
    constexpr auto kTimeToEnd = std::chrono::seconds(1);
    stream.expires_after(kTimeToEnd);
    while (!error) co_await stream.async_read_some(net::buffer(unread), Into(error));
  }

  // Events as they come, until the last one.
  net::awaitable<void> Stream(beast::tcp_stream& stream, Question& question) {
    const auto executor = co_await net::this_coro::executor;
    // Cancelled when there is something new.
    const auto bell = std::make_shared<net::steady_timer>(executor);
    bell->expires_at(net::steady_timer::time_point::max());
    const auto events = std::make_shared<EventStream>(
        [bell, executor] { net::post(executor, [bell] { bell->cancel(); }); });
    if (!Enqueue(question, events)) {
      Response busy = Refused({503, "too many questions wait already"});
      co_await Write(stream, busy);
      co_return;
    }
    http::response<http::empty_body> response(http::status::ok, 11);
    SetHeaders(response, "text/event-stream");
    http::response_serializer<http::empty_body> serializer(response);
    error_code error;
    stream.expires_after(kTimeToRead);
    co_await http::async_write_header(stream, serializer, Into(error));
    while (!error) {
      const EventStream::Part part = events->Take();
      if (!part.text.empty()) {
        stream.expires_after(kTimeToRead);
        co_await net::async_write(stream, net::buffer(part.text), Into(error));
        continue;
      }
      if (part.is_last) break;
      error_code rung;
      co_await bell->async_wait(Into(rung));
      bell->expires_at(net::steady_timer::time_point::max());
    }
    events->Abandon();
  }

  // False where too much waits already.
  bool Enqueue(Question& question, const std::shared_ptr<EventStream>& events) {
    std::string tab = question.tab;
    return queue_.Add(
        {.tab = std::move(tab),
         .run =
             [this, events, asked = std::move(question)](const std::stop_token& stop) {
               playground_.Answer(asked,
                                  [&events](std::string_view event, std::string_view json) {
                                    events->Send(event, json);
                                  },
                                  {.goes_on =
                                       [&events, &stop] {
                                         return !stop.stop_requested() && !events->is_abandoned();
                                       },
                                   .is_quiet = [this] { return !queue_.HasWaiting(); }});
               events->Close();
             },
         .drop = [events] { events->Close(); }});
  }

  AccessRules rules_;
  Playground playground_;
  RateLimit rate_{kMostAtOnce, kMostPerSecond};
  int connections_ = 0;
  JobQueue queue_;  // the last member: its thread uses the others
};

Result<tcp::acceptor> Listen(net::io_context& context, const net::ip::address& address, int port) {
  error_code error;
  tcp::acceptor acceptor(context);
  const tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
  acceptor.open(endpoint.protocol(), error);
#ifndef _WIN32
  // A server that has just ended does not keep the port. (Windows means another thing by it.)
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
#endif
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
  if (error) {
    return Failed(
        fmt::format("cannot listen on {} port {}: {}", address.to_string(), port, error.message()),
        "another program may have the port: give another --port");
  }
  return acceptor;
}

}  // namespace

Result<void> Serve(ServeOptions options, const std::function<void(const Started&)>& on_start,
                   const GoesOn& goes_on) {
  error_code error;
  const net::ip::address address = net::ip::make_address(options.address, error);
  if (error) {
    return BadInput(fmt::format("'{}' is not an address of this machine", options.address),
                    "as in --listen 192.0.2.1");
  }
  // Before the model: that of thousands of forms takes hundreds of megabytes.
  const auto quick_workers = sandbox::KeepWorkersQuick();
  std::optional<Document> machine;
  if (options.machine) {
    machine = TRY(options.machine());
  }
  net::io_context context(1);
  auto acceptor = TRY(Listen(context, address, options.port));
  const std::string architecture =
      machine ? machine->host.architecture : std::string(ArchitectureName());
  Compilers compilers;
  if (const auto confines = sandbox::SystemConfines(); confines) {
    compilers = FindCompilers({"/usr/bin", "/usr/local/bin"}, architecture, sandbox::RunConfined);
  } else {
    compilers.why_none = confines.error().ToString();
  }
  Started started = {.is_loopback = address.is_loopback(), .why_no_compiler = compilers.why_none};
  for (const Compiler& compiler : compilers.found) started.compilers.push_back(compiler.name);
  auto playground =
      TRY(Playground::Make(std::move(machine), std::move(compilers), sandbox::RunConfined));
  started.measures = playground.measures();
  const std::string token = options.token.empty() ? NewToken() : options.token;
  const int port = acceptor.local_endpoint().port();
  started.address = fmt::format(
      "http://{}:{}/?token={}",
      address.is_v6() ? '[' + address.to_string() + ']' : address.to_string(), port, token);
  Server server({.port = port, .only_loopback = address.is_loopback(), .token = token},
                std::move(playground));
  on_start(started);
  server.Run(std::move(acceptor), context, goes_on);
  return {};
}

}  // namespace cyclescope::serve
