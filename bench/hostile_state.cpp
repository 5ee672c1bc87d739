// Attacks with stored values and configuration entries.
#include <fmt/format.h>

#include "hostile.h"

namespace iii::bench {
namespace {

std::string set_data(const std::string& scope, const std::string& key, const std::string& value) {
  return fmt::format(R"({{"scope":"{}","key":"{}","value":{}}})", scope, key, value);
}

std::string text_value(size_t bytes) { return '"' + std::string(bytes, 'v') + '"'; }

// Four values that list as one answer of about 58 MB.
bool fill_scope(Arena& arena, HostilePeer& peer) {
  const std::string value = text_value(arena.amount(14'500'000, 20'000));
  return peer.calls(4, 1, "state::set",
                    [&](size_t i) { return set_data("big", std::to_string(i), value); }) == 4;
}

std::string object_value(size_t bytes) {
  std::string value = "{";
  for (size_t i = 0; value.size() < bytes; ++i) {
    value += fmt::format(R"({}"key-{}":"{}")", i == 0 ? "" : ",", i, std::string(40, 'v'));
  }
  return value + "}";
}

void update_large(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  peer.call("state::set", set_data("s", "k", object_value(arena.amount(9'000'000, 20'000))));
  peer.hear = [](std::string_view) { return true; };
  peer.send_bytes(many(30, [](size_t i) {
    return void_text("state::update",
                     fmt::format(R"({{"scope":"s","key":"k","ops":[{{"type":"increment","path":"n)"
                                 R"({}","by":1}}]}})",
                                 i));
  }));
  peer.leave();
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered",
              succeeded(other.call("state::set", set_data("t", "k", "1"))));
}

void update_many_ops(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  peer.call("state::set", set_data("s", "k", object_value(arena.amount(4'000'000, 20'000))));
  std::string ops;
  for (size_t i = 0; i < arena.amount(9'999, 50); ++i) {
    ops += fmt::format(R"({}{{"type":"append","path":["a","b{}"],"value":"x"}})",
                       ops.empty() ? "" : ",", i % 100);
  }
  peer.calls(10, 10, "state::update",
             [&](size_t) { return fmt::format(R"({{"scope":"s","key":"k","ops":[{}]}})", ops); });
}

void read_large(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  arena.check("the values are stored", fill_scope(arena, peer));
  HostilePeer reader = arena.worker("reader");
  const auto list = [](size_t) { return R"({"scope":"big"})"; };
  const size_t at_once = reader.calls(4, 4, "state::list", list);
  // What does not fit in its queue is refused (caller_busy), and the connection stays.
  const size_t again = reader.calls(4 - at_once, 1, "state::list", list);
  arena.check(
      fmt::format("{} of 4 lists of 58 MB at once arrive, {} when asked again", at_once, again),
      at_once >= 1 && at_once + again == 4);
}

void list_large(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  fill_scope(arena, peer);
  const size_t count = arena.amount(10, 2);
  const size_t done =
      peer.calls(count, 1, "state::list", [](size_t) { return R"({"scope":"big"})"; });
  arena.check(fmt::format("{} of {} lists arrive", done, count), done == count);
}

// Answers that nobody reads, on many connections.
void unread_answers(Arena& arena) {
  HostilePeer filler = arena.worker("filler");
  fill_scope(arena, filler);
  std::vector<HostilePeer> peers;
  for (size_t i = 0; i < arena.amount(40, 4) && arena.in_time(); ++i) {
    peers.push_back(arena.connect());
    peers.back().reads = false;
    for (int k = 0; k < 2; ++k) {
      peers.back().send(call_text(invocation_id(i, static_cast<uint64_t>(k)), "state::list",
                                  R"({"scope":"big"})"));
    }
  }
  filler.listen(arena.seconds(4, 1));
}

void tiny_keys(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const size_t count = arena.amount(500'000, 1'000);
  const size_t done = peer.calls(count, 5'000, "state::set", [](size_t i) {
    return set_data("tiny", fmt::format("{:x}", i), "1");
  });
  arena.check(fmt::format("{} of {} keys are stored", done, count), done == count);
  peer.calls(5, 1, "state::list", [](size_t) { return R"({"scope":"tiny"})"; });
}

void tiny_scopes(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  peer.calls(arena.amount(200'000, 1'000), 5'000, "state::set",
             [](size_t i) { return set_data(fmt::format("scope-{:x}", i), "k", "1"); });
  const size_t done = peer.calls(5, 5, "state::list_groups", [](size_t) { return "{}"; });
  arena.check("the groups are listed", done == 5);
}

void set_large(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const std::string value = object_value(arena.amount(16'000'000, 20'000));
  const size_t count = arena.amount(10, 2);
  const size_t done = peer.calls(count, 2, "state::set", [&](size_t i) {
    return set_data("large", std::to_string(i % 2), value);
  });
  arena.check(fmt::format("{} of {} sets of 16 MB are answered", done, count), done == count);
}

std::string register_data(const std::string& id, const std::string& schema,
                          const std::string& value) {
  return fmt::format(R"({{"id":"{}","name":"n","description":"d","schema":{},"initial_value":{}}})",
                     id, schema, value);
}

void expand(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  std::string value = "\"";
  for (size_t i = 0; i < arena.amount(700'000, 1'000); ++i) value += "${:";
  value += '"';
  peer.call("configuration::register", register_data("a", "{}", value));
  const std::string half = value.substr(0, std::min<size_t>(value.size() - 1, 900'000)) + '"';
  peer.call("configuration::register", register_data("b", "{}", half));
  peer.call("configuration::get", R"({"id":"b"})");
  arena.check("configuration answers afterwards",
              succeeded(peer.call("configuration::register", register_data("c", "{}", "1"))));
}

void hostile_schema(Arena& arena, const std::string& schema, const std::string& value) {
  HostilePeer peer = arena.worker("hostile");
  for (int i = 0; i < 3; ++i) {
    peer.call("configuration::register", register_data(fmt::format("s{}", i), schema, value));
  }
  arena.check("configuration answers afterwards",
              succeeded(peer.call("configuration::register", register_data("c", "{}", "1"))));
}

std::string branches(const std::string& keyword, size_t count, const std::string& branch) {
  std::string list;
  for (size_t i = 0; i < count; ++i) list += (i == 0 ? "" : ",") + branch;
  return fmt::format(R"({{"{}":[{}]}})", keyword, list);
}

void schema_any_of(Arena& arena) {
  hostile_schema(arena, branches("anyOf", arena.amount(20'000, 50), R"({"type":"object"})"),
                 text_value(arena.amount(500'000, 1'000)));
}

void schema_enum(Arena& arena) {
  std::string big = "[";
  for (size_t i = 0; i < arena.amount(40'000, 50); ++i) big += i == 0 ? "1" : ",1";
  big += "]";
  hostile_schema(
      arena, branches("oneOf", arena.amount(10'000, 20), R"({"enum":[1,"two",{"three":3}]})"), big);
}

void schema_references(Arena& arena) {
  std::string definitions;
  const size_t depth = arena.amount(60, 12);
  for (size_t i = 0; i < depth; ++i) {
    definitions +=
        fmt::format(R"("d{}":{{"anyOf":[{{"$ref":"#/$defs/d{}"}},{{"$ref":"#/$defs/d{}"}}]}},)", i,
                    i + 1, i + 1);
  }
  hostile_schema(arena,
                 fmt::format(R"({{"$ref":"#/$defs/d0","$defs":{{{}"d{}":{{"type":"object"}}}}}})",
                             definitions, depth),
                 "1");
}

void schema_unique(Arena& arena) {
  std::string items = "[";
  for (size_t i = 0; i < arena.amount(100'000, 100); ++i) {
    items += fmt::format("{}{}", i == 0 ? "" : ",", i);
  }
  hostile_schema(arena, R"({"uniqueItems":true})", items + "]");
}

void schema_pattern(Arena& arena) {
  hostile_schema(arena, R"({"pattern":"((a{1,30}){1,30}){1,30}$","items":{"pattern":"(x+x+)+y"}})",
                 text_value(arena.amount(800'000, 1'000)));
}

void list_configuration(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const std::string schema = fmt::format(R"({{"description":"{}"}})", std::string(900'000, 's'));
  peer.calls(arena.amount(60, 3), 4, "configuration::register",
             [&](size_t i) { return register_data(fmt::format("e{}", i), schema, "1"); });
  peer.calls(5, 1, "configuration::list", [](size_t) { return "{}"; });
}

}  // namespace

std::vector<Attack> state_attacks() {
  return {
      {"update-large", "a 9 MB object, 30 x state::update, gone", update_large},
      {"update-many-ops", "a 4 MB object, 10 updates of 9 999 nested appends", update_many_ops},
      {"set-large", "10 x state::set of 16 MB", set_large},
      {"read-4x58mb", "4 lists of 58 MB asked for at once", read_large},
      {"list-58mb", "10 lists of 58 MB, one after the other", list_large},
      {"unread-answers", "40 connections ask for 2 x 58 MB each and do not read", unread_answers},
      {"tiny-keys", "500 000 keys in one scope, listed", tiny_keys},
      {"tiny-scopes", "200 000 scopes, listed", tiny_scopes},
      {"expand", "`${:` 700 000 times in a configuration value", expand},
      {"schema-any-of", "20 000 failing branches, a value of 500 KB", schema_any_of},
      {"schema-enum", "10 000 failing enums, an array of 40 000 items", schema_enum},
      {"schema-references", "references that double at each of 60 levels", schema_references},
      {"schema-unique", "uniqueItems with 100 000 items", schema_unique},
      {"schema-pattern", "nested repetitions over 800 KB", schema_pattern},
      {"list-configuration", "60 entries of 900 KB, 5 lists", list_configuration},
  };
}

}  // namespace iii::bench
