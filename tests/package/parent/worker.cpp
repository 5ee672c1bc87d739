#include <iii/sdk/worker.h>

#include <cstdio>

#include "json/value.h"

int main() {
  int unused = 0;  // a warning that is nobody's error
  iii::sdk::Worker worker;
  worker.function("parent::word", "Says a word.", [] { return std::string(kParentWord); });
  worker.on_ready([] { std::puts("ready"), std::fflush(stdout); });
  return worker.run();
}
