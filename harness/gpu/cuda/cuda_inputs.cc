#include "harness/gpu/cuda/cuda_inputs.h"

#include "harness/gpu/inputs/input_format.h"

namespace harness {

void CudaInputs::reserve(std::size_t bytes) {
  if (bytes <= device_.size()) return;
  clear();
  wait_for_pieces();
  grow(bytes);
}

void CudaInputs::restart(DeviceModel model, std::size_t most) {
  wait_for_pieces();
  model_ = model;
  layout_.clear(most);
}

void CudaInputs::wait_for_pieces() {
  if (is_copying_) copied_.wait();
  is_copying_ = false;
}

void CudaInputs::grow(std::size_t bytes) {
  host_ = PinnedBuffer(bytes, "images");
  device_ = CudaBuffer();  // the new buffer may need its room
  device_ = CudaBuffer(bytes, "images");
}

void CudaInputs::prepare(DeviceModel model, std::size_t most, const Image& image) {
  if (model_ != model) restart(model, most);
  if (!image.bytes.empty() && layout_.size_with(image) <= device_.size()) layout_.add(image);
}

void CudaInputs::begin(DeviceModel model, std::size_t most, std::span<const Image> images) {
  check_images(images);
  if (model_ != model) restart(model, most);
  layout_.place(images);
  if (layout_.size() > device_.size()) {
    restart(model, most);  // without the prepared images the batch may fit
    layout_.place(images);
    if (layout_.size() > device_.size()) grow(layout_.size());
  }
  layout_.write_table(host_.bytes(), device_.data());
}

bool CudaInputs::copy_some(const CudaStream& copies) {
  if (!model_ || layout_.is_staged()) return false;
  const InputLayout::Range range = layout_.stage(host_.bytes(), kPieceBytes);
  try {
    copy_part_to_device(host_, device_, range.begin, range.end, copies);
    copied_.record(copies);
  } catch (...) {
    // No event says when the copy, if it was enqueued, has ended: the memory may be given back after this.
    cudaStreamSynchronize(copies.get());
    cudaGetLastError();
    throw;
  }
  is_copying_ = true;
  return true;
}

void CudaInputs::wait_in(CudaStream& compute) { compute.wait_for(copied_); }

void CudaInputs::clear() { model_.reset(); }

}  // namespace harness
