#include "directory/search/profile.h"

namespace iii::search {

namespace {

constexpr std::array<Field, function_field::kCount> kFunctionFields{{
    {.name = "namespace", .lexical = 2, .vector = 0.5F, .surface = true},
    {.name = "name", .lexical = 3, .vector = 1.5F, .surface = true},
    {.name = "description", .lexical = 1, .vector = 1, .surface = true},
    {.name = "details", .lexical = 0.3F, .vector = 0.3F, .surface = true},
    {.name = "parameters", .lexical = 0.5F, .vector = 0.2F, .surface = true},
    {.name = "parameter_descriptions", .lexical = 0.3F, .vector = 0, .surface = false},
}};

constexpr std::array<Field, skill_field::kCount> kSkillFields{{
    {.name = "name", .lexical = 1, .vector = 0.5F, .surface = true},
    {.name = "title", .lexical = 2, .vector = 1, .surface = true},
    {.name = "description", .lexical = 1, .vector = 1, .surface = true},
    {.name = "details", .lexical = 0.7F, .vector = 0.3F, .surface = true},
    {.name = "body", .lexical = 0.2F, .vector = 0, .surface = false},
}};

constexpr Profile kFunctions{
    .fields = kFunctionFields,
    .floor = 0.19,
    .nearest_from = 0.13,
    .bulk = 1U << function_field::kParameterTexts,
    .description = 1U << function_field::kSentence | 1U << function_field::kRest,
    .names = 1U << function_field::kNamespace | 1U << function_field::kName,
    .ids = true,
    .literal = false,
    .own_skills = true,
};

constexpr Profile kSkills{
    .fields = kSkillFields,
    .floor = 0.12,
    .nearest_from = 0.08,
    .bulk = 1U << skill_field::kBody,
    .description = 1U << skill_field::kSentence | 1U << skill_field::kRest,
    .names = 1U << skill_field::kName,
    .ids = false,
    .literal = true,
    .own_skills = false,
};

}  // namespace

const Profile& function_profile() { return kFunctions; }

const Profile& skill_profile() { return kSkills; }

}  // namespace iii::search
