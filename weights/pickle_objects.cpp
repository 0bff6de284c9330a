// PyTorch's part of the unpickler: the known globals, and the results of calling them.
#include <algorithm>
#include <array>

#include "core/printable.h"
#include "weights/element_types.h"
#include "weights/pickle.h"

namespace reprise::weights {
namespace {

enum Callable : std::int64_t {
  OrderedDict,
  DefaultDict,
  RebuildTensor,
  RebuildTensorOfType,
  RebuildParameter,
  RebuildFromType,
  Parameter
};

/// A global that this reader evaluates itself.
struct Known {
  std::string_view module, name;
  Value value;
};

constexpr Value callable(Callable which) {
  return {.kind = Value::Kind::Global, .number = which, .text = {}};
}

constexpr std::array known_globals{
    Known{"collections", "OrderedDict", callable(OrderedDict)},
    Known{"collections", "defaultdict", callable(DefaultDict)},
    Known{"torch._utils", "_rebuild_tensor", callable(RebuildTensor)},
    Known{"torch._utils", "_rebuild_tensor_v2", callable(RebuildTensor)},
    Known{"torch._utils", "_rebuild_tensor_v3", callable(RebuildTensorOfType)},
    Known{"torch._utils", "_rebuild_parameter", callable(RebuildParameter)},
    Known{"torch._utils", "_rebuild_parameter_with_state", callable(RebuildParameter)},
    Known{"torch._tensor", "_rebuild_from_type_v2", callable(RebuildFromType)},
    Known{"torch.nn.parameter", "Parameter", callable(Parameter)},
    Known{"torch.nn.parameter", "Buffer", callable(Parameter)},
};

/// Returns the element type of a storage class of torch; Undefined for any other class.
at::ScalarType storage_type(std::string_view module, std::string_view name) {
  // Untyped storages count bytes.
  if (name == "UntypedStorage" && (module == "torch" || module == "torch.storage"))
    return at::kByte;
  const auto found = std::ranges::find(element_types(), name, &ElementType::storage);
  return module == "torch" && !name.empty() && found != element_types().end()
             ? found->type
             : at::ScalarType::Undefined;
}

/// Returns whether a global of Python can run programs or code, or change files.
bool may_run_programs(std::string_view module, std::string_view name) {
  constexpr std::array<std::string_view, 20> modules{
      "os",     "posix",      "nt",     "posixpath", "subprocess", "sys",   "shutil",
      "socket", "runpy",      "pty",    "importlib", "imp",        "code",  "commands",
      "ctypes", "webbrowser", "popen2", "timeit",    "pdb",        "pickle"};
  constexpr std::array<std::string_view, 12> builtins{
      "eval",    "exec",       "execfile", "compile", "open",       "getattr",
      "setattr", "__import__", "apply",    "input",   "breakpoint", "globals"};
  // A submodule is judged by its package: os.path by os.
  const auto top = module.substr(0, module.find('.'));
  // Most builtins are harmless types, such as set. Python 2 names the module __builtin__.
  if (top == "builtins" || top == "__builtin__")
    return std::ranges::find(builtins, name.substr(0, name.find('.'))) != builtins.end();
  return std::ranges::find(modules, top) != modules.end();
}

constexpr std::size_t most_dimensions = 32;  // more than any layer of torch has

}  // namespace

Value Unpickler::global(std::string_view module, std::string_view name) {
  const auto* found = std::ranges::find_if(known_globals, [&](const Known& known) {
    return known.module == module && known.name == name;
  });
  if (found != known_globals.end()) return found->value;
  if (const auto type = storage_type(module, name); type != at::ScalarType::Undefined)
    return {
        .kind = Value::Kind::StorageType, .number = static_cast<std::int64_t>(type), .text = {}};
  // Nothing is run here. But a file that runs programs wherever else it is loaded is refused.
  if (may_run_programs(module, name))
    refuse("names the global " + printable(std::string(module) + "." + std::string(name)) +
           ", which no checkpoint needs and which can run programs; nothing was run");
  return opaque(module, name, {});
}

Value Unpickler::opaque(std::string_view module, std::string_view name,
                        const std::vector<Value>& given) {
  // The first two items are the name; values given later follow.
  std::vector<Value> items{{.kind = Value::Kind::Text, .text = module},
                           {.kind = Value::Kind::Text, .text = name}};
  items.insert(items.end(), given.begin(), given.end());
  return make(Value::Kind::Opaque, std::move(items));
}

void Unpickler::give(const Value& opaque, const std::vector<Value>& values) {
  budget_.spend(2 * values.size() * sizeof(Value));
  auto& items = items_[static_cast<std::size_t>(opaque.number)];
  items.insert(items.end(), values.begin(), values.end());
}

std::string Unpickler::name_of(const Value& opaque) const {
  const auto& parts = items(opaque);
  return std::string(parts[0].text) + "." + std::string(parts[1].text);
}

bool Unpickler::holds_tensor(const Value& opaque) {
  // Values can contain each other, also in cycles. Values without tensors are remembered, so that
  // all calls together take time linear in the length of the file.
  std::vector<Value> pending{opaque};
  while (!pending.empty()) {
    const Value value = pending.back();
    pending.pop_back();
    if (value.kind == Value::Kind::Tensor || value.kind == Value::Kind::Storage) return true;
    const bool has_items = value.kind == Value::Kind::Tuple || value.kind == Value::Kind::List ||
                           value.kind == Value::Kind::Dict || value.kind == Value::Kind::Opaque;
    if (!has_items || !without_tensor_.insert(value.number).second) continue;
    budget_.spend(memo_cost);
    const auto& held = items(value);
    // An object of torch._utils._rebuild_... is a tensor of a kind that is not read.
    if (value.kind == Value::Kind::Opaque && held[0].text.starts_with("torch.") &&
        held[1].text.starts_with("_rebuild"))
      return true;
    pending.insert(pending.end(), held.begin(), held.end());
  }
  return false;
}

const std::vector<Value>& Unpickler::expect_items(const Value& value, Value::Kind kind,
                                                  const char* what) const {
  if (value.kind != kind)
    refuse(std::string(what) + " is " + std::string(kind_text(value.kind)) + ", expected " +
           std::string(kind_text(kind)));
  return items(value);
}

std::int64_t Unpickler::expect_count(const Value& value, const char* what) const {
  if (value.kind != Value::Kind::Int || value.number < 0)
    refuse(std::string(what) + " is not an integer of at least 0");
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

/// Reads a persistent id: ("storage", type, key, device, count). The older format adds None or a
/// view, (key, first, count).
Value Unpickler::storage(const Value& id) {
  const auto& parts = expect_items(id, Value::Kind::Tuple, "a persistent id");
  if (parts.size() < 5 || parts.size() > 6 || parts[0].kind != Value::Kind::Text ||
      parts[0].text != "storage")
    refuse("a persistent id that names no storage");
  // An unknown storage class is an object. It is refused only if a tensor needs it.
  const bool known = parts[1].kind == Value::Kind::StorageType;
  if (!known && parts[1].kind != Value::Kind::Opaque)
    refuse("a storage whose type is " + std::string(kind_text(parts[1].kind)));
  if (parts[2].kind != Value::Kind::Text) refuse("a storage whose key is not a text");
  StorageReference reference{
      .type = known ? static_cast<at::ScalarType>(parts[1].number) : at::ScalarType::Undefined,
      .unread = known ? "" : items(parts[1])[1].text,
      .key = parts[2].text,
      .first = 0,
      .count = expect_count(parts[4], "the size of a storage")};
  if (parts.size() == 6 && parts[5].kind != Value::Kind::None) {
    const auto& view = expect_items(parts[5], Value::Kind::Tuple, "the view of a storage");
    if (view.size() != 3) refuse("the view of a storage has not three parts");
    const auto first = expect_count(view[1], "the start of a view");
    const auto count = expect_count(view[2], "the size of a view");
    // By subtraction, since a sum of two numbers of the file could overflow.
    if (first > reference.count || count > reference.count - first)
      refuse("the view of a storage reaches beyond it");
    reference.first = first;
    reference.count = count;
  }
  budget_.spend(2 * sizeof reference);
  storages_.push_back(reference);
  return {.kind = Value::Kind::Storage, .number = static_cast<std::int64_t>(storages_.size()) - 1};
}

Value Unpickler::call(const Value& callee, const Value& arguments) {
  // A call of an unknown class gives an object that remembers its arguments.
  if (callee.kind == Value::Kind::Opaque)
    return opaque(items(callee)[0].text, items(callee)[1].text, {arguments});
  if (callee.kind != Value::Kind::Global)
    refuse(std::string(kind_text(callee.kind)) + " is called");
  const auto& given = expect_items(arguments, Value::Kind::Tuple, "the arguments of a call");
  switch (static_cast<Callable>(callee.number)) {
    case OrderedDict:
      return ordered_dictionary(given);
    case DefaultDict:  // its argument makes missing values
      return make(Value::Kind::Dict, {});
    case RebuildTensor:
    case RebuildTensorOfType:
      return rebuild_tensor(given, callee.number == RebuildTensorOfType);
    case RebuildFromType:
      return rebuild_from_type(given);
    case RebuildParameter:
    case Parameter:
      return rebuild_parameter(given);
  }
  refuse("an unknown call");
}

/// Calls OrderedDict(), or OrderedDict([[key, value], ...]) as written by Python 2.
Value Unpickler::ordered_dictionary(const std::vector<Value>& arguments) {
  std::vector<Value> items;
  if (arguments.size() > 1)
    refuse("an OrderedDict of " + std::to_string(arguments.size()) + " arguments");
  if (arguments.size() == 1)
    for (const auto& pair :
         expect_items(arguments[0], Value::Kind::List, "the items of an OrderedDict")) {
      const auto& parts = expect_items(
          pair, pair.kind == Value::Kind::List ? Value::Kind::List : Value::Kind::Tuple,
          "an item of an OrderedDict");
      if (parts.size() != 2) refuse("an item of an OrderedDict is not a pair");
      budget_.spend(2 * sizeof(Value));
      items.insert(items.end(), parts.begin(), parts.end());
    }
  return make(Value::Kind::Dict, std::move(items));
}

/// Rebuilds a tensor from (storage, offset, sizes, strides). Version 2 adds requires_grad, hooks
/// and optional metadata, which are ignored. Version 3, for types without a storage class, has the
/// type after the hooks.
Value Unpickler::rebuild_tensor(const std::vector<Value>& arguments, bool of_type) {
  if (arguments.size() < 4 || arguments.size() > (of_type ? 8 : 7) ||
      arguments[0].kind != Value::Kind::Storage)
    refuse("a tensor that is not made of a storage");
  budget_.spend(sizeof(TensorReference));
  const auto& storage = storages_[static_cast<std::size_t>(arguments[0].number)];
  TensorReference reference{.storage = static_cast<std::size_t>(arguments[0].number),
                            .type = storage.type,
                            .unread = storage.unread,
                            .offset = expect_count(arguments[1], "the offset of a tensor"),
                            .sizes = expect_counts(arguments[2], "the shape of a tensor"),
                            .strides = expect_counts(arguments[3], "the strides of a tensor")};
  if (reference.sizes.size() != reference.strides.size())
    refuse("a tensor whose numbers of strides and dimensions differ");
  if (of_type) {
    if (arguments.size() < 7 || arguments[6].kind != Value::Kind::Opaque)
      refuse("a tensor whose type is not named");
    reference.unread = items(arguments[6])[1].text;
    const auto found = std::ranges::find(element_types(), reference.unread, &ElementType::dtype);
    // Types with a storage class have no dtype name in the list.
    const bool known = found != element_types().end() && !reference.unread.empty() &&
                       items(arguments[6])[0].text == "torch";
    reference.type = known ? found->type : at::ScalarType::Undefined;
  }
  tensors_.push_back(std::move(reference));
  return {.kind = Value::Kind::Tensor, .number = static_cast<std::int64_t>(tensors_.size()) - 1};
}

/// Rebuilds a parameter from (tensor, ...): it is its tensor. A parameter of an object stays an
/// object, which holds no weights that are read.
Value Unpickler::rebuild_parameter(const std::vector<Value>& arguments) {
  if (!arguments.empty() && arguments[0].kind == Value::Kind::Opaque) return arguments[0];
  if (arguments.empty() || arguments[0].kind != Value::Kind::Tensor)
    refuse("a parameter that is not made of a tensor");
  return arguments[0];
}

/// Rebuilds a tensor of a class derived from Tensor, or one with attributes, such as a Buffer. The
/// arguments are (function, class, its arguments, attributes).
Value Unpickler::rebuild_from_type(const std::vector<Value>& arguments) {
  if (arguments.size() != 4)
    refuse("a tensor of a class that is made of " + std::to_string(arguments.size()) +
           " values, expected 4");
  const auto& function = arguments[0];
  // Only functions that make tensors, which call no other: nesting must cost no stack.
  const bool rebuilds =
      function.kind == Value::Kind::Global &&
      (function.number == RebuildTensor || function.number == RebuildTensorOfType ||
       function.number == RebuildParameter);
  return rebuilds ? call(function, arguments[2])
                  : opaque("torch._tensor", "_rebuild_from_type_v2", arguments);
}

/// Gives a state to the value on top. Attributes of an OrderedDict (_metadata) and of a parameter
/// are no weights, and are dropped. An object keeps its state. Any other value is refused.
void Unpickler::build(const Value& state) {
  const auto kind = top().kind;
  if (kind == Value::Kind::Opaque) return give(top(), {state});
  const bool attributes =
      (kind == Value::Kind::Dict || kind == Value::Kind::Tensor) && state.kind == Value::Kind::Dict;
  const bool flags = kind == Value::Kind::Tensor && state.kind == Value::Kind::Tuple;
  if (!attributes && !flags)
    refuse("a state of " + std::string(kind_text(state.kind)) + " is given to " +
           std::string(kind_text(kind)));
}

}  // namespace reprise::weights
