// A function and somebody who watches it: `shop::alert` is called for each order of 500 or more
// that `shop::order` has accepted, and for none that it refused.
#include <cstdint>
#include <cstdio>
#include <string>

#include <iii/sdk/worker.h>

namespace sdk = iii::sdk;
namespace json = iii::json;

struct Order {
  std::string customer;
  int64_t amount = 0;
};
auto describe(json::Type<Order>) {
  return json::object<Order>("Order", "What somebody buys.",
                             json::field("customer", &Order::customer, "Who buys."),
                             json::field("amount", &Order::amount, "How much it costs."));
}

iii::Result<std::string> take(const Order& order) {
  if (order.amount <= 0) return iii::fail("INVALID_AMOUNT", "amount must be 1 or more");
  return "ordered by " + order.customer;
}

// A part of an event may be empty: not captured, or not of this type.
void alert(const sdk::Observation<Order, std::string>& event) {
  if (!event.input) return;
  std::printf("large order: %s, %lld\n", event.input->customer.c_str(),
              static_cast<long long>(event.input->amount));
  std::fflush(stdout);
}

int main() {
  sdk::Worker worker;
  worker.function("shop::order", "Takes an order.", take);
  worker.function("shop::alert", "Prints large orders.", alert);
  worker.observe({.function_id = "shop::order",
                  .filters = json::Raw{R"({"input.amount":{"$gte":500}})"},
                  .target = "shop::alert",
                  .on_state = [](const sdk::ObserverStatus& now) {
                    std::printf("observer: %s\n", now.state.c_str());
                    std::fflush(stdout);
                  }});
  return worker.run();
}
