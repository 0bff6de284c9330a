"""The U-Net of models/diffusion/unet.h in plain PyTorch, with EDM's preconditioning and loss: a training step (AdamW, fused), a denoising without
gradients, the inversions of models/diffusion/inversion.h, and a round of Algorithm 1 on pixels; as benchmarks/bench_unet.cpp has them."""
import math

import torch
from timing import Results
from torch import nn
from torch.nn import functional as F

SIGMA_DATA, SIGMA, SIGMA_MIN, ODE_STEPS, ADAM_STEPS, RATE, CHURN = 0.5, 1.0, 0.02, 12, 20, 0.1, 0.3


def norm(channels):
    groups = min(max(channels // 4, 1), 32)
    while channels % groups:
        groups -= 1
    return nn.GroupNorm(groups, channels)


class Attention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.heads = max(1, channels // 64)
        self.norm, self.qkv, self.out = norm(channels), nn.Conv2d(channels, 3 * channels, 1), nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, 3, self.heads, c // self.heads, h * w).transpose(-1, -2).unbind(1)
        y = F.scaled_dot_product_attention(q, k, v).transpose(-1, -2).reshape(b, c, h, w)
        return (x + self.out(y)) / math.sqrt(2)


class Block(nn.Module):
    def __init__(self, inputs, outputs, embedding, attention=False, resample=None):
        super().__init__()
        self.norm0, self.conv0 = norm(inputs), nn.Conv2d(inputs, outputs, 3, padding=1)
        self.affine = nn.Linear(embedding, 2 * outputs)
        self.norm1, self.conv1 = norm(outputs), nn.Conv2d(outputs, outputs, 3, padding=1)
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()
        self.attention = Attention(outputs) if attention else nn.Identity()
        self.resample = {None: nn.Identity(), "down": nn.AvgPool2d(2), "up": nn.Upsample(scale_factor=2)}[resample]

    def forward(self, x, e):
        h = self.conv0(self.resample(F.silu(self.norm0(x))))
        scale, shift = self.affine(e)[:, :, None, None].chunk(2, 1)
        h = self.conv1(F.silu(self.norm1(h) * (1 + scale) + shift))
        return self.attention((self.skip(self.resample(x)) + h) / math.sqrt(2))


class UNet(nn.Module):
    def __init__(self, pixels, patch, channels, blocks, attention, classes=0, embedding=128):
        super().__init__()
        self.patch, seen, now = patch, [channels[0]], channels[0]
        self.register_buffer("frequencies", torch.logspace(-1, 4, embedding // 4, 2.0))
        self.embed0, self.embed1 = nn.Linear(embedding // 4 * 2, embedding), nn.Linear(embedding, embedding)
        self.classes = nn.Embedding(classes, embedding) if classes else None
        self.first = nn.Conv2d(pixels * patch**2, channels[0], 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        for level, width in enumerate(channels):
            if level > 0:
                self.down.append(Block(now, now, embedding, resample="down"))
                seen.append(now)
            for _ in range(blocks):
                self.down.append(Block(now, width, embedding, level in attention))
                now = width
                seen.append(now)
        for level, width in reversed(list(enumerate(channels))):
            for i in range(blocks + 1):
                self.up.append(Block(now + seen.pop(), width, embedding, level in attention and i == 0))
                now = width
            if level > 0:
                self.up.append(Block(now, now, embedding, resample="up"))
        self.last_norm, self.last = norm(now), nn.Conv2d(now, pixels * patch**2, 3, padding=1)

    def forward(self, x, c_noise, labels=None):
        phase = 2 * math.pi * c_noise[:, None] * self.frequencies
        e = self.embed0(torch.cat([phase.cos(), phase.sin()], 1))
        if labels is not None:
            e = e + self.classes(labels.clamp(min=0)) * (labels >= 0)[:, None]
        e = F.silu(self.embed1(F.silu(e)))
        h = self.first(F.pixel_unshuffle(x, self.patch) if self.patch > 1 else x)
        seen = [h]
        for block in self.down:
            h = block(h, e)
            seen.append(h)
        for block in self.up:
            if not isinstance(block.resample, nn.Upsample):
                h = torch.cat([h, seen.pop()], 1)
            h = block(h, e)
        h = self.last(F.silu(self.last_norm(h)))
        return F.pixel_shuffle(h, self.patch) if self.patch > 1 else h


class Denoiser(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x, sigma, labels=None):
        s = torch.as_tensor(sigma).expand(len(x))[:, None, None, None]
        total = s**2 + SIGMA_DATA**2
        output = self.network(x / total.sqrt(), s.flatten().log() / 4, labels)
        return SIGMA_DATA**2 / total * x + s * SIGMA_DATA / total.sqrt() * output


def loss(D, x_0, sigma, epsilon, labels=None):
    weight = (sigma**2 + SIGMA_DATA**2) / (sigma * SIGMA_DATA) ** 2
    error = D(x_0 + sigma[:, None, None, None] * epsilon, sigma, labels) - x_0
    return (weight * error.square().mean((1, 2, 3))).mean()


def backprop(D, x_0, epsilon):
    x = (x_0 + SIGMA * epsilon).requires_grad_()
    adam = torch.optim.Adam([x], lr=RATE * SIGMA)
    with torch.enable_grad():
        for _ in range(ADAM_STEPS):
            (x.grad,) = torch.autograd.grad((D(x, SIGMA) - x_0).square().mean((1, 2, 3)).sum(), x)
            adam.step()
    return x.detach()


@torch.no_grad()
def ode(D, x, epsilon):  # Heun's, up from SIGMA_MIN; takes no noise
    levels = torch.logspace(math.log10(SIGMA_MIN), math.log10(SIGMA), ODE_STEPS + 1).tolist()
    for sigma, following in zip(levels, levels[1:]):
        slope = (x - D(x, sigma)) / sigma
        euler = x + (following - sigma) * slope
        x = x + (following - sigma) / 2 * (slope + (euler - D(euler, following)) / following)
    return x


@torch.no_grad()
def nudge(D, x_0, invert):
    x = invert(D, x_0, torch.randn_like(x_0))
    churned = x + CHURN * (D(x, SIGMA) - x) + math.sqrt(2 * CHURN) * SIGMA * torch.randn_like(x)
    return x_0 + D(churned, SIGMA) - D(x, SIGMA)


def measure(results, name, options, batch, side):
    torch.manual_seed(0)
    D = Denoiser(UNet(**options))
    adam = torch.optim.AdamW(D.parameters(), lr=1e-4, fused=True)
    x_0, epsilon = torch.randn(batch, options["pixels"], side, side) / 2, torch.randn(batch, options["pixels"], side, side)
    sigma = torch.logspace(-1, 1, batch)
    labels = torch.arange(batch) % options["classes"] if "classes" in options else None

    def step():
        adam.zero_grad()
        loss(D, x_0, sigma, epsilon, labels).backward()
        adam.step()

    @torch.no_grad()
    def denoise():
        return D(x_0 + sigma[:, None, None, None] * epsilon, sigma, labels)  # what nobody takes, a compiler leaves out

    results.add(f"unet_step/{name}", "loop", step, 10)
    results.add(f"unet_denoise/{name}", "loop", denoise, 10)
    return D.eval()


def main():
    results = Results()
    measure(results, "32", {"pixels": 3, "patch": 1, "channels": [32, 64, 64], "blocks": 2, "attention": [1]}, 16, 32)
    D = measure(results, "28", {"pixels": 1, "patch": 2, "channels": [40, 80], "blocks": 1, "attention": [1], "classes": 10}, 64, 28)
    x_0, epsilon = torch.randn(16, 1, 28, 28) / 2, torch.randn(16, 1, 28, 28)
    for method in (backprop, ode):
        results.add(f"invert_{method.__name__}/28", "loop", lambda: method(D, x_0, epsilon), 2)
        results.add(f"synthesise_{method.__name__}/28", "loop", lambda: nudge(D, x_0, method), 2)
    results.print()


main()
