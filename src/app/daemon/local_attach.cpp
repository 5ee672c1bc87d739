#include "app/daemon/local_attach.h"

#include <memory>
#include <utility>

namespace iii::daemon {

namespace {

class LocalPeer final : public sdk::InProcessPeer, public engine::Link {
 public:
  LocalPeer(engine::Engine& engine, std::shared_ptr<sdk::InProcessLine> line)
      : engine_(engine), line_(std::move(line)) {
    worker_ = &engine_.connected(*this, "127.0.0.1");
  }

  void on_text(std::string_view text) override {
    if (worker_ != nullptr) engine_.received(*worker_, text);
  }
  void on_shared_text(SharedBytes text) override {
    if (worker_ != nullptr) engine_.received(*worker_, std::move(text));
  }
  void on_closed() override {
    if (worker_ != nullptr) engine_.disconnected(*std::exchange(worker_, nullptr));
  }

  void send(std::string_view frame) override { line_->send(frame); }
  bool pause() override {
    line_->pause();
    return true;
  }
  void resume() override { line_->resume(); }
  void ended(bool) override {
    worker_ = nullptr;
    line_->drop();
  }

 private:
  engine::Engine& engine_;
  std::shared_ptr<sdk::InProcessLine> line_;
  engine::Worker* worker_ = nullptr;
};

}  // namespace

sdk::Attach attach_to(engine::Engine& engine) {
  return
      [&engine](std::shared_ptr<sdk::InProcessLine> line) -> std::unique_ptr<sdk::InProcessPeer> {
        return std::make_unique<LocalPeer>(engine, std::move(line));
      };
}

}  // namespace iii::daemon
