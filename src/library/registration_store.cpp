#include "library/registration_store.h"

#include <algorithm>
#include <utility>

#include "json/describe.h"
#include "library/cause.h"

namespace iii::directory {

namespace {

struct Key {
  std::string scope;
  std::string key;
};
struct Scope {
  std::string scope;
};
struct Entry {
  std::string scope;
  std::string key;
  json::Raw value;
};

auto describe(json::Type<Key>) {
  return json::object<Key>("Key", "", json::field("scope", &Key::scope, ""),
                           json::field("key", &Key::key, ""));
}
auto describe(json::Type<Scope>) {
  return json::object<Scope>("Scope", "", json::field("scope", &Scope::scope, ""));
}
auto describe(json::Type<Entry>) {
  return json::object<Entry>("Entry", "", json::field("scope", &Entry::scope, ""),
                             json::field("key", &Entry::key, ""),
                             json::field("value", &Entry::value, ""));
}

// Engines answered `state::list` in three shapes over time; anything else holds no records.
std::vector<json::Slice> records(std::string_view text) {
  const json::Slice reply = json::trimmed(text);
  std::vector<json::Slice> out;
  const auto take_all = [&out](json::Slice list, bool wrapped) {
    json::Walker walker(list);
    json::Slice key;
    json::Slice element;
    while (walker.next(key, element)) {
      if (!wrapped) {
        out.push_back(element);
      } else if (json::kind_of(element) == json::Kind::kObject) {
        if (const auto value = json::member(element, "value")) out.push_back(*value);
      }
    }
  };
  const auto is_list = [](const std::optional<json::Slice>& slice) {
    return slice && json::kind_of(*slice) == json::Kind::kArray;
  };
  if (json::kind_of(reply) == json::Kind::kArray) {
    take_all(reply, false);
  } else if (json::kind_of(reply) == json::Kind::kObject) {
    if (const auto items = json::member(reply, "items"); is_list(items)) {
      take_all(*items, true);
    } else if (const auto value = json::member(reply, "value"); is_list(value)) {
      take_all(*value, false);
    }
  }
  return out;
}

template <typename T>
std::vector<T> decode_all(std::string_view text, std::string T::* key) {
  std::vector<T> out;
  for (const json::Slice record : records(text)) {
    T one;
    if (!json::decode_into(record, one, {})) out.push_back(std::move(one));
  }
  std::ranges::sort(out, {}, key);
  return out;
}

template <typename T>
Result<std::optional<T>> decode_one(const json::Raw& reply, std::string_view what,
                                    const std::string& key) {
  if (json::trimmed(reply.text) == "null") return std::nullopt;
  T out;
  if (const json::Problem problem = json::decode_into(json::trimmed(reply.text), out, {})) {
    return fail(kUnreadableRecord,
                "the stored " + std::string(what) + " `" + key + "` cannot be read: " + *problem);
  }
  return out;
}

}  // namespace

template <typename In>
static sdk::Task<Result<json::Raw>> ask(sdk::Worker& worker, std::string function_id, In payload,
                                        std::chrono::milliseconds timeout) {
  sdk::CallOptions options;
  options.timeout = timeout;
  sdk::Reply<json::Raw> reply = co_await worker.trigger(function_id, payload, options);
  if (!reply) {
    co_return fail(reply.error().code, function_id + ": " + cause_of(reply.error(), timeout));
  }
  co_return std::move(*reply);
}

RegistrationStore::RegistrationStore(sdk::Worker& worker, RegistrationStoreOptions options)
    : worker_(worker), options_(std::move(options)) {}

sdk::Task<Result<void>> RegistrationStore::put(RegisteredSkill skill) {
  const Entry entry{options_.skills_scope, skill.id, json::Raw{json::encode(skill)}};
  const Result<json::Raw> reply = co_await ask(worker_, "state::set", entry, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return Result<void>();
}

sdk::Task<Result<void>> RegistrationStore::put(RegisteredPrompt prompt) {
  const Entry entry{options_.prompts_scope, prompt.name, json::Raw{json::encode(prompt)}};
  const Result<json::Raw> reply = co_await ask(worker_, "state::set", entry, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return Result<void>();
}

// Whatever `state::delete` gives back was there, an empty object or `false` included.
static sdk::Task<Result<bool>> remove(sdk::Worker& worker, std::string scope, std::string key,
                                      std::chrono::milliseconds timeout) {
  const Key which{std::move(scope), std::move(key)};
  const Result<json::Raw> reply = co_await ask(worker, "state::delete", which, timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return json::trimmed(reply->text) != "null";
}

sdk::Task<Result<bool>> RegistrationStore::remove_skill(std::string id) {
  return remove(worker_, options_.skills_scope, std::move(id), options_.timeout);
}

sdk::Task<Result<bool>> RegistrationStore::remove_prompt(std::string name) {
  return remove(worker_, options_.prompts_scope, std::move(name), options_.timeout);
}

sdk::Task<Result<std::optional<RegisteredSkill>>> RegistrationStore::skill(std::string id) {
  const Key which{options_.skills_scope, id};
  const Result<json::Raw> reply = co_await ask(worker_, "state::get", which, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return decode_one<RegisteredSkill>(*reply, "skill", id);
}

sdk::Task<Result<std::optional<RegisteredPrompt>>> RegistrationStore::prompt(std::string name) {
  const Key which{options_.prompts_scope, name};
  const Result<json::Raw> reply = co_await ask(worker_, "state::get", which, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return decode_one<RegisteredPrompt>(*reply, "prompt", name);
}

sdk::Task<Result<std::vector<RegisteredSkill>>> RegistrationStore::skills() {
  const Scope scope{options_.skills_scope};
  const Result<json::Raw> reply = co_await ask(worker_, "state::list", scope, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return decode_all<RegisteredSkill>(reply->text, &RegisteredSkill::id);
}

sdk::Task<Result<std::vector<RegisteredPrompt>>> RegistrationStore::prompts() {
  const Scope scope{options_.prompts_scope};
  const Result<json::Raw> reply = co_await ask(worker_, "state::list", scope, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return decode_all<RegisteredPrompt>(reply->text, &RegisteredPrompt::name);
}

}  // namespace iii::directory
