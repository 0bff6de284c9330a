// Equal floating-point results on CPUs of different vendors.
#pragma once

namespace reprise {

/// Restricts MKL, which is part of LibTorch, to the one code path that all x86-64 CPUs support
/// (MKL_CBWR=COMPATIBLE). Call it first in main.
///
/// By default MKL selects its kernels by CPU vendor. The last bits of exp, tanh, matrix products
/// and factorisations then differ between Intel and AMD. Square roots differ even on the common
/// path; a program with this call uses the CPU's instruction, rounded as in IEEE 754.
///
/// Heavy operations use oneDNN (models/layers/product.h), whose float32 results agree. MKL_CBWR in
/// the user's environment takes precedence; records of a run contain it.
void pin_arithmetic();

}  // namespace reprise
