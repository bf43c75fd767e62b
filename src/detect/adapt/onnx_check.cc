#include "detect/adapt/opencv_net.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace skinmask {
namespace {

constexpr std::size_t kMaxParts = 2000;                   // nodes and tensors; YuNet has some 220
constexpr std::int64_t kMaxSide = 4096;                   // of a tensor, a kernel or a stride
constexpr std::size_t kMaxDimensions = 6;                 // of a tensor
constexpr std::int64_t kFloatTensor = 1, kIntTensor = 7;  // TensorProto.DataType

struct UnsoundOnnx {};

void RequireSound(bool condition) {
  if (!condition) throw UnsoundOnnx();
}

// A field of a Protocol Buffers message: a number, or bytes.
struct OnnxField {
  std::uint64_t number;
  std::int64_t value;
  std::string_view bytes;
};

std::uint64_t TakeVarint(std::string_view& left) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    RequireSound(!left.empty());
    const auto byte = static_cast<std::uint8_t>(left[0]);
    left.remove_prefix(1);
    value |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return value;
  }
  throw UnsoundOnnx();
}

std::string_view TakeBytes(std::string_view& left, std::uint64_t size) {
  RequireSound(size <= left.size());
  const std::string_view taken = left.substr(0, static_cast<std::size_t>(size));
  left.remove_prefix(taken.size());
  return taken;
}

template <class Visit>
void ForEachField(std::string_view message, const Visit& visit) {
  constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;
  while (!message.empty()) {
    const std::uint64_t key = TakeVarint(message), type = key & 7;
    OnnxField field{key >> 3, 0, {}};
    if (type == kVarint)
      field.value = static_cast<std::int64_t>(TakeVarint(message));
    else if (type == kBytes)
      field.bytes = TakeBytes(message, TakeVarint(message));
    else if (type == kFixed64 || type == kFixed32)
      TakeBytes(message, type == kFixed64 ? 8 : 4);
    else
      throw UnsoundOnnx();
    visit(field);
  }
}

// A repeated number, which may be packed.
void AppendNumbers(const OnnxField& field, std::vector<std::int64_t>& numbers) {
  if (field.bytes.empty()) numbers.push_back(field.value);
  for (std::string_view left = field.bytes; !left.empty();)
    numbers.push_back(static_cast<std::int64_t>(TakeVarint(left)));
}

struct Tensor {
  std::vector<std::int64_t> dimensions;
  std::int64_t type = 0, count = 1;
  std::string_view name, data;

  template <class T>
  std::vector<T> Numbers() const {
    std::vector<T> numbers(data.size() / sizeof(T));
    if (!numbers.empty()) std::memcpy(numbers.data(), data.data(), numbers.size() * sizeof(T));
    return numbers;
  }
};

Tensor ReadTensor(std::string_view message) {
  constexpr std::uint64_t kDims = 1, kType = 2, kName = 8, kData = 9;
  Tensor tensor;
  ForEachField(message, [&](const OnnxField& field) {
    if (field.number == kDims)
      AppendNumbers(field, tensor.dimensions);
    else if (field.number == kType)
      tensor.type = field.value;
    else if (field.number == kName)
      tensor.name = field.bytes;
    else if (field.number == kData)
      tensor.data = field.bytes;
    else
      throw UnsoundOnnx();  // its numbers are elsewhere, in this file or another
  });
  RequireSound(tensor.dimensions.size() <= kMaxDimensions);
  for (const std::int64_t side : tensor.dimensions) {
    RequireSound(side >= 0 && side <= kMaxSide);
    RequireSound((tensor.count *= side) <= INT32_MAX);
  }
  RequireSound(tensor.type == kFloatTensor || tensor.type == kIntTensor);
  const std::uint64_t size = tensor.type == kFloatTensor ? 4 : 8;
  RequireSound(tensor.data.size() == static_cast<std::uint64_t>(tensor.count) * size);
  return tensor;
}

struct Node {
  std::vector<std::string_view> inputs, outputs;
  std::string_view type;
  std::map<std::string_view, std::vector<std::int64_t>> numbers;  // its attributes
};

void ReadAttribute(std::string_view message, Node& node) {
  constexpr std::uint64_t kName = 1, kFloat = 2, kInt = 3, kString = 4, kInts = 8, kType = 20;
  std::string_view name;
  std::vector<std::int64_t> numbers;
  ForEachField(message, [&](const OnnxField& field) {
    if (field.number == kName)
      name = field.bytes;
    else if (field.number == kInt || field.number == kInts)
      AppendNumbers(field, numbers);
    else if (field.number != kFloat && field.number != kString && field.number != kType)
      throw UnsoundOnnx();  // a tensor or a graph inside
  });
  for (const std::int64_t number : numbers) RequireSound(number >= 0 && number <= kMaxSide);
  RequireSound(node.numbers.emplace(name, std::move(numbers)).second);
}

Node ReadNode(std::string_view message) {
  constexpr std::uint64_t kInput = 1, kOutput = 2, kType = 4, kAttribute = 5;
  Node node;
  ForEachField(message, [&](const OnnxField& field) {
    if (field.number == kInput) node.inputs.push_back(field.bytes);
    if (field.number == kOutput) node.outputs.push_back(field.bytes);
    if (field.number == kType) node.type = field.bytes;
    if (field.number == kAttribute) ReadAttribute(field.bytes, node);
  });
  return node;
}

class Graph {
 public:
  explicit Graph(std::string_view message) {
    constexpr std::uint64_t kNode = 1, kTensor = 5, kInput = 11, kName = 1;
    ForEachField(message, [&](const OnnxField& field) {
      if (field.number == kNode) nodes_.push_back(ReadNode(field.bytes));
      if (field.number == kTensor) {
        const Tensor tensor = ReadTensor(field.bytes);
        RequireSound(tensors_.emplace(tensor.name, tensor).second);
      }
      if (field.number == kInput)
        ForEachField(field.bytes, [&](const OnnxField& part) {
          if (part.number == kName) known_.insert(part.bytes);
        });
      RequireSound(nodes_.size() + tensors_.size() + known_.size() <= kMaxParts);
    });
  }

  void Check(const std::vector<std::string>& outputs) {
    for (const auto& [name, tensor] : tensors_) known_.insert(name);
    for (const Node& node : nodes_) {
      for (const std::string_view input : node.inputs)
        RequireSound(known_.contains(input) || (input.empty() && node.type == "Resize"));
      CheckNumbers(node);
      RequireSound(node.outputs.size() == 1 && !node.outputs[0].empty());
      RequireSound(known_.insert(node.outputs[0]).second);
    }
    for (const std::string& output : outputs)
      RequireSound(known_.contains(output) && !tensors_.contains(output));
  }

 private:
  const Tensor& TensorOf(const Node& node, std::size_t input, std::int64_t type) const {
    RequireSound(input < node.inputs.size());
    const auto found = tensors_.find(node.inputs[input]);
    RequireSound(found != tensors_.end() && found->second.type == type);
    return found->second;
  }

  void CheckNumbers(const Node& node) const {
    // Each operator with the number of its inputs that are not tensors of the file.
    static const std::map<std::string_view, std::size_t> kOperators = {
        {"Conv", 1}, {"Relu", 1},      {"MaxPool", 1}, {"Resize", 1},
        {"Add", 2},  {"Transpose", 1}, {"Reshape", 1}, {"Sigmoid", 1}};
    const auto found = kOperators.find(node.type);
    RequireSound(found != kOperators.end() && node.inputs.size() >= found->second);
    for (std::size_t i = 0; i < found->second; ++i)
      RequireSound(!tensors_.contains(node.inputs[i]));
    if (node.type == "Conv") CheckConvolution(node);
    if (node.type == "MaxPool") CheckWindow(node);
    if (node.type == "Resize") CheckResize(node);
    if (node.type == "Reshape")
      for (const std::int64_t side : TensorOf(node, 1, kIntTensor).Numbers<std::int64_t>())
        RequireSound(side >= -1 && side <= kMaxSide * kMaxSide);
    if (node.type == "Transpose") {
      std::vector<std::int64_t> order = NumbersOf(node, "perm", 4);
      std::ranges::sort(order);
      RequireSound(order == std::vector<std::int64_t>{0, 1, 2, 3});
    }
  }

  // The attribute's numbers; their count must be `count`.
  static const std::vector<std::int64_t>& NumbersOf(const Node& node, std::string_view name,
                                                    std::size_t count) {
    const auto found = node.numbers.find(name);
    RequireSound(found != node.numbers.end() && found->second.size() == count);
    return found->second;
  }

  // A window that moves over a plane.
  static void CheckWindow(const Node& node) {
    constexpr std::int64_t kMaxWindow = 64;
    for (const std::string_view name : {"kernel_shape", "strides", "dilations"})
      if (name != "dilations" || node.numbers.contains(name))
        for (const std::int64_t number : NumbersOf(node, name, 2))
          RequireSound(number >= 1 && number <= kMaxWindow);
    for (const std::int64_t pad : NumbersOf(node, "pads", 4)) RequireSound(pad <= kMaxWindow);
  }

  void CheckConvolution(const Node& node) const {
    CheckWindow(node);
    const Tensor& weights = TensorOf(node, 1, kFloatTensor);
    const Tensor& bias = TensorOf(node, 2, kFloatTensor);
    const std::vector<std::int64_t>& sides = weights.dimensions;
    const std::vector<std::int64_t>& kernel = NumbersOf(node, "kernel_shape", 2);
    const std::int64_t group = NumbersOf(node, "group", 1)[0];
    RequireSound(sides.size() == 4 && weights.count > 0 && sides[2] == kernel[0] &&
                 sides[3] == kernel[1]);
    RequireSound(group >= 1 && sides[0] % group == 0);
    RequireSound(bias.dimensions.size() == 1 && bias.count == sides[0]);
  }

  void CheckResize(const Node& node) const {
    constexpr float kMaxScale = 16;
    RequireSound(node.inputs.size() >= 2 && node.inputs.size() <= 4);
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty()) continue;
      const Tensor& tensor = TensorOf(node, i, i < 3 ? kFloatTensor : kIntTensor);
      RequireSound(tensor.count == 0 || tensor.count == (i == 1 ? 8 : 4));
      if (i == 2)
        for (const float scale : tensor.Numbers<float>())
          RequireSound(scale >= 1 / kMaxScale && scale <= kMaxScale);
      if (i == 3)
        for (const std::int64_t side : tensor.Numbers<std::int64_t>())
          RequireSound(side >= 1 && side <= kMaxSide);
    }
  }

  std::vector<Node> nodes_;
  std::map<std::string_view, Tensor> tensors_;
  std::set<std::string_view> known_;  // names that a node may take as inputs
};

}  // namespace

bool IsSoundOnnx(std::string_view bytes, const std::vector<std::string>& outputs) {
  constexpr std::uint64_t kGraph = 7, kFunctions = 25;
  try {
    std::optional<std::string_view> graph;
    ForEachField(bytes, [&](const OnnxField& field) {
      RequireSound(field.number != kFunctions && !(field.number == kGraph && graph));
      if (field.number == kGraph) graph = field.bytes;
    });
    RequireSound(graph.has_value());
    Graph(*graph).Check(outputs);
    return true;
  } catch (const UnsoundOnnx&) {
    return false;
  }
}

}  // namespace skinmask
