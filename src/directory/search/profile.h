// What is searched in which way: the fields of a kind of document, their weights, and the rules of
// an answer. There are two: functions and skills.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace iii::search {

inline constexpr size_t kMaxFields = 8;
// One bit per field, by its number in the profile.
using FieldMask = uint8_t;

struct Field {
  std::string_view name;  // as it is shown in answers
  float lexical;          // weight in BM25F
  float vector;           // weight in the text vector
  bool surface;           // its words are offered as corrections of unknown words
};

struct Profile {
  std::span<const Field> fields;
  double floor;           // least confidence of an answer
  double nearest_from;    // below the floor and from here on, the nearest keys are named
  FieldMask bulk;         // the one field with most of the words, or 0: see postings.h
  FieldMask description;  // first sentence and the rest of it: checked for stuffing
  FieldMask names;        // the fields that make up the id
  bool ids;               // a query may be an id: `a::b` is resolved and never searched for
  bool literal;           // below the floor, who has every word of the query is an answer
  bool own_skills;        // what a model does itself (`translate …`) has a higher floor
};

namespace function_field {
enum : uint8_t { kNamespace, kName, kSentence, kRest, kParameters, kParameterTexts, kCount };
}
namespace skill_field {
enum : uint8_t { kName, kTitle, kSentence, kRest, kBody, kCount };
}

const Profile& function_profile();
const Profile& skill_profile();

// A document as it is indexed: its key (the id), and the text of each field of the profile.
struct Document {
  std::string key;
  std::array<std::string, kMaxFields> fields;
  // Documents with the same number other than 0 are copies of each other: only the one whose key
  // comes first is found.
  uint64_t copy_of = 0;
};

}  // namespace iii::search
