#include "directory/library/registration_store.h"

#include <algorithm>
#include <utility>

#include "directory/library/cause.h"
#include "directory/library/nearby.h"
#include "foundation/json/describe.h"

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

// Decoding more than this takes more than a moment.
constexpr size_t kLargeList = 64 * 1024;

template <typename T>
struct Listed {
  std::vector<T> rows;        // by key
  std::vector<size_t> sizes;  // of their records
};

template <typename T>
Listed<T> decode_all(std::string_view text, std::string T::* key) {
  std::vector<std::pair<T, size_t>> found;
  for (const json::Slice record : records(text)) {
    T one;
    if (json::decode_into(record, one, {})) continue;
    found.emplace_back(std::move(one), record.size());
  }
  std::ranges::sort(found, {}, [key](const auto& each) -> const auto& { return each.first.*key; });
  Listed<T> out;
  for (auto& [row, size] : found) {
    out.rows.push_back(std::move(row));
    out.sizes.push_back(size);
  }
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
static task::Task<Result<json::Raw>> ask(sdk::Worker& worker, std::string function_id, In payload,
                                         std::chrono::milliseconds timeout) {
  json::Raw text{json::encode(payload)};
  sdk::Reply<json::Raw> reply = co_await ask_nearby(worker, function_id, std::move(text), timeout);
  if (!reply) {
    co_return fail(reply.error().code, function_id + ": " + cause_of(reply.error(), timeout));
  }
  co_return std::move(*reply);
}

RegistrationStore::RegistrationStore(sdk::Worker& worker, task::Pool& thread,
                                     RegistrationStoreOptions options)
    : worker_(worker), thread_(thread), options_(std::move(options)) {}

size_t RegistrationStore::Usage::replace(const std::string& key, size_t bytes) {
  size_t& now = by_key_[key];
  const size_t before = std::exchange(now, bytes);
  total_ += bytes - before;
  if (bytes == 0) by_key_.erase(key);
  return before;
}

task::Task<Result<void>> RegistrationStore::put(std::string scope, std::string key,
                                                std::string record, Usage& usage) {
  const size_t bytes = record.size();
  const size_t before = usage.replace(key, bytes);
  if (bytes > before && usage.total() > options_.max_bytes) {
    const size_t others = usage.total() - bytes;
    usage.replace(key, before);
    co_return fail(kScopeFull, "`" + key + "` needs " + std::to_string(bytes) +
                                   " bytes, what is registered already has " +
                                   std::to_string(others) + ", and at most " +
                                   std::to_string(options_.max_bytes) + " can be listed");
  }
  const Entry entry{std::move(scope), key, json::Raw{std::move(record)}};
  const Result<json::Raw> reply = co_await ask(worker_, "state::set", entry, options_.timeout);
  if (reply) co_return Result<void>();
  usage.replace(key, before);
  co_return std::unexpected(reply.error());
}

task::Task<Result<void>> RegistrationStore::put(RegisteredSkill skill) {
  return put(options_.skills_scope, skill.id, json::encode(skill), skills_usage_);
}

task::Task<Result<void>> RegistrationStore::put(RegisteredPrompt prompt) {
  return put(options_.prompts_scope, prompt.name, json::encode(prompt), prompts_usage_);
}

// Whatever `state::delete` gives back was there, an empty object or `false` included.
task::Task<Result<bool>> RegistrationStore::remove(std::string scope, std::string key,
                                                   Usage& usage) {
  const Key which{std::move(scope), key};
  const Result<json::Raw> reply = co_await ask(worker_, "state::delete", which, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  usage.replace(key, 0);
  co_return json::trimmed(reply->text) != "null";
}

task::Task<Result<bool>> RegistrationStore::remove_skill(std::string id) {
  return remove(options_.skills_scope, std::move(id), skills_usage_);
}

task::Task<Result<bool>> RegistrationStore::remove_prompt(std::string name) {
  return remove(options_.prompts_scope, std::move(name), prompts_usage_);
}

task::Task<Result<std::optional<RegisteredSkill>>> RegistrationStore::skill(std::string id) {
  const Key which{options_.skills_scope, id};
  const Result<json::Raw> reply = co_await ask(worker_, "state::get", which, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return decode_one<RegisteredSkill>(*reply, "skill", id);
}

task::Task<Result<std::optional<RegisteredPrompt>>> RegistrationStore::prompt(std::string name) {
  const Key which{options_.prompts_scope, name};
  const Result<json::Raw> reply = co_await ask(worker_, "state::get", which, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  co_return decode_one<RegisteredPrompt>(*reply, "prompt", name);
}

template <typename T>
task::Task<Result<std::vector<T>>> RegistrationStore::list(std::string scope, std::string T::* key,
                                                           Usage& usage) {
  const Scope which{std::move(scope)};
  Result<json::Raw> reply = co_await ask(worker_, "state::list", which, options_.timeout);
  if (!reply) co_return std::unexpected(reply.error());
  const bool large = reply->text.size() > kLargeList;
  auto decode = [text = std::move(reply->text), key] { return decode_all<T>(text, key); };
  Listed<T> listed = large ? co_await thread_.run(std::move(decode)) : decode();
  usage = {};
  for (size_t i = 0; i < listed.rows.size(); ++i) {
    usage.replace(listed.rows[i].*key, listed.sizes[i]);
  }
  co_return std::move(listed.rows);
}

task::Task<Result<std::vector<RegisteredSkill>>> RegistrationStore::skills() {
  return list(options_.skills_scope, &RegisteredSkill::id, skills_usage_);
}

task::Task<Result<std::vector<RegisteredPrompt>>> RegistrationStore::prompts() {
  return list(options_.prompts_scope, &RegisteredPrompt::name, prompts_usage_);
}

}  // namespace iii::directory
