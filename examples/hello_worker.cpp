// A whole worker: one function, typed in and out. Start an engine, start this, call `hello::greet`.
#include <iii/sdk/worker.h>

struct Person {
  std::string name;
};
auto describe(iii::json::Type<Person>) {
  return iii::json::object<Person>(
      "Person", "Somebody to greet.",
      iii::json::field("name", &Person::name, "What they are called."));
}

int main() {
  iii::sdk::Worker worker;  // III_URL or ws://127.0.0.1:49134
  worker.function("hello::greet", "Greets somebody by name.",
                  [](const Person& who) { return "Hello, " + who.name + "!"; });
  return worker.run();  // until SIGTERM or SIGINT
}
