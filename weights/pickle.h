// A restricted unpickler: it knows what a PyTorch state dictionary needs, and keeps the rest as
// opaque values. It builds a tree of plain values; it never calls, imports or runs what a file
// names.
//
// Known globals: collections.OrderedDict and defaultdict, which become dictionaries;
// torch._utils._rebuild_tensor, _v2, _v3, _rebuild_parameter and _rebuild_parameter_with_state;
// torch._tensor._rebuild_from_type_v2; torch.nn.parameter.Parameter (as PyTorch before 0.4 stored
// parameters); the storage types of torch. Any other global, and whatever a file makes of it by
// calling it, giving it a state or putting items into it, is an opaque value: its name, and the
// values that it was given. Training scripts put such beside the weights (a NumPy number, a
// torch.Size, an argparse.Namespace). Globals that can run programs (os.system) end the reading: a
// file that names them is hostile to whoever loads it elsewhere. Opcodes: those of pickle protocols
// 2 to 5, without extensions and buffers.
//
// Values refer to each other by index, so a value may hold itself and nesting costs no stack;
// everything is paid from the Budget.
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
  /// Bool, Int: the value. Tuple, List, Dict, Storage, Tensor, Opaque: an index. Global: which.
  /// StorageType: the at::ScalarType.
  std::int64_t number = 0;
  std::string_view text =
      {};  ///< Text: the bytes in the file. LongInt: little-endian two's complement beyond 64 bits
};

/// "None", "an integer", "a dictionary", ...
std::string_view kind_text(Value::Kind kind);

/// What a persistent id names: `count` elements of storage `key`, from element `first`.
struct StorageReference {
  at::ScalarType type =
      at::ScalarType::Undefined;  ///< Undefined: of the class `unread`, which is not read
  std::string_view unread = {};
  std::string_view key = {};
  std::int64_t first = 0, count = 0;
};

struct TensorReference {
  std::size_t storage = 0;
  at::ScalarType type = at::ScalarType::
      Undefined;  ///< the storage's, or another's; Undefined: `unread`, which is not read
  std::string_view unread = {};
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes = {},
                            strides = {};  ///< in elements; not yet checked against the storage
};

/// What an entry of a map costs: its node, its share of the table, and what the allocator adds.
inline constexpr std::uint64_t memo_cost = sizeof(Value) + 48;

class Unpickler {
 public:
  /// `bytes` must outlive the unpickler; reading begins at `start`.
  Unpickler(std::string_view bytes, std::size_t start, Budget& budget)
      : bytes_(bytes), at_(start), budget_(budget) {}

  /// One pickle, to its end. UsageError: file, byte and what is wrong there. Call once.
  Value load();
  /// The byte after the pickle.
  std::size_t position() const { return at_; }

  /// Of a Tuple or List; of a Dict: key, value, key, value, ...; of an Opaque: module, name, and
  /// all that it was given.
  const std::vector<Value>& items(const Value& value) const {
    return items_[static_cast<std::size_t>(value.number)];
  }
  const TensorReference& tensor(const Value& value) const {
    return tensors_[static_cast<std::size_t>(value.number)];
  }
  const std::vector<StorageReference>& storages() const { return storages_; }
  /// "MODULE.NAME" of an Opaque.
  std::string name_of(const Value& opaque) const;
  /// Whether an Opaque is made of a tensor or a storage, or by one of the functions that make
  /// tensors: leaving it out would leave out weights. Once true, not to be called again.
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
