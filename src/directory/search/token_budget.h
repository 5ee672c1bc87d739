// How many tokens a text costs a language model, estimated without the vocabulary of any model.
//
// The estimate is made to be too high rather than too low: against the tokenizers that the tests
// compare it with (o200k, cl100k, and Anthropic's published one) it is never more than 5 % below
// the largest count (tests/e2e/token_budget.test.mjs); of English prose it is about a sixth above
// it.
//
// How: a text is cut into runs of the same kind, as byte-pair tokenizers cut it. A word that is in
// the table of word vectors (or has an inflected form there) costs a little more than one token, an
// unknown one about half a token per letter; digits, capitals, punctuation and white space have
// their own rates; every other character has the rate of its script.
#pragma once

#include <cstddef>
#include <string_view>

namespace iii::search {

// Any bytes; linear in the size of the text. 0 for an empty text only.
size_t estimate_tokens(std::string_view text);

}  // namespace iii::search
