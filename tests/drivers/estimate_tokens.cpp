// For tests: texts in, one per line and in hexadecimal digits; a JSON list of their estimates out.
#include <iostream>
#include <string>

#include "directory/search/token_budget.h"

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  std::string text;
  const char* separator = "[";
  while (std::getline(std::cin, line)) {
    text.clear();
    for (size_t i = 0; i + 1 < line.size(); i += 2) {
      text += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    }
    std::cout << separator << iii::search::estimate_tokens(text);
    separator = ",";
  }
  std::cout << (*separator == '[' ? "[]" : "]") << '\n';
}
