// Who may ask: every request must carry the token, and come to this machine's own address.
//
// A web page elsewhere can make a browser send requests to 127.0.0.1. It cannot read the token, it
// cannot leave out `Origin`, and where it comes by a name of its own that it points here (DNS
// rebinding), `Host` has that name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cyclescope::serve {

struct AccessRules {
  int port = 0;
  bool only_loopback = true;
  std::string token;
};

// What a request says of itself; empty where it says nothing.
struct RequestHead {
  std::string_view method;
  std::string_view target;
  std::string_view host;
  std::string_view origin;
  std::string_view token;       // of its header
  std::string_view fetch_site;  // what the browser says of the page that sent it (Sec-Fetch-Site)
  std::string_view content_type;
};

struct Refusal {
  int status = 403;  // HTTP's
  std::string reason;
};

// The header that requests of the page carry the token in; the page itself has it in its address.
inline constexpr std::string_view kTokenHeader = "X-Cyclescope-Token";

std::optional<Refusal> CheckAccess(const AccessRules& rules, const RequestHead& head);

// "/api/code" of "/api/code?token=x", and "x".
std::string_view PathOf(std::string_view target);
std::string_view TokenIn(std::string_view target);

// True if two texts are the same, in a time that tells nothing of where they differ.
bool AreEqualTokens(std::string_view given, std::string_view wanted);

// 32 hexadecimal digits from the system's source of randomness.
std::string NewToken();

}  // namespace cyclescope::serve
