// Names, descriptions and Markdown as people write them for skills, made of a few hundred words.
#pragma once

#include <string>
#include <string_view>

#include "dice.h"

namespace iii::bench {

// A subject such as `database`: of a namespace, a group, a plugin.
std::string_view topic(Dice& dice);
// `review-webhooks`, `postgres-migration-runner`: one to four words.
std::string skill_name(Dice& dice);
std::string reference_name(Dice& dice);
std::string title(Dice& dice);
std::string function_id(Dice& dice);
// `tags` of a frontmatter.
std::string tags(Dice& dice);

// What it does and when to use it. Lengths are log-normal: 250 bytes on average, 1 % about 1 KB.
// `mentions` is a word that it must contain, or empty.
std::string description(Dice& dice, std::string_view mentions);
std::string sentence(Dice& dice, size_t words);
// Something of a body: headings, paragraphs, code, lists.
std::string passage(Dice& dice);
// A line of a file that is not a document.
std::string data_line(Dice& dice);

}  // namespace iii::bench
