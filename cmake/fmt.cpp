// fmt as LibTorch brings it, compiled once: its functions take several seconds of every file that formats a text, if each compiles its own.
// What the headers declare as templates for char and leave to the library is instantiated here.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float x) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double x) noexcept;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);

}  // namespace detail
FMT_END_NAMESPACE
