// Something kept about every skill, in blocks of neighbouring rows, that follows the generations:
// a block is kept as long as its chunk of rows is shared (content/rows.h).
//
// Made in steps of one block, so that a loop thread can do other things in between.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "directory/content/types.h"

namespace iii::directory {

// `Block` is made from `std::span<const content::SkillPtr>`.
template <typename Block>
class RowBlocks {
 public:
  using Rows = content::Rows<content::SkillPtr>;
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
      for (size_t i = 0; i < before_.pieces_.size(); ++i) {
        known_.emplace(before_.generation_->skills.chunks()[i].get(), i);
      }
      out_.generation_ = std::move(generation);
      out_.pieces_.reserve(out_.generation_->skills.chunks().size());
    }

    // Makes one block; false: there is nothing left to do.
    bool step() {
      const std::span<const Rows::ChunkPtr> chunks = out_.generation_->skills.chunks();
      if (out_.pieces_.size() == chunks.size()) return false;
      const Rows::Chunk& rows = *chunks[out_.pieces_.size()];
      const auto known = known_.find(&rows);
      out_.pieces_.push_back(known == known_.end()
                                 ? Piece{rows.size(), std::make_shared<const Block>(rows)}
                                 : before_.pieces_[known->second]);
      return true;
    }
    RowBlocks take() { return std::move(out_); }

   private:
    RowBlocks before_;  // keeps the chunks alive, so that no other can be at their addresses
    std::unordered_map<const Rows::Chunk*, size_t> known_;
    RowBlocks out_;
  };

 private:
  content::GenerationPtr generation_;
  std::vector<Piece> pieces_;  // one for each chunk of its rows
};

}  // namespace iii::directory
