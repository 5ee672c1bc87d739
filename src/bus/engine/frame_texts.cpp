#include "bus/engine/frame_texts.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "foundation/base/discard.h"

namespace iii::engine {

namespace {

using Name = std::optional<std::string_view>;

bool any_long(std::initializer_list<Name> names) {
  return std::ranges::any_of(names,
                             [](const Name& name) { return name && name->size() > kMaxNameBytes; });
}

std::optional<std::string> copied(const Name& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

size_t bytes_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

template <typename T>
std::shared_ptr<T> shared(T value, size_t bytes) {
  if (bytes < kDiscardBytes) return std::make_shared<T>(std::move(value));
  return Discarded<T>(new T(std::move(value)));
}

}  // namespace

bool has_long_name(const protocol::Frame& frame) {
  if (const auto* f = std::get_if<protocol::InvokeFunction>(&frame)) {
    return any_long({f->function_id, f->queue, f->traceparent, f->baggage, f->name_space, f->caller,
                     f->activation});
  }
  if (const auto* f = std::get_if<protocol::RegisterFunction>(&frame)) return any_long({f->id});
  if (const auto* f = std::get_if<protocol::RegisterTriggerType>(&frame)) {
    return any_long({f->id, f->name_space});
  }
  if (const auto* f = std::get_if<protocol::RegisterTrigger>(&frame)) {
    return any_long({f->id, f->trigger_type, f->function_id, f->name_space, f->trigger_namespace});
  }
  return false;
}

std::shared_ptr<Function> copy_texts(const protocol::RegisterFunction& frame) {
  Function function;
  function.id = std::string(frame.id);
  function.description = copied(frame.description);
  function.request_format = copied(frame.request_format);
  function.response_format = copied(frame.response_format);
  function.metadata = copied(frame.metadata);
  function.args_format = copied(frame.args_format);
  function.observe = copied(frame.observe);
  const size_t bytes = bytes_of(function.description) + bytes_of(function.request_format) +
                       bytes_of(function.response_format) + bytes_of(function.metadata) +
                       bytes_of(function.args_format) + bytes_of(function.observe);
  return shared(std::move(function), bytes);
}

std::shared_ptr<Binding> copy_texts(const protocol::RegisterTrigger& frame) {
  Binding binding{.id = std::string(frame.id),
                  .trigger_type = std::string(frame.trigger_type),
                  .function_id = std::string(frame.function_id),
                  .name_space = std::string(frame.name_space.value_or("default")),
                  .config = std::string(frame.config),
                  .metadata = copied(frame.metadata),
                  .trigger_namespace = copied(frame.trigger_namespace)};
  const size_t bytes = binding.config.size() + bytes_of(binding.metadata);
  return shared(std::move(binding), bytes);
}

std::shared_ptr<const TypeTexts> copy_texts(const protocol::RegisterTriggerType& frame) {
  TypeTexts texts{.description = std::string(frame.description),
                  .trigger_request_format = copied(frame.trigger_request_format),
                  .call_request_format = copied(frame.call_request_format)};
  const size_t bytes = texts.size();
  return shared(std::move(texts), bytes);
}

}  // namespace iii::engine
