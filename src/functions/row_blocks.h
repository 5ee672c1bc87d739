// Something kept about every skill, in blocks of neighbouring rows, that follows the generations:
// blocks whose rows are the same objects as before are kept.
//
// Made in steps of one block, so that a loop thread can do other things in between.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "content/types.h"

namespace iii::directory {

// `Block` is made from `std::span<const content::SkillPtr>`.
template <typename Block>
class RowBlocks {
 public:
  // A change costs the making of one block again.
  static constexpr size_t kBlockRows = 256;

  struct Piece {
    size_t rows = 0;
    std::shared_ptr<const Block> block;
  };

  const content::GenerationPtr& generation() const { return generation_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

  // The making of the blocks of another generation.
  class Update {
   public:
    Update(RowBlocks before, content::GenerationPtr generation) : before_(std::move(before)) {
      out_.generation_ = std::move(generation);
      out_.pieces_.reserve(before_.pieces_.size() + 1);
    }

    // Does a little; false: there is nothing left to do.
    bool step() {
      const Rows& now = out_.generation_->skills;
      if (at_ < until_) {
        const size_t count = std::min(until_ - at_, kBlockRows);
        const std::span<const content::SkillPtr> rows(now.data() + at_, count);
        out_.pieces_.push_back({count, std::make_shared<const Block>(rows)});
        at_ += count;
      } else if (old_ < before_.pieces_.size()) {
        keep_or_skip(before_.pieces_[old_++]);
      } else if (at_ < now.size()) {
        until_ = now.size();
      } else {
        return false;
      }
      return true;
    }
    RowBlocks take() { return std::move(out_); }

   private:
    using Rows = std::vector<content::SkillPtr>;

    // Rows are compared by address: nothing that is still held can be at the address of another.
    void keep_or_skip(Piece& piece) {
      const Rows& before = before_.generation_->skills;
      const Rows& now = out_.generation_->skills;
      const size_t end = begin_ + piece.rows;
      const std::span<const content::SkillPtr> old(before.data() + begin_, piece.rows);
      begin_ = end;
      if (at_ + piece.rows <= now.size() &&
          std::ranges::equal(old, std::span(now.data() + at_, piece.rows))) {
        at_ += piece.rows;
        out_.pieces_.push_back(std::move(piece));
        return;
      }
      // Up to where the next old block would begin.
      until_ = now.size();
      if (end < before.size()) {
        const auto id = [](const content::SkillPtr& row) -> const std::string& { return row->id; };
        const auto place = std::ranges::lower_bound(now, before[end]->id, {}, id);
        until_ = static_cast<size_t>(place - now.begin());
      }
    }

    RowBlocks before_;
    RowBlocks out_;
    size_t old_ = 0;    // next block of `before_`
    size_t begin_ = 0;  // its first row there
    size_t at_ = 0;     // rows of the new generation that are in blocks
    size_t until_ = 0;  // rows up to here have no block yet
  };

 private:
  content::GenerationPtr generation_;  // keeps the rows alive that the blocks were made of
  std::vector<Piece> pieces_;
};

}  // namespace iii::directory
