// A restricted unpickler for PyTorch state dictionaries. It builds a tree of plain values, and
// never calls, imports or runs anything that a file names.
//
// Supported globals:
//   - collections.OrderedDict and defaultdict, which become dictionaries;
//   - torch._utils._rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_parameter and
//     _rebuild_parameter_with_state; torch._tensor._rebuild_from_type_v2;
//   - torch.nn.parameter.Parameter, as PyTorch before 0.4 stored parameters;
//   - the storage types of torch.
//
// Any other global is an opaque value, and so is the result of calling it, setting its state or
// adding items to it. An opaque value keeps its name and the values that it was given. Training
// scripts store such objects next to the weights, for example an argparse.Namespace or a
// torch.Size. Globals that can run programs (os.system) are refused, since they attack any program
// that loads the file.
//
// Supported opcodes: pickle protocols 2 to 5, without extensions and buffers.
// Values refer to each other by index, so that cycles are possible and nesting needs no stack. All
// memory is paid from the Budget.
#pragma once
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "weights/budget.h"

namespace reprise::weights {

struct Value {
  enum class Kind : std::uint8_t {
    None,
    Bool,
    Int,
    LongInt,
    Float,
    Text,
    Tuple,
    List,
    Dict,
    Global,
    StorageType,
    Storage,
    Tensor,
    Opaque
  };
  Kind kind = Kind::None;
  /// Bool, Int: the value. Tuple, List, Dict, Storage, Tensor, Opaque: an index. Global: the index
  /// of the callable. StorageType: the at::ScalarType.
  std::int64_t number = 0;
  /// Text: the bytes in the file. LongInt: more than 64 bits, little-endian two's complement.
  std::string_view text = {};
};

/// Description of a kind for messages: "None", "an integer", "a dictionary", ...
std::string_view kind_text(Value::Kind kind);

/// Content of a persistent id: `count` elements of storage `key`, starting at element `first`.
struct StorageReference {
  /// Undefined: the storage has the unsupported class `unread`.
  at::ScalarType type = at::ScalarType::Undefined;
  std::string_view unread = {};
  std::string_view key = {};
  std::int64_t first = 0, count = 0;
};

struct TensorReference {
  std::size_t storage = 0;
  /// The type of the storage, or another one. Undefined: the unsupported type `unread`.
  at::ScalarType type = at::ScalarType::Undefined;
  std::string_view unread = {};
  std::int64_t offset = 0;
  /// In elements; not checked against the storage yet.
  std::vector<std::int64_t> sizes = {}, strides = {};
};

/// Cost of a map entry, bytes: its node, its part of the table, and the allocator's overhead.
inline constexpr std::uint64_t memo_cost = sizeof(Value) + 48;

class Unpickler {
 public:
  /// Starts reading at `start`. `bytes` must outlive the unpickler.
  Unpickler(std::string_view bytes, std::size_t start, Budget& budget)
      : bytes_(bytes), at_(start), budget_(budget) {}

  /// Reads one pickle to its end; call once. UsageError: names the file, the byte and the problem.
  Value load();
  /// Position of the byte after the pickle.
  std::size_t position() const { return at_; }

  /// Items of a Tuple or List; key, value, key, value, ... of a Dict; module, name and all given
  /// values of an Opaque.
  const std::vector<Value>& items(const Value& value) const {
    return items_[static_cast<std::size_t>(value.number)];
  }
  const TensorReference& tensor(const Value& value) const {
    return tensors_[static_cast<std::size_t>(value.number)];
  }
  const std::vector<StorageReference>& storages() const { return storages_; }
  /// Name of an Opaque: "MODULE.NAME".
  std::string name_of(const Value& opaque) const;
  /// Whether an Opaque was built from a tensor or storage, or by a function that builds tensors.
  /// Skipping such an object would lose weights. Do not call again after it returned true.
  bool holds_tensor(const Value& opaque);

 private:
  [[noreturn]] void refuse(const std::string& problem) const;
  std::string_view take(std::uint64_t count);
  std::uint64_t take_number(std::size_t width);
  std::string_view take_line();

  bool constant(unsigned char opcode);
  bool text(unsigned char opcode);
  bool container(unsigned char opcode);
  bool memo(unsigned char opcode);
  bool object(unsigned char opcode);

  void push(Value value);
  Value pop();
  const Value& top() const;
  std::vector<Value> pop_to_mark();
  Value make(Value::Kind kind, std::vector<Value> items);
  void extend(Value::Kind kind, const std::vector<Value>& items);
  void remember(std::uint64_t key);
  void recall(std::uint64_t key);

  Value integer(std::string_view little_endian) const;
  Value global(std::string_view module, std::string_view name);
  Value opaque(std::string_view module, std::string_view name, const std::vector<Value>& given);
  void give(const Value& opaque, const std::vector<Value>& values);
  Value storage(const Value& id);
  Value call(const Value& callee, const Value& arguments);
  Value ordered_dictionary(const std::vector<Value>& arguments);
  Value rebuild_tensor(const std::vector<Value>& arguments, bool of_type);
  Value rebuild_parameter(const std::vector<Value>& arguments);
  Value rebuild_from_type(const std::vector<Value>& arguments);
  void build(const Value& state);
  const std::vector<Value>& expect_items(const Value& value, Value::Kind kind,
                                         const char* what) const;
  std::int64_t expect_count(const Value& value, const char* what) const;
  std::vector<std::int64_t> expect_counts(const Value& value, const char* what);

  std::string_view bytes_;
  std::size_t at_;
  Budget& budget_;
  std::vector<Value> stack_;
  std::size_t highest_stack_ = 0;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Value> memo_;
  std::unordered_set<std::int64_t> without_tensor_;  ///< indices into items_
  std::deque<std::vector<Value>> items_;
  std::deque<TensorReference> tensors_;
  std::vector<StorageReference> storages_;
};

}  // namespace reprise::weights
