// Attacks with trigger types, bindings and the events they cause.
#include <fmt/format.h>

#include "hostile.h"

namespace iii::bench {
namespace {

std::string entry(const std::string& id, const std::string& schema, const std::string& value) {
  return fmt::format(R"({{"id":"{}","name":"n","description":"d","schema":{},"initial_value":{}}})",
                     id, schema, value);
}

bool bind_by_function(HostilePeer& peer, size_t count, const std::string& type,
                      const std::string& function, const std::string& extra = "") {
  const std::string data = fmt::format(
      R"({{"trigger_type":"{}","function_id":"{}","config":{{}}{}}})", type, function, extra);
  return peer.calls(count, 200, "engine::register_trigger", [&](size_t) { return data; }) == count;
}

void state_cycle(Arena& arena, const std::string& function) {
  HostilePeer peer = arena.worker("hostile");
  peer.send(bind_text("cycle", "state", function));
  arena.check("the set is answered",
              !peer.call("state::set", R"({"scope":"s","key":"k","value":1})").empty());
  peer.listen(1);
  arena.check("state answers afterwards",
              !peer.call("state::get", R"({"scope":"s","key":"k"})").empty());
}
void state_cycle_delete(Arena& arena) { state_cycle(arena, "state::delete"); }
void state_cycle_set(Arena& arena) { state_cycle(arena, "state::set"); }
void state_cycle_update(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  for (const char* target : {"state::delete", "state::set", "state::update", "state::list"}) {
    peer.send(bind_text(std::string("cycle-") + target, "state", target));
  }
  peer.send(bind_text("cycle-config", "state", "configuration::register"));
  peer.calls(arena.amount(100, 10), 100, "state::set",
             [](size_t i) { return fmt::format(R"({{"scope":"s","key":"{}","value":1}})", i); });
  peer.listen(1);
}

void configuration_cycle(Arena& arena, size_t bindings) {
  HostilePeer peer = arena.worker("hostile");
  bind_by_function(peer, bindings, "configuration", "configuration::register");
  peer.call("configuration::register", entry("cycle", "{}", "1"), 5);
  peer.leave();
  HostilePeer other = arena.worker("other");
  other.listen(arena.seconds(3, 1));
  arena.check("configuration answers afterwards",
              !other.call("configuration::get", R"({"id":"cycle"})").empty());
}
void configuration_cycle_1(Arena& arena) { configuration_cycle(arena, 1); }
void configuration_cycle_2000(Arena& arena) { configuration_cycle(arena, arena.amount(2000, 20)); }

// The listing of functions grows, and each of many bindings gets a copy of it.
void broadcast(Arena& arena) {
  HostilePeer lister = arena.worker("lister");
  HostilePeer binder = arena.worker("binder");
  lister.hear = binder.hear = [](std::string_view) { return true; };
  const std::string description = fmt::format(R"(,"description":"{}")", std::string(8000, 'x'));
  lister.send_bytes(many(arena.amount(1000, 10), [&](size_t i) {
    return function_text(fmt::format("listed::{}", i), description);
  }));
  binder.send(function_text("binder::event"));
  binder.send_bytes(many(arena.amount(2000, 20), [](size_t i) {
    return bind_text(fmt::format("broadcast-{}", i), "engine::functions-available",
                     "binder::event");
  }));
  binder.listen(arena.seconds(3, 1));
  binder.leave();
  lister.listen(arena.seconds(3, 1));
}

void broadcast_workers(Arena& arena) {
  HostilePeer binder = arena.worker("binder");
  binder.hear = [](std::string_view) { return true; };
  binder.send(function_text("binder::event"));
  binder.send_bytes(many(arena.amount(2000, 20), [](size_t i) {
    return bind_text(fmt::format("b-{}", i), "engine::workers-available", "binder::event");
  }));
  for (size_t i = 0; i < arena.amount(200, 5) && arena.in_time(); ++i) {
    HostilePeer visitor = arena.worker(fmt::format("visitor-{}", i));
    binder.listen(0.001);
  }
}

void log_bindings(Arena& arena) {
  HostilePeer binder = arena.worker("binder");
  binder.hear = [](std::string_view) { return true; };
  binder.send(function_text("binder::event"));
  binder.send_bytes(many(arena.amount(2000, 20), [](size_t i) {
    return bind_text(fmt::format("b-{}", i), "log", "binder::event");
  }));
  const std::string line = fmt::format(R"({{"message":"{}"}})", std::string(10'000, 'x'));
  binder.send_bytes(
      many(arena.amount(200, 5), [&](size_t) { return void_text("engine::log::info", line); }));
  binder.listen(2);
}

// The log trigger bound to the function that writes log lines.
void log_cycle(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  peer.send_bytes(many(arena.amount(100, 5), [](size_t i) {
    return bind_text(fmt::format("c-{}", i), "log", "engine::log::info");
  }));
  peer.send(void_text("engine::log::info", R"({"message":"m"})"));
  peer.listen(1);
  arena.check("the engine answers afterwards",
              !peer.call("engine::workers::list", "{}", 10).empty());
}

void metadata(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  peer.hear = [](std::string_view text) { return text.find("invokefunction") != text.npos; };
  peer.send(function_text("hostile::never"));
  const std::string extra =
      fmt::format(R"(,"metadata":"{}")", std::string(arena.amount(6 * kMiB, kMiB / 16), 'm'));
  for (int i = 0; i < 10; ++i) {
    peer.send(bind_text(fmt::format("m-{}", i), "state", "hostile::never", "{}", extra));
  }
  HostilePeer setter = arena.worker("setter");
  const size_t count = arena.amount(1000, 20);
  const size_t done = setter.calls(count, 100, "state::set", [](size_t i) {
    return fmt::format(R"({{"scope":"s","key":"{}","value":1}})", i);
  });
  arena.check(fmt::format("{} of {} sets are answered", done, count), done == count);
  peer.listen(1);
}

// Notes the keys of events in the order in which they come. It does not answer them: sending reads,
// and may not be done while a message is being looked at.
void subscribe(HostilePeer& subscriber, std::vector<std::string>& keys) {
  subscriber.hear = [&keys](std::string_view text) {
    if (!text.starts_with(R"({"type":"invokefunction")")) return false;
    keys.push_back(text_of(text, "key"));
    return true;
  };
}

void silent_subscriber(Arena& arena) {
  HostilePeer silent = arena.worker("silent");
  silent.send(function_text("silent::event"));
  silent.send(bind_text("first", "state", "silent::event", R"({"scope":"s"})"));
  silent.call("engine::workers::list", "{}");
  silent.hear = [](std::string_view) { return true; };
  silent.reads = false;
  HostilePeer subscriber = arena.worker("subscriber");
  std::vector<std::string> keys;
  subscriber.send(function_text("subscriber::event"));
  subscriber.send(bind_text("second", "state", "subscriber::event", R"({"scope":"s"})"));
  subscriber.call("engine::workers::list", "{}");
  subscribe(subscriber, keys);
  HostilePeer setter = arena.worker("setter");
  const size_t count = arena.amount(12'000, 200);
  for (size_t done = 0; done < count; done += 100) {
    setter.calls(100, 100, "state::set", [&](size_t i) {
      return fmt::format(R"({{"scope":"s","key":"{}","value":1}})", done + i);
    });
    subscriber.listen(0.001);
  }
  while (keys.size() < count && arena.in_time() && subscriber.open()) subscriber.listen(0.05);
  bool ordered = true;
  for (size_t i = 0; i < keys.size(); ++i) ordered = ordered && keys[i] == std::to_string(i);
  arena.check(fmt::format("the second subscriber heard {} of {}", keys.size(), count),
              keys.size() == count);
  arena.check("in order", ordered);
}

void steal_type(Arena& arena) {
  HostilePeer owner = arena.worker("owner");
  owner.send(type_text("owner::on-change"));
  owner.call("engine::workers::list", "{}");
  HostilePeer subscriber = arena.worker("subscriber");
  subscriber.send(bind_text("before", "owner::on-change", "subscriber::event"));
  arena.check("the owner hears of a binding", owner.wait_for(R"("before")", 5).has_value());
  {
    HostilePeer thief = arena.worker("thief");
    thief.send(type_text("owner::on-change"));
    thief.call("engine::workers::list", "{}");
  }
  subscriber.send(bind_text("after", "owner::on-change", "subscriber::event"));
  arena.check("and still after a thief came and left",
              owner.wait_for(R"("id":"after")", 5).has_value());
}

void types_beside_bindings(Arena& arena) {
  HostilePeer binder = arena.worker("binder");
  binder.send_bytes(many(arena.amount(10'000, 100), [](size_t i) {
    return bind_text(fmt::format("b-{}", i), "nobody::type", "nobody::f");
  }));
  HostilePeer provider = arena.worker("provider");
  provider.send_bytes(
      many(arena.amount(1000, 20), [](size_t i) { return type_text(fmt::format("type-{}", i)); }));
  arena.check("the provider is answered", !provider.call("engine::workers::list", "{}").empty());
}

// Each registration of the type hands all bindings over again.
void same_type_again(Arena& arena) {
  HostilePeer binder = arena.worker("binder");
  const std::string config = fmt::format(R"("{}")", std::string(5'000, 'c'));
  binder.send_bytes(many(arena.amount(10'000, 100), [&](size_t i) {
    return bind_text(fmt::format("b-{}", i), "one::type", "nobody::f", config);
  }));
  HostilePeer provider = arena.worker("provider");
  provider.hear = [](std::string_view text) { return text.find("registertrigger") != text.npos; };
  provider.send_bytes(many(arena.amount(300, 5), [](size_t) { return type_text("one::type"); }));
  provider.listen(2);
}

void leave_bindings(Arena& arena) {
  for (const char* type : {"state", "configuration", "engine::workers-available", "owner::type"}) {
    HostilePeer owner = arena.worker("owner");
    owner.hear = [](std::string_view text) { return text.find("registertrigger") != text.npos; };
    owner.send(type_text("owner::type"));
    HostilePeer binder = arena.worker("binder");
    binder.send_bytes(many(arena.amount(10'000, 100), [&](size_t i) {
      return bind_text(fmt::format("b-{}", i), type, "nobody::f");
    }));
    binder.call("engine::health::check", "{}");
    binder.leave();
    owner.listen(0.2);
  }
}

void list_bindings(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const std::string config = fmt::format(R"({{"scope":"{}"}})", std::string(2'000, 'c'));
  peer.send_bytes(many(arena.amount(10'000, 100), [&](size_t i) {
    return bind_text(fmt::format("b-{}", i), "state", "nobody::f", config);
  }));
  const size_t done = peer.calls(arena.amount(20, 3), 20, "engine::registered-triggers::list",
                                 [](size_t) { return "{}"; });
  arena.check("the lists are answered", done > 0);
}

void events_to_many(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  peer.hear = [](std::string_view text) { return text.find("invokefunction") != text.npos; };
  peer.send(function_text("hostile::never"));
  peer.send_bytes(many(arena.amount(10'000, 100), [](size_t i) {
    return bind_text(fmt::format("b-{}", i), "state", "hostile::never");
  }));
  const std::string value(100'000, 'v');
  peer.calls(arena.amount(100, 3), 100, "state::set", [&](size_t i) {
    return fmt::format(R"({{"scope":"s","key":"{}","value":"{}"}})", i, value);
  });
  peer.listen(1);
}

}  // namespace

std::vector<Attack> trigger_attacks() {
  return {
      {"state-cycle-delete", "`state` bound to state::delete, then one set", state_cycle_delete},
      {"state-cycle-set", "`state` bound to state::set, then one set", state_cycle_set},
      {"state-cycle-many", "`state` bound to five built-in functions, 100 sets",
       state_cycle_update},
      {"config-cycle-1", "`configuration` bound by function to configuration::register",
       configuration_cycle_1},
      {"config-cycle-2000", "the same with 2 000 bindings; the attacker leaves",
       configuration_cycle_2000},
      {"broadcast",
       "functions-available: 2 000 bindings, 8 MB of functions; the binder leaves",
       broadcast,
       nullptr,
       {"--limit", "functions_poll_ms=1000"}},
      {"broadcast-workers", "workers-available: 2 000 bindings, 200 workers come and go",
       broadcast_workers},
      {"log-bindings", "`log`: 2 000 bindings, 200 lines of 10 KB", log_bindings},
      {"log-cycle", "`log` bound 100 times to engine::log::info, one line", log_cycle},
      {"metadata", "10 bindings with 6 MiB metadata, target never answers, 1 000 sets", metadata},
      {"silent-subscriber", "the first subscriber never answers or reads; 12 000 sets",
       silent_subscriber},
      {"steal-type", "registers the trigger type of another worker, and leaves", steal_type},
      {"types-bindings", "1 000 trigger types beside 10 000 bindings", types_beside_bindings},
      {"same-type-again", "one type registered 300 times, 10 000 bindings of 5 KB",
       same_type_again},
      {"leave-bindings", "10 000 bindings of each of four types, then gone", leave_bindings},
      {"list-bindings", "10 000 bindings of 2 KB, 20 lists of them at once", list_bindings},
      {"events-to-many", "10 000 bindings, target never answers, 100 sets of 100 KB",
       events_to_many},
  };
}

}  // namespace iii::bench
