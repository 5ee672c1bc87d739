#include <yaml.h>

#include <limits>

#include "foundation/base/check.h"
#include "foundation/json/write.h"
#include "foundation/json/yaml.h"

namespace iii::json {

namespace {

// Owns a libyaml emitter that writes into a string. Its calls fail only for want of memory or by
// misuse, so a failure is a bug.
class Emitter {
 public:
  Emitter() {
    III_CHECK(yaml_emitter_initialize(&emitter_) == 1);
    yaml_emitter_set_output(&emitter_, append, &out_);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_emitter_set_width(&emitter_, -1);
    yaml_event_t event;
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    emit(event);
    yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1);
    emit(event);
  }
  ~Emitter() { yaml_emitter_delete(&emitter_); }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  void begin_mapping(bool empty) {
    yaml_event_t event;
    yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1,
                                        empty ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
    emit(event);
  }
  void end_mapping() {
    yaml_event_t event;
    yaml_mapping_end_event_initialize(&event);
    emit(event);
  }

  void text(std::string_view value) {
    const bool lines = value.find('\n') != std::string_view::npos;
    const bool would_be_text = plain_yaml_scalar(value).as_string() != nullptr;
    scalar(value, lines           ? YAML_LITERAL_SCALAR_STYLE
                  : would_be_text ? YAML_ANY_SCALAR_STYLE
                                  : YAML_SINGLE_QUOTED_SCALAR_STYLE);
  }

  void value(const Value& v) {
    if (const std::string* string = v.as_string()) return text(*string);
    if (const Array* array = v.as_array()) return sequence(*array);
    if (const Object* object = v.as_object()) {
      begin_mapping(object->empty());
      for (const auto& [key, member] : *object) {
        text(key);
        value(member);
      }
      return end_mapping();
    }
    scalar(to_text(v), YAML_PLAIN_SCALAR_STYLE);
  }

  std::string finish() {
    yaml_event_t event;
    yaml_document_end_event_initialize(&event, 1);
    emit(event);
    yaml_stream_end_event_initialize(&event);
    emit(event);
    III_CHECK(yaml_emitter_flush(&emitter_) == 1);
    return std::move(out_);
  }

 private:
  static int append(void* out, unsigned char* bytes, size_t size) {
    static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(bytes), size);
    return 1;
  }

  void emit(yaml_event_t& event) { III_CHECK(yaml_emitter_emit(&emitter_, &event) == 1); }

  void scalar(std::string_view text, yaml_scalar_style_t style) {
    III_CHECK(text.size() <= static_cast<size_t>(std::numeric_limits<int>::max()));
    yaml_event_t event;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    III_CHECK(yaml_scalar_event_initialize(&event, nullptr, nullptr, bytes,
                                           static_cast<int>(text.size()), 1, 1, style) == 1);
    emit(event);
  }

  void sequence(const Array& array) {
    yaml_event_t event;
    yaml_sequence_start_event_initialize(
        &event, nullptr, nullptr, 1,
        array.empty() ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE);
    emit(event);
    for (const Value& entry : array) value(entry);
    yaml_sequence_end_event_initialize(&event);
    emit(event);
  }

  std::string out_;
  yaml_emitter_t emitter_{};
};

}  // namespace

std::string write_yaml(std::span<const std::pair<std::string, Value>> members) {
  Emitter emitter;
  emitter.begin_mapping(members.empty());
  for (const auto& [key, member] : members) {
    emitter.text(key);
    emitter.value(member);
  }
  emitter.end_mapping();
  return emitter.finish();
}

}  // namespace iii::json
