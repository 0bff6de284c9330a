"""MoCoGAN of models/adversarial/mocogan.h in plain PyTorch: an iteration of its training (a step of D, a step of G, the moving average of G) and
the generation of clips, as benchmarks/bench_adversarial.cpp has them. The recurrent network is a cell in a loop."""
import torch
from timing import DEVICE, Results
from torch import nn
from torch.nn import functional as F

T, D_C, D_M, D_E, NOISE, DECAY = 16, 50, 10, 10, 0.1, 0.998


class Noise(nn.Module):
    def forward(self, x):
        return x + NOISE * torch.randn_like(x) if self.training else x


class Generator(nn.Module):
    def __init__(self, side, width):
        super().__init__()
        self.cell = nn.GRUCell(D_E, D_M)
        n = side.bit_length() - 3
        now = width << (n - 1)
        layers = [nn.ConvTranspose2d(D_C + D_M, now, 4, 1, 0, bias=False)]
        for _ in range(n - 1):
            layers += [nn.BatchNorm2d(now), nn.ReLU(True), nn.ConvTranspose2d(now, now // 2, 4, 2, 1, bias=False)]
            now //= 2
        layers += [nn.BatchNorm2d(now), nn.ReLU(True), nn.ConvTranspose2d(now, 3, 4, 2, 1, bias=False), nn.Tanh()]
        self.main = nn.Sequential(*layers)

    @torch.compiler.disable  # it does not know a GPU's GRU cell
    def motion(self, count):
        h, steps = torch.randn(count, D_M, device=DEVICE), []
        for _ in range(T):
            h = self.cell(torch.randn(count, D_E, device=DEVICE), h)
            steps.append(h)
        return torch.stack(steps, 1)

    def forward(self, count):
        motion = self.motion(count)
        content = torch.randn(count, 1, D_C, device=DEVICE).expand(count, T, D_C)
        z = torch.cat([content, motion], 2).reshape(count * T, D_C + D_M, 1, 1)
        x = self.main(z)
        return x.view(count, T, *x.shape[1:])


def judge(side, width, clips):
    n, now, layers = side.bit_length() - 3, 3, []
    convolution, norm = (nn.Conv3d, nn.BatchNorm3d) if clips else (nn.Conv2d, nn.BatchNorm2d)
    stride, padding = ((1, 2, 2), (0, 1, 1)) if clips else (2, 1)
    for i in range(n):
        layers += [Noise(), convolution(now, width << i, 4, stride, padding, bias=False)]
        now = width << i
        layers += ([norm(now)] if i > 0 else []) + [nn.LeakyReLU(0.2, True)]
    layers.append(convolution(now, 1, (T - 3 * n, 4, 4) if clips else 4, 1, 0, bias=False))
    return nn.Sequential(*layers)


class Game:
    def __init__(self, side, width_G, width_D, batch, frames):
        torch.manual_seed(0)
        self.batch, self.frames = batch, frames
        self.G, self.average = Generator(side, width_G), Generator(side, width_G)
        self.D_I, self.D_V = judge(side, width_D, False), judge(side, width_D, True)
        self.adam_G = torch.optim.Adam(self.G.parameters(), lr=2e-4, betas=(0.5, 0.999), fused=True)
        self.adam_D = torch.optim.Adam([*self.D_I.parameters(), *self.D_V.parameters()], lr=2e-4, betas=(0.5, 0.999), fused=True)
        self.real = torch.rand(128, T, 3, side, side) * 2 - 1

    def seen(self, clips):
        which = torch.randint(T, (len(clips), self.frames), device=DEVICE)
        pictures = clips[torch.arange(len(clips), device=DEVICE)[:, None], which].flatten(0, 1)
        return clips.transpose(1, 2), pictures

    def logits(self, seen):
        return self.D_V(seen[0]).flatten(1), self.D_I(seen[1]).flatten(1)

    def iterate(self):
        real = self.seen(self.real[torch.randint(len(self.real), (self.batch,), device=DEVICE)])
        made = self.seen(self.G(self.batch))
        self.adam_D.zero_grad()
        loss = sum(F.binary_cross_entropy_with_logits(a, torch.ones_like(a)) for a in self.logits(real))
        loss = loss + sum(F.binary_cross_entropy_with_logits(b, torch.zeros_like(b)) for b in self.logits([x.detach() for x in made]))
        loss.backward()
        self.adam_D.step()
        self.adam_G.zero_grad()
        sum(F.binary_cross_entropy_with_logits(b, torch.ones_like(b)) for b in self.logits(made)).backward()
        self.adam_G.step()
        with torch.no_grad():
            for a, b in zip(self.average.parameters(), self.G.parameters()):
                a.lerp_(b, 1 - DECAY)
        return loss.detach()

    @torch.no_grad()
    def generate(self):
        self.G.eval()
        return self.G(16)


def main():
    results = Results()
    for side, options in ((16, (32, 16, 16, 1)), (64, (64, 64, 3, 3))):
        game = Game(side, *options)
        results.add(f"mocogan_iteration/{side}", "loop", game.iterate, 32 if side == 16 else 8)
        results.add(f"mocogan_iteration_auto/{side}", "loop", game.iterate, 32 if side == 16 else 8)
        results.add(f"mocogan_iteration_autocast/{side}", "loop", torch.autocast(DEVICE, torch.bfloat16)(game.iterate), 32 if side == 16 else 8)
        results.add(f"mocogan_generate/{side}", "loop", game.generate, 10)
    results.print()


main()
