#include "weights/pickle.h"

#include <bit>
#include <cstring>

namespace reprise::weights {
namespace {

// The opcodes that occur in state dictionaries, by the bytes of pickle protocols 2 to 5.
enum Opcode : unsigned char {
  Mark = '(',
  Stop = '.',
  Pop = '0',
  PopMark = '1',
  Protocol = 0x80,
  Frame = 0x95,
  NoneValue = 'N',
  True = 0x88,
  False = 0x89,
  Int4 = 'J',
  Int1 = 'K',
  Int2 = 'M',
  Long1 = 0x8a,
  Long4 = 0x8b,
  Float8 = 'G',
  String4 = 'T',
  String1 = 'U',
  Unicode4 = 'X',
  Unicode1 = 0x8c,
  Unicode8 = 0x8d,
  Bytes1 = 'C',
  Bytes4 = 'B',
  Bytes8 = 0x8e,
  ByteArray8 = 0x96,
  EmptyTuple = ')',
  TupleToMark = 't',
  Tuple1 = 0x85,
  Tuple2 = 0x86,
  Tuple3 = 0x87,
  EmptyList = ']',
  ListToMark = 'l',
  Append = 'a',
  Appends = 'e',
  EmptyDict = '}',
  DictToMark = 'd',
  SetItem = 's',
  SetItems = 'u',
  EmptySet = 0x8f,
  AddItems = 0x90,
  FrozenSet = 0x91,
  Duplicate = '2',
  Get1 = 'h',
  Get4 = 'j',
  Put1 = 'q',
  Put4 = 'r',
  Memoize = 0x94,
  GlobalName = 'c',
  StackGlobal = 0x93,
  PersistentId = 'Q',
  Reduce = 'R',
  NewObject = 0x81,
  NewObjectByKeywords = 0x92,
  Build = 'b',
};

}  // namespace

std::string_view kind_text(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::None:
      return "None";
    case Value::Kind::Bool:
      return "a truth value";
    case Value::Kind::Int:
    case Value::Kind::LongInt:
      return "an integer";
    case Value::Kind::Float:
      return "a number";
    case Value::Kind::Text:
      return "a text";
    case Value::Kind::Tuple:
      return "a tuple";
    case Value::Kind::List:
      return "a list";
    case Value::Kind::Dict:
      return "a dictionary";
    case Value::Kind::Global:
    case Value::Kind::StorageType:
      return "a global";
    case Value::Kind::Storage:
      return "a storage";
    case Value::Kind::Tensor:
      return "a tensor";
    case Value::Kind::Opaque:
      return "an object";
  }
  return "";
}

Value Unpickler::load() {
  // Each function handles the opcodes of one kind, and returns false for all others.
  while (true) {
    const auto opcode = static_cast<unsigned char>(take(1)[0]);
    if (opcode == Stop) {
      const Value result = pop();
      // A complete pickle leaves exactly its object.
      if (!stack_.empty() || !marks_.empty()) refuse("the pickle ends with values left over");
      return result;
    }
    if (!constant(opcode) && !text(opcode) && !container(opcode) && !memo(opcode) &&
        !object(opcode)) {
      // The message names the byte of the opcode, not the next one.
      --at_;
      refuse("opcode " + std::to_string(opcode) + " does not belong in a state dictionary");
    }
  }
}

void Unpickler::refuse(const std::string& problem) const {
  throw UsageError(
      budget_.where() + ": pickle, byte " + std::to_string(at_) + ": " + problem,
      "save it again as a plain state dictionary, torch.save(model.state_dict(), ...), or fetch the "
      "file again if it is damaged");
}

std::string_view Unpickler::take(std::uint64_t count) {
  // Compared by subtraction, because a sum with a count of the file could overflow.
  if (count > bytes_.size() - at_)
    refuse("the file ends " + std::to_string(count - (bytes_.size() - at_)) + " bytes too early");
  const auto taken = bytes_.substr(at_, count);
  at_ += count;
  return taken;
}

std::uint64_t Unpickler::take_number(std::size_t width) {
  // Numbers of a pickle are little-endian, as this machine's.
  std::uint64_t number = 0;
  std::memcpy(&number, take(width).data(), width);
  return number;
}

std::string_view Unpickler::take_line() {
  const auto end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) refuse("a name without end");
  const auto line = take(end - at_);
  // Skips the end of the line.
  ++at_;
  return line;
}

bool Unpickler::constant(unsigned char opcode) {
  switch (opcode) {
    case Protocol:
      if (const auto protocol = take_number(1); protocol < 2 || protocol > 5)
        refuse("pickle protocol " + std::to_string(protocol) + ", expected 2 to 5");
      return true;
    case Frame:
      take(8);  // a hint for buffering readers
      return true;
    case NoneValue:
      push({});
      return true;
    case True:
      push({.kind = Value::Kind::Bool, .number = 1});
      return true;
    case False:
      push({.kind = Value::Kind::Bool, .number = 0});
      return true;
    case Int1:
      push({.kind = Value::Kind::Int, .number = static_cast<std::int64_t>(take_number(1))});
      return true;
    case Int2:
      push({.kind = Value::Kind::Int, .number = static_cast<std::int64_t>(take_number(2))});
      return true;
    case Int4:
      push(integer(take(4)));
      return true;
    case Long1:
      push(integer(take(take_number(1))));
      return true;
    case Long4:
      push(integer(take(take_number(4))));
      return true;
    case Float8:
      // Its value is not read: all weights are tensors.
      take(8);
      push({.kind = Value::Kind::Float});
      return true;
    default:
      return false;
  }
}

bool Unpickler::text(unsigned char opcode) {
  const auto push_text = [&](std::size_t width) {
    push({.kind = Value::Kind::Text, .text = take(take_number(width))});
    return true;
  };
  switch (opcode) {
    case String1:
    case Unicode1:
      return push_text(1);
    case String4:
    case Unicode4:
      return push_text(4);
    case Unicode8:
      return push_text(8);
    // Bytes cannot name a tensor.
    case Bytes1:
      take(take_number(1));
      push(opaque("builtins", "bytes", {}));
      return true;
    case Bytes4:
      take(take_number(4));
      push(opaque("builtins", "bytes", {}));
      return true;
    case Bytes8:
      take(take_number(8));
      push(opaque("builtins", "bytes", {}));
      return true;
    case ByteArray8:
      take(take_number(8));
      push(opaque("builtins", "bytearray", {}));
      return true;
    default:
      return false;
  }
}

bool Unpickler::container(unsigned char opcode) {
  const auto push_tuple = [&](std::size_t count) {
    std::vector<Value> items(count);
    // The last item is on top of the stack.
    while (count > 0) items[--count] = pop();
    push(make(Value::Kind::Tuple, std::move(items)));
    return true;
  };
  switch (opcode) {
    case Mark:
      // Marks cost one byte in the file, and more in memory.
      budget_.spend(sizeof(std::size_t));
      marks_.push_back(stack_.size());
      return true;
    case Pop:
      pop();
      return true;
    case PopMark:
      pop_to_mark();
      return true;
    case EmptyTuple:
      push(make(Value::Kind::Tuple, {}));
      return true;
    case Tuple1:
      return push_tuple(1);
    case Tuple2:
      return push_tuple(2);
    case Tuple3:
      return push_tuple(3);
    case TupleToMark:
      push(make(Value::Kind::Tuple, pop_to_mark()));
      return true;
    case EmptyList:
      push(make(Value::Kind::List, {}));
      return true;
    case ListToMark:
      push(make(Value::Kind::List, pop_to_mark()));
      return true;
    case EmptyDict:
      push(make(Value::Kind::Dict, {}));
      return true;
    case DictToMark: {
      // Items of a dictionary are keys and values in turn.
      const auto items = pop_to_mark();
      push(make(Value::Kind::Dict, {}));
      extend(Value::Kind::Dict, items);
      return true;
    }
    case Append:
      extend(Value::Kind::List, {pop()});
      return true;
    case Appends:
      extend(Value::Kind::List, pop_to_mark());
      return true;
    case SetItem: {
      // The value lies above its key.
      const Value value = pop();
      extend(Value::Kind::Dict, {pop(), value});
      return true;
    }
    case SetItems:
      extend(Value::Kind::Dict, pop_to_mark());
      return true;
    case EmptySet:
      push(opaque("builtins", "set", {}));
      return true;
    case AddItems:
      extend(Value::Kind::Opaque, pop_to_mark());
      return true;
    case FrozenSet:
      push(opaque("builtins", "frozenset", pop_to_mark()));
      return true;
    case Duplicate:
      push(top());
      return true;
    default:
      return false;
  }
}

bool Unpickler::memo(unsigned char opcode) {
  switch (opcode) {
    case Put1:
      remember(take_number(1));
      return true;
    case Put4:
      remember(take_number(4));
      return true;
    case Memoize:
      remember(memo_.size());
      return true;
    case Get1:
      recall(take_number(1));
      return true;
    case Get4:
      recall(take_number(4));
      return true;
    default:
      return false;
  }
}

bool Unpickler::object(unsigned char opcode) {
  switch (opcode) {
    case GlobalName: {
      // Two lines follow: the module, then the name.
      const auto module = take_line();
      push(global(module, take_line()));
      return true;
    }
    case StackGlobal: {
      const Value name = pop();
      const Value module = pop();
      if (name.kind != Value::Kind::Text || module.kind != Value::Kind::Text)
        refuse("a global whose name is not a text");
      push(global(module.text, name.text));
      return true;
    }
    case PersistentId:
      push(storage(pop()));
      return true;
    // Both call the value below their arguments. Classes that are not known give an object.
    case Reduce:
    case NewObject: {
      const Value arguments = pop();
      push(call(pop(), arguments));
      return true;
    }
    case NewObjectByKeywords: {
      const Value keywords = pop();
      const Value arguments = pop();
      const Value callee = pop();
      if (callee.kind != Value::Kind::Opaque)
        refuse(std::string(kind_text(callee.kind)) + " is called by keywords");
      const Value made = call(callee, arguments);
      give(made, {keywords});
      push(made);
      return true;
    }
    case Build:
      build(pop());
      return true;
    default:
      return false;
  }
}

void Unpickler::push(Value value) {
  if (stack_.size() == highest_stack_) {
    budget_.spend(2 * sizeof value);  // a growing vector can reserve twice its size
    ++highest_stack_;
  }
  stack_.push_back(value);
}

const Value& Unpickler::top() const {
  // Values below the last mark belong to an open container.
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    refuse("a value is used where there is none");
  return stack_.back();
}

Value Unpickler::pop() {
  const Value value = top();
  stack_.pop_back();
  return value;
}

std::vector<Value> Unpickler::pop_to_mark() {
  if (marks_.empty()) refuse("values are collected up to a missing mark");
  // The values above the mark, in the order of the file.
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<Value> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return items;
}

Value Unpickler::make(Value::Kind kind, std::vector<Value> items) {
  budget_.spend(sizeof items + items.size() * sizeof(Value));
  items_.push_back(std::move(items));
  // A container is the index of its items, so that copies of its value share them.
  return {.kind = kind, .number = static_cast<std::int64_t>(items_.size()) - 1};
}

void Unpickler::extend(Value::Kind kind, const std::vector<Value>& items) {
  if (top().kind == Value::Kind::Opaque) return give(top(), items);
  if (top().kind != kind)
    refuse("items are put into " + std::string(kind_text(top().kind)) + ", expected " +
           std::string(kind_text(kind)));
  if (kind == Value::Kind::Dict && items.size() % 2 != 0)
    refuse("a dictionary's last key has no value");
  // A growing vector can reserve twice its size.
  budget_.spend(2 * items.size() * sizeof(Value));
  auto& target = items_[static_cast<std::size_t>(top().number)];
  target.insert(target.end(), items.begin(), items.end());
}

void Unpickler::remember(std::uint64_t key) {
  budget_.spend(memo_cost);
  memo_[key] = top();
}

void Unpickler::recall(std::uint64_t key) {
  const auto found = memo_.find(key);
  if (found == memo_.end())
    refuse("value " + std::to_string(key) + " is recalled but was never stored");
  push(found->second);
}

Value Unpickler::integer(std::string_view little_endian) const {
  // Long integers, such as the magic number of the stream format, are kept as bytes.
  if (little_endian.size() > sizeof(std::int64_t))
    return {.kind = Value::Kind::LongInt, .text = little_endian};
  // Two's complement: the sign fills the missing bytes.
  const bool negative = !little_endian.empty() && (little_endian.back() & 0x80) != 0;
  std::int64_t number = negative ? -1 : 0;
  if (!little_endian.empty()) std::memcpy(&number, little_endian.data(), little_endian.size());
  return {.kind = Value::Kind::Int, .number = number};
}

}  // namespace reprise::weights
