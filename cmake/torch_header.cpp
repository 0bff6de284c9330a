// Holds the precompiled torch/torch.h that every layer with TORCH shares; and, with gmock, that of their tests.
