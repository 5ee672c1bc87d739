// What a process of `bench_content` can be. Each prints lines that its parent reads:
//   open SECONDS CPU_SECONDS RSS_MB PARSED WATCHES
//   descriptions MEAN P99 MOST (bytes)
//   time KEY P50_US P99_US CPU_US (of all threads, on average)
//   memory KEY MB
//   stall KEY WORST_MS MOST_CPU_MS SECONDS
//   wrong WHAT
//   done
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace iii::bench {

struct ContentWork {
  std::string tree;
  size_t skills = 60'000;
  uint64_t seed = 1;
  size_t watches = SIZE_MAX;
  size_t calls = 1'000;  // of the quick kinds; the slow ones are made less often
};

// Opens the tree, checks what is in it, and ends.
int open_content(const ContentWork& work);
// Opens the tree and calls the directory's functions by frames handed over in this process.
int call_content(const ContentWork& work);
// How long an unrelated call waits at worst while much happens to the folders. Makes folders of its
// own below `tree`.
int stall_content(const ContentWork& work);

}  // namespace iii::bench
