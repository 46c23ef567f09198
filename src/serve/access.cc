#include "serve/access.h"

#include <fmt/core.h>

#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <random>

#ifdef _WIN32
// Boost's sockets include <windows.h>, where these are macros.
#undef far
#undef near
#endif

namespace cyclescope::serve {
namespace {

constexpr std::string_view kTokenField = "token=";

// Without the brackets around an IPv6 address.
std::string_view WithoutBrackets(std::string_view name) {
  if (name.size() > 2 && name.front() == '[' && name.back() == ']')
    return name.substr(1, name.size() - 2);
  return name;
}

// A name other than localhost could be anyone's, who lets it lead here.
bool IsOurs(std::string_view host, const AccessRules& rules) {
  const std::size_t colon = host.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view port_text = host.substr(colon + 1);
  int port = 0;
  const auto [end, error] =
      std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
  if (error != std::errc() || end != port_text.data() + port_text.size() || port != rules.port)
    return false;
  const std::string_view name = WithoutBrackets(host.substr(0, colon));
  if (name == "localhost") return true;
  boost::system::error_code no_address;
  const auto address = boost::asio::ip::make_address(std::string(name), no_address);
  return !no_address && (!rules.only_loopback || address.is_loopback());
}

bool IsOwnOrigin(std::string_view origin, const RequestHead& head, const AccessRules& rules) {
  constexpr std::string_view kScheme = "http://";
  if (!origin.starts_with(kScheme)) return false;
  const std::string_view place = origin.substr(kScheme.size());
  return place == head.host && IsOurs(place, rules);
}

}  // namespace

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

std::string_view TokenIn(std::string_view target) {
  const std::size_t query = target.find('?');
  if (query == std::string_view::npos) return {};
  std::string_view rest = target.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view field = rest.substr(0, rest.find('&'));
    if (field.starts_with(kTokenField)) return field.substr(kTokenField.size());
    rest.remove_prefix(std::min(field.size() + 1, rest.size()));
  }
  return {};
}

bool AreEqualTokens(std::string_view given, std::string_view wanted) {
  if (given.size() != wanted.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i]) ^
                                        static_cast<unsigned char>(wanted[i]));
  }
  return difference == 0;
}

std::optional<Refusal> CheckAccess(const AccessRules& rules, const RequestHead& head) {
  if (!IsOurs(head.host, rules))
    return Refusal{421, "this server answers to its own address only, not to another name for it"};
  if (!head.origin.empty() && !IsOwnOrigin(head.origin, head, rules))
    return Refusal{403, "requests of other web pages are refused"};
  const bool is_page = head.method == "GET" && PathOf(head.target) == "/";
  if (!is_page && !head.fetch_site.empty() && head.fetch_site != "same-origin")
    return Refusal{403, "requests of other web pages are refused"};
  const std::string_view token = is_page ? TokenIn(head.target) : head.token;
  if (!AreEqualTokens(token, rules.token)) {
    return Refusal{403,
                   "the token is missing or not right: open the address that 'cyclescope serve' "
                   "printed, and put what stands behind # in this address behind it"};
  }
  if (is_page) return std::nullopt;
  if (head.method != "POST") return Refusal{405, "questions are sent with POST"};
  if (!head.content_type.starts_with("application/json")) return Refusal{415, "questions are JSON"};
  return std::nullopt;
}

std::string NewToken() {
  std::random_device random;  // getrandom() and its like, on every system that we build for
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

}  // namespace cyclescope::serve
