// A worker that brings its own log: `shout::say` says it louder.
#include <iii/sdk/worker.h>

#include <cctype>
#include <cstdio>

std::string shout(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text + "!";
}

int main() {
  iii::set_log_sink([](iii::LogLevel level, std::string_view text) {
    const char* mark = level >= iii::LogLevel::kWarn ? "(!)" : "   ";
    std::fprintf(stderr, "shout %s %.*s\n", mark, static_cast<int>(text.size()), text.data());
  });
  iii::sdk::Worker worker({.description = "Shouts."});
  worker.function("shout::say", "Says a text louder.", shout);
  worker.on_ready([] { std::puts("ready"), std::fflush(stdout); });
  return worker.run();
}
