// Rounds become medians, medians become a table, and figures are held against their aims.
#pragma once

#include <string>
#include <vector>

#include "load.h"

namespace iii::bench {

double median(std::vector<double> values);
// Field by field.
Seen median(const std::vector<Seen>& rounds);

struct Row {
  std::string name;
  Seen seen;
  double round_trip = 0;  // relative to the echo with our codec, 0: nothing to compare with
  double rate = 0;
};
void print_machine();
void print_table(const std::string& title, const std::vector<Row>& rows);

struct Aim {
  std::string what;
  double reached = 0;
  bool at_most = false;  // else: at least
  double aim = 0;
  std::string unit;
};
void print_aims(const std::vector<Aim>& aims);

}  // namespace iii::bench
