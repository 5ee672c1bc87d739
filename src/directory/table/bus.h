// The table of functions on an iii bus. Only this file registers functions there.
#pragma once

#include "bus/sdk/worker.h"
#include "directory/table/engine_client.h"

namespace iii::directory {

class FunctionTable;

// Offers every function of the table; before the worker starts. What is added later is not offered.
void serve_on(sdk::Worker& worker, const FunctionTable& table);

// Calls through a worker, which outlives it.
class BusClient final : public EngineClient {
 public:
  explicit BusClient(sdk::Worker& worker) : worker_(worker) {}
  using EngineClient::call;
  sdk::Pending<json::Raw> call(const Context& context, std::string_view function_id,
                               std::string_view payload, std::chrono::milliseconds timeout,
                               std::string_view name_space) override;
  sdk::Sleep sleep(std::chrono::milliseconds time) override { return worker_.sleep(time); }

 private:
  sdk::Worker& worker_;
};

}  // namespace iii::directory
