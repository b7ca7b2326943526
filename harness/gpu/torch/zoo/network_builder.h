// Describes networks layer by layer. It includes nothing of LibTorch, so that the architectures compile
// without it.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace harness {

class Network;
struct ConvShape;
struct NormShape;
struct PoolShape;
struct WeightRange;

enum class Activation { kNone, kRelu, kSilu, kSigmoid, kGelu, kQuickGelu, kTanh };

/// Appends stages to a network. The state is a stack of tensors (NetworkState): a layer replaces its top.
/// copy() and bring() arrange the stack; they cost nothing and become part of the next stage. Names are
/// unique within the network and have no dots.
class NetworkBuilder {
 public:
  using Layer = std::function<at::Tensor(const at::Tensor&)>;

  explicit NetworkBuilder(const std::string& name);
  ~NetworkBuilder();
  /// Returns the finished network; the builder is then done.
  std::shared_ptr<Network> finish();

  /// Pushes the entry `depth` below the top once more (0: the top itself).
  void copy(int depth = 0);
  /// Moves the entry `depth` below the top to the top.
  void bring(int depth);

  void conv(const std::string& name, const ConvShape& shape);
  /// Adds a batch normalisation. Directly after a conv without bias it can be folded into the conv
  /// (Network::fold_norms()).
  void norm(const std::string& name, const NormShape& shape);
  /// Adds a conv without bias, then a norm over its outputs: two stages, NAME_conv and NAME_norm.
  void conv_norm(const std::string& name, const ConvShape& conv_shape, NormShape norm_shape);
  void linear(const std::string& name, int in, int out, bool bias = true);
  void layer_norm(const std::string& name, int width, double epsilon);
  void activation(const std::string& name, Activation act);
  void max_pool(const std::string& name, const PoolShape& shape);
  void average_pool(const std::string& name, const PoolShape& shape);
  /// Pools [b, c, h, w] to [b, c, size, size], over equal areas.
  void adaptive_pool(const std::string& name, int size);
  /// Flattens [b, c, ...] to [b, c * ...].
  void flatten(const std::string& name);
  /// Enlarges [b, c, h, w] to [b, c, 2h, 2w], each value four times.
  void upsample(const std::string& name);
  /// Replaces the `count` topmost tensors by one: side by side in channels, the lowest first.
  void concat(const std::string& name, int count);
  /// Replaces the two topmost tensors by the activation of their sum.
  void add(const std::string& name, Activation act = Activation::kNone);
  /// Replaces the two topmost tensors by their product (the top is broadcast).
  void multiply(const std::string& name);

  /// Adds a layer of any kind: it replaces the `count` topmost tensors, given with the lowest first, by the
  /// tensors that `run` returns.
  void stage(const std::string& name, int count,
             std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)> run);
  /// Adds a layer of any kind on the top.
  void layer(const std::string& name, Layer run);
  /// Adds a parameter of the network, drawn from `range`.
  at::Tensor parameter(const std::string& name, const std::vector<int>& shape, const WeightRange& range);
  /// Adds a tensor that is drawn like a parameter, but not counted as one.
  at::Tensor drawn_buffer(const std::string& name, const std::vector<int>& shape, const WeightRange& range);
  /// Adds a constant that moves with the network.
  at::Tensor constant(const std::string& name, const at::Tensor& value);

 private:
  struct FoldableConv;
  struct Move {
    bool copies;  // true: the entry also stays in its place; false: it is moved
    int depth;
  };
  void append(const std::string& name, std::function<void(std::vector<at::Tensor>&)> run);

  std::shared_ptr<Network> network_;
  std::vector<Move> moves_;
  std::shared_ptr<FoldableConv> last_conv_;  ///< last stage's convolution; null: a norm cannot join it
};

/// A convolution over [batch, in, height, width]; pairs are (height, width).
struct ConvShape {
  int in = 0;
  int out = 0;
  std::array<int, 2> kernel{1, 1};
  std::array<int, 2> stride{1, 1};
  std::array<int, 2> padding{0, 0};
  int groups = 1;
  bool bias = false;
};

/// Returns the shape of a convolution with a square kernel of odd size, whose output is the input's size
/// divided by `stride`, rounded up.
ConvShape same_conv(int in, int out, int kernel = 1, int stride = 1);

/// A batch normalisation by stored statistics.
struct NormShape {
  int channels = 0;
  Activation activation = Activation::kNone;  ///< activation of its output, in the same stage
  double epsilon = 1e-5;
  bool frozen = false;  ///< true if scale and shift are buffers, not parameters (detectors of torchvision)
  double gain = 1;      ///< centre of the scale's range, which keeps signals of random networks in bounds
};

struct PoolShape {
  int kernel = 1;
  int stride = 1;
  int padding = 0;
  bool ceil = false;          ///< true if a window may hang over the edge
  bool count_padding = true;  ///< for averages: true if padding counts as zeros
};

}  // namespace harness
