#include "directory/installing/download_queue.h"

#include <gmock/gmock.h>

#include <optional>
#include <vector>

namespace iii::directory {
namespace {

using testing::HasSubstr;
using Ticket = DownloadQueue::Ticket;

class DownloadQueueTest : public testing::Test {
 protected:
  // The number of the ticket; nothing is said about having a place.
  size_t enter(const std::string& caller) {
    Result<Ticket> ticket = queue.enter(caller);
    EXPECT_TRUE(ticket) << ticket.error().message;
    tickets.emplace_back(std::move(*ticket));
    return tickets.size() - 1;
  }
  bool has_place(size_t number) const { return tickets[number]->has_place(); }
  void leave(size_t number) { tickets[number].reset(); }

  DownloadQueue queue{{.places = 4, .waiting_per_caller = 3, .waiting = 6}};
  std::vector<std::optional<Ticket>> tickets;
};

TEST_F(DownloadQueueTest, OneCallerLeavesPlacesForOthers) {
  const size_t a = enter("a");
  const size_t b = enter("a");
  const size_t c = enter("a");
  EXPECT_TRUE(has_place(a) && has_place(b));
  EXPECT_FALSE(has_place(c)) << "half of the places";
  const size_t other = enter("b");
  EXPECT_TRUE(has_place(other));
  leave(a);
  EXPECT_TRUE(has_place(c));
  EXPECT_TRUE(tickets[c]->turn().is_open());
}

TEST_F(DownloadQueueTest, CallersAreServedInTurnHoweverMuchOneAsksFor) {
  std::vector<size_t> busy;
  for (const char* caller : {"a", "a", "b", "b"}) busy.push_back(enter(caller));
  const size_t a1 = enter("a");
  const size_t a2 = enter("a");
  const size_t c1 = enter("c");
  leave(busy[2]);
  EXPECT_TRUE(has_place(c1)) << "`a` has its share, so the place is for `c`";
  EXPECT_FALSE(has_place(a1));
  leave(busy[0]);
  EXPECT_TRUE(has_place(a1));
  EXPECT_FALSE(has_place(a2));
}

TEST_F(DownloadQueueTest, TooManyAreRefusedForTheCallerAndForAll) {
  for (int i = 0; i < 5; ++i) enter("a");  // two places, three waiting
  EXPECT_THAT(queue.enter("a").error().message,
              testing::AllOf(HasSubstr("D334 too_many_downloads:"), HasSubstr("Next:")));
  for (int i = 0; i < 5; ++i) enter("b");
  EXPECT_EQ(queue.enter("c").error().code, "D334") << "six wait";
  leave(4);
  EXPECT_TRUE(queue.enter("c"));
}

TEST_F(DownloadQueueTest, WhoLeavesWhileWaitingIsForgotten) {
  for (int i = 0; i < 2; ++i) enter("a");
  const size_t gone = enter("a");
  const size_t next = enter("a");
  leave(gone);
  leave(0);
  EXPECT_TRUE(has_place(next));
}

TEST(DownloadQueue, ATicketMayOutliveTheQueue) {
  auto queue = std::make_unique<DownloadQueue>(DownloadLimits{.places = 1});
  std::optional<Ticket> first(std::move(*queue->enter("a")));
  std::optional<Ticket> second(std::move(*queue->enter("b")));
  queue.reset();
  first.reset();
  EXPECT_FALSE(second->has_place());
}

}  // namespace
}  // namespace iii::directory
