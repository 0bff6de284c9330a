// Holds the precompiled torch/torch.h that every room with TORCH shares; and, with gmock, that of their tests.
