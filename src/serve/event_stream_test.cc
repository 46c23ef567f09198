#include "serve/event_stream.h"

#include <gtest/gtest.h>

namespace cyclescope::serve {
namespace {

TEST(EventStream, GivesWhatWasSentInOrder) {
  int notified = 0;
  EventStream stream([&notified] { ++notified; });
  stream.Send("progress", "{\"done\":1}");
  stream.Send("result", "{}");
  auto part = stream.Take();
  EXPECT_EQ(part.text, "event: progress\ndata: {\"done\":1}\n\nevent: result\ndata: {}\n\n");
  EXPECT_FALSE(part.is_last);
  stream.Close();
  stream.Send("late", "{}");
  part = stream.Take();
  EXPECT_TRUE(part.text.empty());
  EXPECT_TRUE(part.is_last);
  EXPECT_EQ(notified, 3);
}

TEST(EventStream, KnowsThatItsReaderIsGone) {
  EventStream stream([] {});
  EXPECT_FALSE(stream.is_abandoned());
  stream.Abandon();
  EXPECT_TRUE(stream.is_abandoned());
}

}  // namespace
}  // namespace cyclescope::serve
