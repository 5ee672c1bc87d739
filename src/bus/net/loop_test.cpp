#include "bus/net/loop.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "bus/net/timer_queue.h"

namespace iii::net {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using Time = TimerQueue::Time;

Time at(int ms) { return Time(Millis(ms)); }

TEST(TimerQueue, RunsWhatIsDueInOrder) {
  TimerQueue queue;
  std::string ran;
  queue.add(at(20), [&] { ran += "b"; });
  queue.add(at(10), [&] { ran += "a"; });
  queue.add(at(20), [&] { ran += "c"; });
  queue.add(at(30), [&] { ran += "d"; });
  EXPECT_EQ(queue.next_due(), at(10));
  queue.run_due(at(20));
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(queue.next_due(), at(30));
  EXPECT_EQ(queue.size(), 1u);
}

TEST(TimerQueue, ForgetsCancelledTimers) {
  TimerQueue queue;
  std::string ran;
  const TimerId first = queue.add(at(10), [&] { ran += "a"; });
  const TimerId second = queue.add(at(20), [&] { ran += "b"; });
  queue.cancel(first);
  queue.cancel(first);
  queue.cancel(0);
  queue.cancel(12345678901234);
  EXPECT_EQ(queue.next_due(), at(20));
  queue.run_due(at(100));
  EXPECT_EQ(ran, "b");
  // The slot is used again, but the old id no longer reaches it.
  queue.add(at(10), [&] { ran += "c"; });
  queue.cancel(second);
  queue.run_due(at(100));
  EXPECT_EQ(ran, "bc");
  EXPECT_EQ(queue.next_due(), std::nullopt);
}

TEST(TimerQueue, LetsActionsAddAndCancel) {
  TimerQueue queue;
  std::string ran;
  TimerId victim = 0;
  queue.add(at(10), [&] {
    ran += "a";
    queue.cancel(victim);
    queue.add(at(5), [&] { ran += "late"; });
  });
  victim = queue.add(at(11), [&] { ran += "never"; });
  queue.run_due(at(20));
  EXPECT_EQ(ran, "a");
  queue.run_due(at(20));
  EXPECT_EQ(ran, "alate");
}

TEST(TimerQueue, StopsWhenItIsEnoughAndGoesOnInOrder) {
  TimerQueue queue;
  std::string ran;
  for (const char* name : {"a", "b", "c", "d"}) queue.add(at(10), [&ran, name] { ran += name; });
  queue.run_due(at(20), [&] { return ran.size() == 2; });
  EXPECT_EQ(ran, "ab");
  EXPECT_EQ(queue.next_due(), at(10));
  queue.run_due(at(20), [] { return true; });
  EXPECT_EQ(ran, "abc") << "one at least";
  queue.run_due(at(20));
  EXPECT_EQ(ran, "abcd");
}

TEST(TimerQueue, DoesNotGrowWithCancelledTimers) {
  TimerQueue queue;
  queue.add(at(1'000'000), [] {});
  for (int i = 0; i < 100'000; ++i) queue.cancel(queue.add(at(i), [] {}));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_LE(queue.heap_size(), 200u);
}

TEST(Loop, RunsPostedWorkInOrder) {
  Loop loop;
  std::vector<int> ran;
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) loop.post([&ran, i] { ran.push_back(i); });
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  ASSERT_EQ(ran.size(), 1000u);
  EXPECT_TRUE(std::ranges::is_sorted(ran));
}

TEST(Loop, RunsTimersNotBeforeTheirTime) {
  Loop loop;
  std::string ran;
  const auto start = loop.now();
  loop.after(Millis(20), [&] {
    EXPECT_GE(loop.now() - start, Millis(20));
    ran += "b";
    loop.stop();
  });
  loop.after(Millis(10), [&] { ran += "a"; });
  loop.cancel(loop.after(Millis(1), [&] { ran += "cancelled"; }));
  loop.after(Millis(5), [&] { loop.after(Millis(0), [&] { ran += "0"; }); });
  loop.run();
  EXPECT_THAT(ran, AnyOf("0ab", "a0b")) << "the latter when the thread did not run for 5 ms";
}

TEST(Loop, TimersThatAreDueTogetherDoNotHoldUpOtherWork) {
  Loop loop;
  std::string ran;
  for (const char* name : {"1", "2", "3"}) {
    loop.after(Millis(0), [&, name] {
      ran += name;
      // Uses up what one turn may spend.
      for (const auto end = loop.now() + Loop::kTimerTurn; loop.now() < end;) continue;
      loop.post([&] {
        ran += "w";
        if (ran.ends_with("3w")) loop.stop();
      });
    });
  }
  loop.run();
  EXPECT_EQ(ran, "1w2w3w");
}

TEST(Loop, TurnEndComesAfterWhatIsReady) {
  Loop loop;
  std::string ran;
  loop.post([&] {
    loop.at_turn_end([&] {
      ran += "E";
      loop.at_turn_end([&] {
        ran += "F";
        loop.stop();
      });
    });
    loop.at_turn_end([&] { ran += "e"; });
  });
  for (int i = 0; i < 3; ++i) loop.post([&] { ran += "w"; });
  loop.run();
  EXPECT_EQ(ran, "wwwEeF");
}

TEST(Loop, WhatIsSpreadDoesNotHoldUpOtherWork) {
  Loop loop;
  std::string ran;
  for (const char* name : {"1", "2", "3"}) {
    loop.spread([&, name] {
      ran += name;
      // Uses up what one turn may spend.
      for (const auto end = loop.now() + Loop::kSpreadTurn; loop.now() < end;) continue;
      loop.post([&] { ran += "w"; });
    });
  }
  loop.spread([&] {
    loop.spread([&] {
      ran += "e";
      loop.stop();
    });
  });
  loop.run();
  EXPECT_EQ(ran, "1w2w3we");
}

TEST(Loop, StopStillEndsTheTurn) {
  Loop loop;
  bool ended = false;
  loop.post([&] {
    loop.at_turn_end([&] { ended = true; });
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(ended);
}

TEST(Loop, StopBeforeRunIsNotLost) {
  Loop loop;
  loop.stop();
  loop.run();
  loop.post([&] { loop.stop(); });
  loop.run();
}

TEST(Loop, DestroysWhatNeverRan) {
  const auto witness = std::make_shared<int>(0);
  {
    Loop loop;
    loop.post([witness] {});
    loop.after(Millis(100'000), [witness] {});
    loop.at_turn_end([witness] {});
    loop.spread([witness] {});
  }
  EXPECT_EQ(witness.use_count(), 1);
}

TEST(Loop, HearsSignals) {
  Loop loop;
  std::vector<std::string> heard;
  loop.on_reload_signal([&] {
    heard.push_back("reload");
    if (heard.size() < 2) {
      std::raise(SIGHUP);
    } else {
      std::raise(SIGTERM);
    }
  });
  loop.on_stop_signals([&] {
    heard.push_back("stop");
    loop.stop();
  });
  std::raise(SIGHUP);
  loop.run();
  EXPECT_THAT(heard, ElementsAre("reload", "reload", "stop"));
}

TEST(Loop, KnowsTheTimeOfDay) {
  Loop loop;
  EXPECT_GT(loop.wall_ms(), int64_t{1'700'000'000'000});
}

TEST(Loop, AReadableDescriptorIsToldOnceAndStaysOpen) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Loop loop;
  int told = 0;
  std::shared_ptr<void> guard = loop.once_readable(ends[0], [&] {
    ++told;
    loop.stop();
  });
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  loop.run();
  EXPECT_EQ(told, 1);
  guard.reset();
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Loop, ADroppedGuardIsNotTold) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  Loop loop;
  bool told = false;
  std::shared_ptr<void> guard = loop.once_readable(ends[0], [&] { told = true; });
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  guard.reset();
  loop.after(std::chrono::microseconds(0), [&] { loop.post([&] { loop.stop(); }); });
  loop.run();
  EXPECT_FALSE(told);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace iii::net
