// The data that are compiled in, and what computes with them.
#include <gmock/gmock.h>

#include <array>
#include <numeric>

#include "directory/search/dot.h"
#include "directory/search/embedded.h"
#include "directory/search/synonyms.h"
#include "directory/search/text_vector.h"
#include "directory/search/word_vectors.h"

namespace iii::search {
namespace {

double length(const WordVectors& table, WordVectors::Row row) {
  TextVector vector;
  vector.add(table, row, 1);
  return vector.length();
}

TEST(WordVectors, HasTheWordsOfTheDesign) {
  const WordVectors& table = WordVectors::standard();
  EXPECT_EQ(table.rows(), 23'748U);
  EXPECT_EQ(embedded_word_vectors().size(), 3'467'321U);
  ASSERT_EQ(table.find("delete"), 5556);
  EXPECT_EQ(table.find("webhook"), 23189);
  EXPECT_NEAR(length(table, 5556), 0.4097, 0.0001);
  EXPECT_EQ(table.find("qzxqzx"), std::nullopt);
  EXPECT_EQ(table.find(""), std::nullopt);
}

TEST(WordVectors, EveryWordIsFound) {
  const WordVectors& table = WordVectors::standard();
  for (uint32_t row = 0; row < table.rows(); ++row) {
    const auto number = static_cast<WordVectors::Row>(row);
    ASSERT_EQ(table.find(table.word(number)), number);
  }
}

TEST(WordVectors, SimplerFormsOfAWord) {
  const WordVectors& table = WordVectors::standard();
  const auto form = [&](std::string_view word) {
    const auto row = table.find_form(word);
    return row ? std::string(table.word(*row)) : "";
  };
  EXPECT_EQ(form("thumbnailed"), "thumbnail");
  EXPECT_EQ(form("geofences"), "geofence");
  EXPECT_EQ(form("unzipping"), "unzip");
  EXPECT_EQ(form("reticketing"), "");
  EXPECT_EQ(form("tuner"), "tun");  // the first form that is in the table counts
  EXPECT_EQ(form("s"), "");
}

TEST(WordVectors, CosinesOfTheDesign) {
  const auto of = [](std::string_view a, std::string_view b) {
    std::array<std::array<int16_t, kDims>, 2> values{};
    std::array<float, 2> scales{};
    text_vector(a).quantise(values[0], scales[0]);
    text_vector(b).quantise(values[1], scales[1]);
    return std::inner_product(values[0].begin(), values[0].end(), values[1].begin(), 0.0) *
           scales[0] * scales[1];
  };
  EXPECT_NEAR(of("delete a file", "remove a document from disk"), 0.578, 0.001);
  EXPECT_NEAR(of("where is my parcel", "track a shipment"), 0.457, 0.001);
  EXPECT_NEAR(of("GitHub pull request", "merge the branch"), 0.275, 0.001);
  EXPECT_NEAR(of("delete a file", "bake sourdough bread"), -0.031, 0.001);
  EXPECT_NEAR(of("listSavedQueries", "list saved queries"), 1.000, 0.001);
  EXPECT_EQ(of("the of", "file"), 0);
}

TEST(Synonyms, PairsAndPhrases) {
  const Synonyms& table = Synonyms::standard();
  const auto weight = [](std::span<const Synonym> of, std::string_view stem) {
    const auto found = std::ranges::find(of, stem, &Synonym::stem);
    return found == of.end() ? 0.0F : found->weight;
  };
  EXPECT_FLOAT_EQ(weight(table.of("delet"), "remov"), 0.63F);
  EXPECT_FLOAT_EQ(weight(table.of("remov"), "delet"), 0.63F);
  EXPECT_FLOAT_EQ(weight(table.of_phrase("get_rid_of"), "delet"), 0.49F);
  // `check` and `inspect` are in a row of 0.6 only; a phrase is never a synonym of a word.
  EXPECT_FLOAT_EQ(weight(table.of("check"), "inspect"), 0.42F);
  EXPECT_TRUE(std::ranges::none_of(table.of("delet"),
                                   [](const Synonym& s) { return s.stem.contains('_'); }));
  EXPECT_TRUE(table.of("qzx").empty());
}

TEST(Dot, NoSumOverflows) {
  std::array<int16_t, kDims> query{};
  query.fill(32'767);
  std::vector<DocumentVector> rows(37);
  rows[36].values.fill(-128);
  std::vector<int32_t> sums;
  dots(rows, query, sums);
  ASSERT_EQ(sums.size(), 37U);
  EXPECT_EQ(sums[0], 0);
  EXPECT_EQ(sums[36], -128 * 32'767 * int32_t{kDims});
}

TEST(TextVector, EightBitsAreEnough) {
  const TextVector vector = text_vector("rotate the secrets of a vault");
  std::array<int8_t, kDims> values{};
  float scale = 0;
  ASSERT_TRUE(vector.quantise(values, scale));
  double norm = 0;
  for (const int8_t value : values) norm += static_cast<double>(value) * value * scale * scale;
  EXPECT_NEAR(norm, 1, 0.01);
  EXPECT_FALSE(TextVector().quantise(values, scale));
  EXPECT_EQ(scale, 0);
}

}  // namespace
}  // namespace iii::search
