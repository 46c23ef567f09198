#include "serve/access.h"

#include <gtest/gtest.h>

#include <set>

namespace cyclescope::serve {
namespace {

const AccessRules kRules = {.port = 4711, .token = "00112233445566778899aabbccddeeff"};

RequestHead PageRequest() {
  return {.method = "POST",
          .target = "/api/code",
          .host = "127.0.0.1:4711",
          .origin = "http://127.0.0.1:4711",
          .token = kRules.token,
          .fetch_site = "same-origin",
          .content_type = "application/json"};
}

int StatusOf(const RequestHead& head, const AccessRules& rules = kRules) {
  const auto refusal = CheckAccess(rules, head);
  return refusal ? refusal->status : 200;
}

TEST(Access, LetsItsOwnPageIn) {
  EXPECT_EQ(StatusOf(PageRequest()), 200);
  RequestHead head = PageRequest();
  head.host = "localhost:4711";
  head.origin = "http://localhost:4711";
  EXPECT_EQ(StatusOf(head), 200);
  // Programs that are no browsers send neither.
  head.origin = head.fetch_site = {};
  EXPECT_EQ(StatusOf(head), 200);
}

TEST(Access, ThePageHasItsTokenInTheAddress) {
  RequestHead head = {.method = "GET", .target = "/", .host = "127.0.0.1:4711"};
  EXPECT_EQ(StatusOf(head), 403);
  const std::string target = "/?token=" + kRules.token;
  head.target = target;
  EXPECT_EQ(StatusOf(head), 200);
  // A link from elsewhere may lead to it.
  head.fetch_site = "cross-site";
  EXPECT_EQ(StatusOf(head), 200);
  const std::string more = target + "0";
  head.target = more;
  EXPECT_EQ(StatusOf(head), 403);
}

TEST(Access, QuestionsNeedTheTokenInTheirHeader) {
  RequestHead head = PageRequest();
  head.token = {};
  EXPECT_EQ(StatusOf(head), 403);
  head.token = "00112233445566778899aabbccddeefe";
  EXPECT_EQ(StatusOf(head), 403);
  const std::string in_address = "/api/code?token=" + kRules.token;
  head.target = in_address;
  EXPECT_EQ(StatusOf(head), 403);
}

TEST(Access, RefusesOtherNamesForThisMachine) {
  for (const char* host : {"evil.example:4711", "evil.example", "127.0.0.1", "127.0.0.1:80", "",
                           "127.0.0.1:4711x", "localhost.evil.example:4711", "192.0.2.1:4711"}) {
    RequestHead head = PageRequest();
    head.host = host;
    head.origin = {};
    EXPECT_EQ(StatusOf(head), 421) << host;
  }
}

TEST(Access, RefusesPagesOfOthers) {
  for (const char* origin : {"https://evil.example", "null", "http://127.0.0.1:8080",
                             "http://localhost:4711", "https://127.0.0.1:4711"}) {
    RequestHead head = PageRequest();
    head.origin = origin;
    EXPECT_EQ(StatusOf(head), 403) << origin;
  }
  RequestHead head = PageRequest();
  head.fetch_site = "same-site";  // another port of this machine
  EXPECT_EQ(StatusOf(head), 403);
}

TEST(Access, OffLoopbackAnAddressIsTakenAndANameIsNot) {
  AccessRules rules = kRules;
  rules.only_loopback = false;
  RequestHead head = PageRequest();
  head.host = "192.0.2.1:4711";
  head.origin = "http://192.0.2.1:4711";
  EXPECT_EQ(StatusOf(head, rules), 200);
  head.host = "[2001:db8::1]:4711";
  head.origin = "http://[2001:db8::1]:4711";
  EXPECT_EQ(StatusOf(head, rules), 200);
  head.host = "evil.example:4711";
  head.origin = "http://evil.example:4711";
  EXPECT_EQ(StatusOf(head, rules), 421);
}

TEST(Access, TakesJsonByPostOnly) {
  RequestHead head = PageRequest();
  head.method = "GET";
  EXPECT_EQ(StatusOf(head), 405);
  head = PageRequest();
  head.content_type = "text/plain";  // what a form of another page could send
  EXPECT_EQ(StatusOf(head), 415);
}

TEST(Access, TokensDiffer) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(NewToken());
  EXPECT_EQ(tokens.size(), 100U);
  EXPECT_EQ(tokens.begin()->size(), 32U);
}

TEST(Access, ReadsAddresses) {
  EXPECT_EQ(PathOf("/api/code?x=1"), "/api/code");
  EXPECT_EQ(TokenIn("/?a=b&token=xyz&c=d"), "xyz");
  EXPECT_EQ(TokenIn("/?tokens=xyz"), "");
  EXPECT_EQ(TokenIn("/"), "");
}

}  // namespace
}  // namespace cyclescope::serve
