#include "harness/live/tensors/live_tensors.h"

#include <cstring>
#include <string>
#include <utility>

#include "harness/core/check.h"
#include "harness/core/environment_error.h"

namespace harness {

LiveTensors::LiveTensors(const Pipeline& pipeline, std::uint64_t seed, int rank, MessageWriter& out,
                         DeviceExchanges* exchanges, std::uint32_t first_gpu)
    : rank_(rank),
      out_(out),
      tensors_(pipeline, seed),
      by_handle_(store_, *this),
      by_message_(
          store_, memory_, [this](WorkerId, std::span<const std::byte> tensor) { send(tensor); }, *this) {
  if (exchanges == nullptr) return;
  transfers_.emplace(
      *exchanges, first_gpu, out, [this](WorkerId, std::span<const std::byte> tensor) { send(tensor); },
      static_cast<TransferEvents&>(*this));
}

void LiveTensors::send(std::span<const std::byte> tensor) {
  Transfer transfer;
  std::memcpy(&transfer, tensor.data(), sizeof transfer);
  out_.send(static_cast<int>(transfer.id >> kRankShift), MessageKind::kTensor, NoContents{}, tensor);
}

void LiveTensors::keep(const TensorKey& key, const TensorPlace& made, StoredTensor output) {
  if (tensors_.output_bytes(made.module) == 0 || kept_.contains(key)) return;
  if (output.owner == nullptr) output = tensors_.output(made.module, key.request);
  HARNESS_CHECK(output.bytes == tensors_.output_bytes(made.module),
                "a visit leaves another size behind than its module");
  kept_.emplace(key, Kept{store_.put(std::move(output)), made});
}

StoredTensor LiveTensors::copy_of(std::span<const std::byte> bytes) {
  StoredTensor tensor = allocate(bytes.size());
  memory_.copy_from_host(bytes, tensor);
  return tensor;
}

void LiveTensors::keep_input(RequestId request, StoredTensor tensor) {
  const TensorKey key{request, kClientTensor};
  if (!kept_.contains(key)) kept_.emplace(key, Kept{store_.put(std::move(tensor)), {}});
}

StoredTensor LiveTensors::allocate(std::size_t bytes) {
  StoredTensor tensor = memory_.allocate(bytes);
  if (tensor.owner == nullptr)
    throw EnvironmentError("no memory for a tensor of " + std::to_string(bytes) + " bytes");
  return tensor;
}

bool LiveTensors::release(const TensorKey& key) {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return false;
  store_.drop(found->second.handle);
  kept_.erase(found);
  return true;
}

TransferId LiveTensors::put(StoredTensor tensor) {
  const TransferId id = next_id();
  const std::size_t bytes = tensor.bytes;
  inputs_[id] = {{}, rank_, bytes, {}, &store_, store_.put(std::move(tensor))};
  return id;
}

TransferId LiveTensors::fetch(const TensorKey& key, int rank, std::size_t bytes, const TensorPlace& to) {
  const TransferId id = next_id();
  ask(id, inputs_[id] = {key, rank, bytes, to, nullptr, kNoTensor});
  return id;
}

const StoredTensor& LiveTensors::at(TransferId id) const {
  const Input& input = inputs_.at(id);
  HARNESS_CHECK(input.store != nullptr, "a tensor is used that has not come");
  return input.store->at(input.handle);
}

void LiveTensors::ask_again(TransferId id) {
  Input& input = inputs_.at(id);
  input.to.gpu = kNone;  // by message, since a transfer is offered only once
  if (input.store == nullptr) ask(id, input);
}

void LiveTensors::drop(TransferId id) {
  const Input input = inputs_.extract(id).mapped();
  if (input.store != nullptr) input.store->drop(input.handle);
}

void LiveTensors::ask(TransferId id, const Input& input) {
  const FetchMessage fetch{id,          input.key.request, input.bytes, input.key.index, input.to.module,
                           input.to.gpu};
  if (input.rank != rank_) return out_.send(input.rank, MessageKind::kFetch, fetch);
  const Transfer transfer{.id = id, .source = first_bytes(input.key, input.bytes), .bytes = input.bytes};
  if (transfer.source == kNoTensor) return on_gone(id);
  by_handle_.carry(transfer);
}

bool LiveTensors::take(int from, Message& message) {
  switch (message.kind()) {
    case MessageKind::kFetch:
      take_fetch(from, message.read<FetchMessage>());
      return true;
    case MessageKind::kTensor:
      by_message_.on_message(message.rest());
      return true;
    case MessageKind::kTensorGone:
      on_gone(message.read<FetchMessage>().id);
      return true;
    default:
      return transfers_ && transfers_->take(from, message);
  }
}

void LiveTensors::take_fetch(int from, const FetchMessage& fetch) {
  const TensorKey key{fetch.request, fetch.index};
  const auto found = kept_.find(key);
  if (transfers_ && fetch.gpu != kNone && found != kept_.end()) {
    const TensorPlace& made = found->second.made;
    const StoredTensor& whole = store_.at(found->second.handle);
    if (transfers_->carry(fetch.id, whole, made, {fetch.module, fetch.gpu}, fetch.bytes)) return;
  }
  const TensorHandle source = first_bytes(key, fetch.bytes);
  if (source == kNoTensor) return out_.send(from, MessageKind::kTensorGone, fetch);
  by_message_.carry({.id = fetch.id, .source = source, .bytes = fetch.bytes});
}

TensorHandle LiveTensors::first_bytes(const TensorKey& key, std::size_t bytes) {
  const auto found = kept_.find(key);
  if (found == kept_.end()) return kNoTensor;
  const StoredTensor& whole = store_.at(found->second.handle);
  if (whole.bytes < bytes) return kNoTensor;
  if (whole.bytes > bytes) return store_.put({whole.data, bytes, whole.owner});
  store_.share(found->second.handle);
  return found->second.handle;
}

void LiveTensors::on_arrived(const Transfer& transfer, TensorStore& store, TensorHandle handle) {
  const auto found = inputs_.find(transfer.id);
  if (found == inputs_.end() || found->second.store != nullptr) {  // nobody waits, or it came before
    store.drop(handle);
    return;
  }
  found->second.store = &store;
  found->second.handle = handle;
  if (found->second.rank == rank_) {
    bytes_.by_handle += transfer.bytes;
  } else {
    (is_on_device(transfer.id) ? bytes_.by_device : bytes_.by_message) += transfer.bytes;
  }
}

void LiveTensors::on_gone(TransferId id) {
  const auto found = inputs_.find(id);
  if (found == inputs_.end() || found->second.store != nullptr) return;
  StoredTensor zeros = allocate(found->second.bytes);
  std::memset(zeros.data, 0, zeros.bytes);
  found->second.store = &store_;
  found->second.handle = store_.put(std::move(zeros));
}

}  // namespace harness
