// What makes float arithmetic the same on the CPUs of different makers.
#pragma once

namespace reprise {

/// Holds MKL, which LibTorch carries, to the one code path that it has on every x86-64 CPU
/// (MKL_CBWR=COMPATIBLE): call it first thing in main. Left alone, MKL chooses its kernels by the
/// maker of the CPU, and exp, tanh, matrix products and factorisations of the same numbers differ
/// in their last bits between an Intel and an AMD machine. Square roots differ on that path, too,
/// so that a program with this call has them from the CPU's own instruction, rounded as IEEE 754
/// asks. What is heavy does not go through MKL but through oneDNN (models/layers/product.h), whose
/// float32 results agree. A user's own MKL_CBWR wins; the run's records name it.
void pin_arithmetic();

}  // namespace reprise
