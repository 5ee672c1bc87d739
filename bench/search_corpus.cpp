#include "search_corpus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string_view>

#include "directory/search/word_vectors.h"

namespace iii::bench {

namespace {

constexpr std::array<std::string_view, 16> kGlue{"the",  "of",   "and",   "to",  "a",  "in",
                                                 "for",  "with", "on",    "is",  "it", "by",
                                                 "when", "you",  "using", "from"};
constexpr size_t kTopics = 1'500;
constexpr size_t kTopicWords = 40;

class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {
    const auto& table = search::WordVectors::standard();
    for (uint32_t row = 0; row < table.rows(); ++row) {
      const std::string_view word = table.word(static_cast<search::WordVectors::Row>(row));
      if (word.size() >= 3) words_.push_back(word);
    }
    std::ranges::shuffle(words_, random_);
    // Zipf: the n-th word is 1/n as frequent as the first.
    double sum = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      sum += 1 / (static_cast<double>(i) + 10);
      cumulated_.push_back(sum);
    }
    for (size_t t = 0; t < kTopics; ++t) {
      auto& topic = topics_.emplace_back();
      for (size_t i = 0; i < kTopicWords; ++i) topic.push_back(words_[random_() % words_.size()]);
    }
  }

  void choose_topics() { topic_ = {random_() % kTopics, random_() % kTopics}; }

  std::string_view word() {
    if (random_() % 3 != 0) {
      const auto& topic = topics_[topic_[random_() % 2]];
      // The first words of a topic are its most frequent.
      return topic[std::min(random_() % kTopicWords, random_() % kTopicWords)];
    }
    const double at = std::uniform_real_distribution<double>(0, cumulated_.back())(random_);
    const auto found = std::ranges::lower_bound(cumulated_, at);
    return words_[static_cast<size_t>(found - cumulated_.begin())];
  }

  std::string text(size_t bytes, bool glue) {
    std::string out;
    size_t in_sentence = 0;
    while (out.size() < bytes) {
      if (!out.empty()) out += ' ';
      const size_t at = out.size();
      out += glue && random_() % 5 < 2 ? kGlue.at(random_() % kGlue.size()) : word();
      if (in_sentence++ == 0) out[at] = static_cast<char>(std::toupper(out[at]));
      if (glue && in_sentence > 8 && random_() % 8 == 0) {
        out += random_() % 6 == 0 ? ".\n\n" : ".";
        in_sentence = 0;
      }
    }
    return out;
  }

  uint64_t below(uint64_t limit) { return random_() % limit; }

 private:
  std::mt19937_64 random_;
  std::vector<std::string_view> words_;
  std::vector<double> cumulated_;
  std::vector<std::vector<std::string_view>> topics_;
  std::array<size_t, 2> topic_{};
};

std::string hyphenated(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return text;
}

}  // namespace

std::vector<MadeDocument> make_skills(size_t count, uint64_t seed) {
  Writer writer(seed);
  std::vector<MadeDocument> documents;
  for (size_t i = 0; i < count; ++i) {
    writer.choose_topics();
    MadeDocument& document = documents.emplace_back();
    document.title = writer.text(12 + writer.below(20), false);
    document.id = "pack" + std::to_string(i / 40) + "/" + hyphenated(document.title) + "-" +
                  std::to_string(i);
    document.description = writer.text(90 + writer.below(200), true);
    // Bodies are longer than what is indexed of them.
    document.body = "# " + document.title + "\n\n" + writer.text(1'000 + writer.below(2'500), true);
  }
  return documents;
}

std::vector<MadeDocument> make_functions(size_t count, uint64_t seed) {
  Writer writer(seed);
  std::vector<MadeDocument> documents;
  for (size_t i = 0; i < count; ++i) {
    writer.choose_topics();
    MadeDocument& document = documents.emplace_back();
    document.id = "worker" + std::to_string(i / 12) + "::" + hyphenated(writer.text(8, false)) +
                  "::" + hyphenated(writer.text(4, false));
    document.description = writer.text(50 + writer.below(150), true);
  }
  return documents;
}

std::vector<std::string> make_requests(const std::vector<MadeDocument>& documents, size_t count,
                                       uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::string> requests;
  for (size_t i = 0; i < count; ++i) {
    const std::string& from = documents[random() % documents.size()].description;
    // Five to nine words in a row.
    size_t begin = from.find(' ', random() % (from.size() / 2));
    size_t end = begin;
    for (size_t words = 5 + random() % 5; words > 0 && end != std::string::npos; --words) {
      end = from.find(' ', end + 1);
    }
    std::string request = from.substr(begin, end - begin);
    if (i % 5 == 0) request.erase(request.size() / 2, 1);
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace iii::bench
