// The part of the unpickler that knows PyTorch: which globals there are, and what calling one of them would have made.
#include <algorithm>
#include <array>

#include "core/printable.h"
#include "weights/pickle.h"

namespace reprise::weights {
namespace {

enum Callable : std::int64_t { OrderedDict, RebuildTensor, RebuildParameter, Parameter };

struct Known {
  std::string_view module, name;
  Value value;
};

constexpr Value callable(Callable which) { return {.kind = Value::Kind::Global, .number = which, .text = {}}; }
constexpr Value storage_type(at::ScalarType type) {
  return {.kind = Value::Kind::StorageType, .number = static_cast<std::int64_t>(type), .text = {}};
}

constexpr std::array known_globals{
    Known{"collections", "OrderedDict", callable(OrderedDict)},
    Known{"torch._utils", "_rebuild_tensor", callable(RebuildTensor)},
    Known{"torch._utils", "_rebuild_tensor_v2", callable(RebuildTensor)},
    Known{"torch._utils", "_rebuild_parameter", callable(RebuildParameter)},
    Known{"torch.nn.parameter", "Parameter", callable(Parameter)},
    Known{"torch", "DoubleStorage", storage_type(at::kDouble)},
    Known{"torch", "FloatStorage", storage_type(at::kFloat)},
    Known{"torch", "HalfStorage", storage_type(at::kHalf)},
    Known{"torch", "BFloat16Storage", storage_type(at::kBFloat16)},
    Known{"torch", "LongStorage", storage_type(at::kLong)},
    Known{"torch", "IntStorage", storage_type(at::kInt)},
    Known{"torch", "ShortStorage", storage_type(at::kShort)},
    Known{"torch", "CharStorage", storage_type(at::kChar)},
    Known{"torch", "ByteStorage", storage_type(at::kByte)},
    Known{"torch", "BoolStorage", storage_type(at::kBool)},
    Known{"torch", "UntypedStorage", storage_type(at::kByte)},
    Known{"torch.storage", "UntypedStorage", storage_type(at::kByte)},
};

constexpr std::size_t most_dimensions = 32;

}  // namespace

Value Unpickler::global(std::string_view module, std::string_view name) const {
  const auto* found = std::ranges::find_if(known_globals, [&](const Known& known) { return known.module == module && known.name == name; });
  if (found != known_globals.end()) return found->value;
  // The name comes from the file: it is shown, but not at any length, and not with control characters.
  refuse("names the global " + printable(module.substr(0, 80)) + "." + printable(name.substr(0, 80)) +
         ", which a state dictionary does not need; nothing was run");
}

const std::vector<Value>& Unpickler::expect_items(const Value& value, Value::Kind kind, const char* what) const {
  if (value.kind != kind)
    refuse(std::string(what) + " is " + std::string(kind_text(value.kind)) + ", expected " + std::string(kind_text(kind)));
  return items(value);
}

std::int64_t Unpickler::expect_count(const Value& value, const char* what) const {
  if (value.kind != Value::Kind::Int || value.number < 0) refuse(std::string(what) + " is not an integer of at least 0");
  return value.number;
}

std::vector<std::int64_t> Unpickler::expect_counts(const Value& value, const char* what) {
  const auto& given = expect_items(value, Value::Kind::Tuple, what);
  if (given.size() > most_dimensions) refuse(std::string(what) + " has more than 32 entries");
  budget_.spend(given.size() * sizeof(std::int64_t));
  std::vector<std::int64_t> counts;
  for (const auto& item : given) counts.push_back(expect_count(item, what));
  return counts;
}

/// ("storage", type, key, device, count) and, in the older layout, None or (key of the view, first, count).
Value Unpickler::storage(const Value& id) {
  const auto& parts = expect_items(id, Value::Kind::Tuple, "a persistent id");
  if (parts.size() < 5 || parts.size() > 6 || parts[0].kind != Value::Kind::Text || parts[0].text != "storage")
    refuse("a persistent id that names no storage");
  if (parts[1].kind != Value::Kind::StorageType) refuse("a storage whose type is " + std::string(kind_text(parts[1].kind)));
  if (parts[2].kind != Value::Kind::Text) refuse("a storage whose key is not a text");
  StorageReference reference{.type = static_cast<at::ScalarType>(parts[1].number),
                             .key = parts[2].text,
                             .first = 0,
                             .count = expect_count(parts[4], "the size of a storage")};
  if (parts.size() == 6 && parts[5].kind != Value::Kind::None) {
    const auto& view = expect_items(parts[5], Value::Kind::Tuple, "the view of a storage");
    if (view.size() != 3) refuse("the view of a storage has not three parts");
    const auto first = expect_count(view[1], "the start of a view"), count = expect_count(view[2], "the size of a view");
    if (first > reference.count || count > reference.count - first) refuse("the view of a storage reaches beyond it");
    reference.first = first;
    reference.count = count;
  }
  budget_.spend(2 * sizeof reference);
  storages_.push_back(reference);
  return {.kind = Value::Kind::Storage, .number = static_cast<std::int64_t>(storages_.size()) - 1};
}

Value Unpickler::call(const Value& callee, const Value& arguments) {
  if (callee.kind != Value::Kind::Global) refuse(std::string(kind_text(callee.kind)) + " is called");
  const auto& given = expect_items(arguments, Value::Kind::Tuple, "the arguments of a call");
  switch (static_cast<Callable>(callee.number)) {
    case OrderedDict:
      return ordered_dictionary(given);
    case RebuildTensor:
      return rebuild_tensor(given);
    case RebuildParameter:
    case Parameter:
      return rebuild_parameter(given);
  }
  refuse("an unknown call");
}

/// OrderedDict(), or OrderedDict([[key, value], ...]) as Python 2 wrote it.
Value Unpickler::ordered_dictionary(const std::vector<Value>& arguments) {
  std::vector<Value> items;
  if (arguments.size() > 1) refuse("an OrderedDict of " + std::to_string(arguments.size()) + " arguments");
  if (arguments.size() == 1)
    for (const auto& pair : expect_items(arguments[0], Value::Kind::List, "the items of an OrderedDict")) {
      const auto& parts =
          expect_items(pair, pair.kind == Value::Kind::List ? Value::Kind::List : Value::Kind::Tuple, "an item of an OrderedDict");
      if (parts.size() != 2) refuse("an item of an OrderedDict is not a pair");
      budget_.spend(2 * sizeof(Value));
      items.insert(items.end(), parts.begin(), parts.end());
    }
  return make(Value::Kind::Dict, std::move(items));
}

/// (storage, offset, sizes, strides), and from version 2 on requires_grad, hooks and perhaps metadata, which are no weights.
Value Unpickler::rebuild_tensor(const std::vector<Value>& arguments) {
  if (arguments.size() < 4 || arguments.size() > 7 || arguments[0].kind != Value::Kind::Storage)
    refuse("a tensor that is not made of a storage");
  budget_.spend(sizeof(TensorReference));
  TensorReference reference{.storage = static_cast<std::size_t>(arguments[0].number),
                            .offset = expect_count(arguments[1], "the offset of a tensor"),
                            .sizes = expect_counts(arguments[2], "the shape of a tensor"),
                            .strides = expect_counts(arguments[3], "the strides of a tensor")};
  if (reference.sizes.size() != reference.strides.size()) refuse("a tensor with as many strides as it has not dimensions");
  tensors_.push_back(std::move(reference));
  return {.kind = Value::Kind::Tensor, .number = static_cast<std::int64_t>(tensors_.size()) - 1};
}

/// (tensor, ...): a parameter is its tensor.
Value Unpickler::rebuild_parameter(const std::vector<Value>& arguments) {
  if (arguments.empty() || arguments[0].kind != Value::Kind::Tensor) refuse("a parameter that is not made of a tensor");
  return arguments[0];
}

/// An OrderedDict's attributes (_metadata), and an old parameter's flags, are no weights; any other state has nowhere to go.
void Unpickler::build(const Value& state) {
  const auto kind = top().kind;
  const bool attributes = kind == Value::Kind::Dict && state.kind == Value::Kind::Dict;
  const bool flags = kind == Value::Kind::Tensor && state.kind == Value::Kind::Tuple;
  if (!attributes && !flags) refuse("a state of " + std::string(kind_text(state.kind)) + " is given to " + std::string(kind_text(kind)));
}

}  // namespace reprise::weights
