// A long list of which generations share what they have in common: copying it copies a few hundred
// pointers, and a change copies one chunk. Reads like a vector.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace iii::content {

template <typename T>
class Rows {
 public:
  static constexpr size_t kMaxChunk = 512;
  using Chunk = std::vector<T>;  // never empty
  using ChunkPtr = std::shared_ptr<const Chunk>;

  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const Rows* rows, size_t place)
        : rows_(rows), place_(static_cast<difference_type>(place)) {}

    reference operator*() const { return (*rows_)[static_cast<size_t>(place_)]; }
    pointer operator->() const { return &**this; }
    reference operator[](difference_type by) const { return *(*this + by); }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type by) {
      place_ += by;
      return *this;
    }
    Iterator& operator-=(difference_type by) { return *this += -by; }
    friend Iterator operator+(Iterator at, difference_type by) { return at += by; }
    friend Iterator operator+(difference_type by, Iterator at) { return at += by; }
    friend Iterator operator-(Iterator at, difference_type by) { return at -= by; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) {
      return a.place_ - b.place_;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.place_ == b.place_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.place_ <=> b.place_; }

   private:
    const Rows* rows_ = nullptr;
    difference_type place_ = 0;
  };
  using value_type = T;
  using const_iterator = Iterator;

  Rows() = default;
  explicit Rows(std::vector<T> all) {
    for (size_t first = 0; first < all.size(); first += kMaxChunk) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end =
          all.begin() + static_cast<std::ptrdiff_t>(std::min(first + kMaxChunk, all.size()));
      chunks_.push_back(
          std::make_shared<Chunk>(std::make_move_iterator(begin), std::make_move_iterator(end)));
    }
    count_from(0);
  }

  size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  bool empty() const { return ends_.empty(); }
  const T& operator[](size_t place) const {
    const size_t chunk = chunk_of(place);
    return (*chunks_[chunk])[place - begin_of(chunk)];
  }
  const T& front() const { return chunks_.front()->front(); }
  const T& back() const { return chunks_.back()->back(); }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }
  Iterator iterator(size_t place) const { return {this, place}; }
  // Equal pointers mean equal rows.
  std::span<const ChunkPtr> chunks() const { return chunks_; }

  void set(size_t place, T value) {
    const size_t chunk = chunk_of(place);
    own(chunk)[place - begin_of(chunk)] = std::move(value);
  }
  // Before the row at `place`, or at the end.
  void insert(size_t place, T value) {
    if (chunks_.empty()) chunks_.push_back(std::make_shared<Chunk>());
    const size_t chunk = std::min(chunk_of(place), chunks_.size() - 1);
    const size_t at = place - begin_of(chunk);
    Chunk& rows = own(chunk);
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(at), std::move(value));
    if (rows.size() > kMaxChunk) split(chunk, rows);
    count_from(chunk);
  }
  void push_back(T value) { insert(size(), std::move(value)); }
  void erase(size_t place) {
    const size_t chunk = chunk_of(place);
    Chunk& rows = own(chunk);
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(place - begin_of(chunk)));
    if (rows.empty()) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk));
    count_from(chunk);
  }
  void clear() {
    chunks_.clear();
    ends_.clear();
  }

 private:
  size_t begin_of(size_t chunk) const { return chunk == 0 ? 0 : ends_[chunk - 1]; }
  size_t chunk_of(size_t place) const {
    return static_cast<size_t>(std::ranges::upper_bound(ends_, place) - ends_.begin());
  }
  // To be changed. What others hold, too, is copied.
  Chunk& own(size_t chunk) {
    ChunkPtr& held = chunks_[chunk];
    if (held.use_count() > 1) held = std::make_shared<Chunk>(*held);
    return const_cast<Chunk&>(*held);  // made above or in insert(), and nobody else's
  }
  // A list that only grows at its end keeps its chunks full.
  void split(size_t chunk, Chunk& rows) {
    const size_t keep = chunk + 1 == chunks_.size() ? kMaxChunk : rows.size() / 2;
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(keep);
    auto rest = std::make_shared<Chunk>(std::make_move_iterator(middle),
                                        std::make_move_iterator(rows.end()));
    rows.erase(middle, rows.end());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(chunk) + 1, std::move(rest));
  }
  void count_from(size_t chunk) {
    ends_.resize(chunks_.size());
    for (; chunk < chunks_.size(); ++chunk) {
      ends_[chunk] = begin_of(chunk) + chunks_[chunk]->size();
    }
  }

  std::vector<ChunkPtr> chunks_;
  std::vector<size_t> ends_;  // rows up to the end of each chunk
};

}  // namespace iii::content
