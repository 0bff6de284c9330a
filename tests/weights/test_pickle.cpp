// Pickles written by hand, opcode by opcode: the forms that old PyTorch wrote, and those that only an attacker writes.
#include <cstring>

#include "tests/support.h"
#include "tests/weights/pickles.h"
#include "weights/pytorch_file.h"

namespace reprise::weights {
namespace {

using testing::HasSubstr;

/// A whole file of the stream layout that holds `object`, and one storage "k" of these floats.
std::string stream(const std::string& object, const std::vector<float>& values = {0, 1, 2, 3, 4, 5}) {
  const std::string magic("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  const std::uint64_t count = values.size();
  std::string raw(8 + 4 * count, '\0');
  std::memcpy(raw.data(), &count, 8);
  if (count > 0) std::memcpy(raw.data() + 8, values.data(), 4 * count);
  return magic + protocol + "M\xe9\x03." + protocol + "}." + protocol + object + "." + protocol + "](" + text("k") + "e." + raw;
}
/// A file of the stream layout whose object needs no storage.
std::string bare(const std::string& object) {
  const std::string whole = stream(object);
  return whole.substr(0, whole.rfind(protocol + "](")) + protocol + "].";
}
StateDict parse(const std::string& bytes) { return parse_stream(bytes, "some.pth"); }
auto parsing(const std::string& object) {
  return [object] { parse(stream(object)); };
}
auto parsing_bare(const std::string& object) {
  return [object] { parse(bare(object)); };
}

TEST(Pickle, ReadsTheTensorsOfPyTorchBeforeVersion04) {
  // Python 2: OrderedDict([[name, Parameter]]), short strings, parameters made by __newobj__ and given their flags by BUILD.
  const std::string parameter = global("torch.nn.parameter", "Parameter") + tensor(storage(6), 0, {2, 3}, {3, 1}) + "\x85\x81(\x88\x89}tb";
  const auto state = parse(stream(global("collections", "OrderedDict") + "](](" + std::string("U\x01w") + parameter + "ee\x85R"));
  ASSERT_EQ(state.size(), 1U);
  EXPECT_EQ(state[0].first, "w");
  EXPECT_TRUE(at::equal(state[0].second, at::arange(6).to(at::kFloat).reshape({2, 3})));
}

TEST(Pickle, ReadsAStorageThatIsAViewOfAnother) {
  const auto state = parse(stream(named(tensor(storage(6, "k", "(" + text("v") + number(2) + number(3) + "t"), 1, {2}, {1}))));
  EXPECT_TRUE(at::equal(state.at(0).second, at::tensor({3.0F, 4.0F})));
}

TEST(Pickle, NamesOfNestedDictionariesAreJoinedByDots) {
  const std::string leaf = tensor(storage(6), 0, {1}, {1});
  const auto state = parse(stream("}(" + text("g") + named(leaf) + text("d") + named(leaf) + text("epoch") + number(3) + "u"));
  ASSERT_EQ(state.size(), 2U);
  EXPECT_EQ(state[0].first, "g.w");
  EXPECT_EQ(state[1].first, "d.w");
}

TEST(Pickle, OnlyACommonModulePrefixIsTakenOff) {
  const std::string leaf = tensor(storage(6), 0, {1}, {1});
  const auto state = parse(stream("}(" + text("module.a") + leaf + text("b") + leaf + "u"));
  EXPECT_EQ(state.at(0).first, "module.a");
}

TEST(Pickle, ATensorMustLieInItsStorage) {
  EXPECT_THAT(parsing(named(tensor(storage(6), 1, {2, 3}, {3, 1}))),
              ThrowsUsageError(HasSubstr("\"w\" reaches element 6 of a storage that has 6")));
  EXPECT_THAT(parsing(named(tensor(storage(7), 0, {1}, {1}))),
              ThrowsUsageError(HasSubstr("needs a storage of 7 elements, but the file holds 6")));
  EXPECT_THAT(parsing(named(tensor(storage(6), -1, {1}, {1}))),
              ThrowsUsageError(HasSubstr("offset of a tensor is not an integer of at least 0")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {2}, {-1}))),
              ThrowsUsageError(HasSubstr("strides of a tensor is not an integer of at least 0")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {2, 2}, {1}))), ThrowsUsageError(HasSubstr("strides")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {3, 1L << 62}, {1L << 62, 1L << 40}))), ThrowsUsageError(HasSubstr("beyond any memory")));
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {0, 1L << 62, 8}, {0, 0, 0}))), ThrowsUsageError(HasSubstr("beyond any memory")));
}

TEST(Pickle, ABroadcastThatClaimsATerabyteIsRefused) {
  EXPECT_THAT(parsing(named(tensor(storage(6), 0, {1L << 40}, {0}))), ThrowsUsageError(HasSubstr("16 times its own size")));
  EXPECT_EQ(parse(stream(named(tensor(storage(6), 0, {1000}, {0})))).at(0).second.numel(), 1000);
}

TEST(Pickle, SizesThatTheFileDoesNotHaveAreNotAllocated) {
  EXPECT_THAT(parsing(std::string("X\xff\xff\xff\xff") + "w"), ThrowsUsageError(HasSubstr("bytes too early")));
  EXPECT_THAT(parsing(std::string("\x8d\xff\xff\xff\xff\xff\xff\xff\xff") + "w"), ThrowsUsageError(HasSubstr("bytes too early")));
  std::string bytes = stream(named(tensor(storage(6), 0, {1}, {1})));
  bytes.resize(bytes.size() - 1);
  EXPECT_THAT([&] { parse(bytes); }, ThrowsUsageError(HasSubstr("ends inside storage k")));
}

TEST(Pickle, DictionariesThatHoldThemselvesOrGrowWithoutBoundAreRefused) {
  EXPECT_THAT(parsing_bare("}q\x01" + text("d") + "h\x01s"), ThrowsUsageError(HasSubstr("nested more than 32 deep")));
  // Each level holds the one before twice: 2^30 dictionaries out of 30 lines.
  std::string levels = "}q" + std::string(1, '\0');
  for (char level = 1; level <= 30; ++level)
    levels += "}q" + std::string(1, level) + "(" + text("a") + "h" + std::string(1, static_cast<char>(level - 1)) + text("b") + "h" +
              std::string(1, static_cast<char>(level - 1)) + "u";
  EXPECT_THAT(parsing_bare("(" + levels + "l0h\x1e"), ThrowsUsageError(HasSubstr("16 times its own size")));
}

TEST(Pickle, AMillionBracketsCostNoStack) {
  EXPECT_THAT(parsing(std::string(1000000, '(')), ThrowsUsageError());
  std::string nested = "]";
  for (int i = 0; i < 200000; ++i) nested += "\x85";
  EXPECT_THAT(parsing_bare(nested), ThrowsUsageError(HasSubstr("holds a tuple, expected a dictionary")));
}

TEST(Pickle, MisusedObjectsAreRefusedWithTheirPlace) {
  const auto refused = [](const std::string& object, const std::string& why) {
    EXPECT_THAT(parsing(object), ThrowsUsageError(HasSubstr("pickle, byte"), HasSubstr(why)));
  };
  refused("R", "a value is taken where there is none");
  refused("t", "a mark that is not there");
  refused("h\x05", "value 5 is recalled but was never stored");
  refused("}(" + text("a") + "u", "last key has no value");
  refused("]" + number(1) + number(2) + "s", "items are put into a list, expected a dictionary");
  refused(number(1) + ")R", "an integer is called");
  refused(global("collections", "OrderedDict") + number(1) + "R", "the arguments of a call is an integer");
  refused(global("torch", "FloatStorage") + ")R", "a global is called");
  refused(global("torch._utils", "_rebuild_tensor_v2") + ")R", "not made of a storage");
  refused(global("torch._utils", "_rebuild_parameter") + ")R", "not made of a tensor");
  refused("NQ", "a persistent id is None");
  refused(")Q", "names no storage");
  refused(")}b", "a state of a dictionary is given to a tuple");
  refused("}}", "ends with values left over");
  refused("\x80\x01", "pickle protocol 1");
  refused("i", "opcode 105 does not belong");
  refused(global("builtins", "eval"), "builtins.eval");
  refused(text("os") + text("system") + "\x93", "os.system");
  refused(global("torch", std::string(500, 'x')), "torch.xxx");
}

TEST(Pickle, AnObjectThatIsNoDictionaryOrHoldsNoTensorSaysSo) {
  EXPECT_THAT(parsing_bare("N"), ThrowsUsageError(HasSubstr("holds None, expected a dictionary")));
  EXPECT_THAT(parsing_bare(named(number(1), "epoch")), ThrowsUsageError(HasSubstr("a dictionary without tensors")));
  EXPECT_THAT(parsing("})" + tensor(storage(6), 0, {1}, {1}) + "s"), ThrowsUsageError(HasSubstr("a name that is a tuple")));
  const std::string leaf = tensor(storage(6), 0, {1}, {1});
  EXPECT_THAT(parsing("}(" + text("w") + leaf + text("w") + leaf + "u"), ThrowsUsageError(HasSubstr("\"w\" is there twice")));
  EXPECT_THAT(parsing(named(tensor(storage(6, "other"), 0, {1}, {1}))),
              ThrowsUsageError(HasSubstr("lists a storage that no tensor names")));
}

}  // namespace
}  // namespace reprise::weights
