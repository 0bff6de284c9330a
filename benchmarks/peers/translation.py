"""UNIT of models/translation/ in plain PyTorch: iterations of its training and the translation of a frame, as benchmarks/bench_translation.cpp has
them. An iteration makes all streams once; D learns from them detached, then E and G learn through D as it is."""
import torch
from timing import DEVICE, Results
from torch import nn
from torch.nn import functional as F

WIDTH, DECAY = 16, 0.99


def normed(conv, channels):
    return nn.Sequential(conv, nn.InstanceNorm2d(channels), nn.ReLU(True))


class Residual(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.model = nn.Sequential(nn.Conv2d(n, n, 3, 1, 1), nn.InstanceNorm2d(n), nn.ReLU(True), nn.Conv2d(n, n, 3, 1, 1), nn.InstanceNorm2d(n))

    def forward(self, x):
        return x + self.model(x)


def encoder(halvings, blocks):
    layers, n = [nn.Conv2d(3, WIDTH, 7, 1, 3), nn.LeakyReLU(0.01, True)], WIDTH
    for _ in range(halvings):
        layers.append(normed(nn.Conv2d(n, 2 * n, 3, 2, 1), 2 * n))
        n *= 2
    return nn.Sequential(*layers, *(Residual(n) for _ in range(blocks)))


def generator(halvings, blocks):
    n = WIDTH << halvings
    layers = [Residual(n) for _ in range(blocks)]
    for _ in range(halvings):
        layers.append(normed(nn.ConvTranspose2d(n, n // 2, 3, 2, 1, 1), n // 2))
        n //= 2
    return nn.Sequential(*layers, nn.ConvTranspose2d(n, 3, 1), nn.Tanh())


def judge(layers, channels=3):
    out, n = [], channels
    for i in range(layers):
        out += [nn.Conv2d(n, WIDTH << i, 3, 2, 1), nn.LeakyReLU(0.01, True)]
        n = WIDTH << i
    return nn.Sequential(*out)


def adam(modules):
    return torch.optim.Adam([p for m in modules for p in m.parameters()], lr=1e-3, betas=(0.5, 0.999), fused=True)


def right(logits, real):
    return F.binary_cross_entropy_with_logits(logits, (torch.ones_like if real else torch.zeros_like)(logits))


def follow(average, module):
    with torch.no_grad():
        for a, b in zip(average.parameters(), module.parameters()):
            a.lerp_(b, 1 - DECAY)


class Coders(nn.Module):
    def __init__(self, halvings, blocks):
        super().__init__()
        self.encode = nn.ModuleList(encoder(halvings, blocks - 1) for _ in range(2))
        self.decode = nn.ModuleList(generator(halvings, blocks - 1) for _ in range(2))
        n = WIDTH << halvings
        self.shared_E, self.shared_G = Residual(n), Residual(n)

    def mean(self, first, second):
        return self.shared_E(torch.cat((self.encode[0](first), self.encode[1](second))))

    def streams(self, x_1, x_2):
        mu = self.mean(x_1, x_2)
        h = self.shared_G(mu + torch.randn_like(mu))
        (x11, x21), (x12, x22) = self.decode[0](h).chunk(2), self.decode[1](h).chunk(2)
        return mu, x11, x12, x22, x21

    def cycles(self, x12, x21):
        mu = self.shared_E(torch.cat((self.encode[1](x12), self.encode[0](x21))))
        first, second = self.shared_G(mu + torch.randn_like(mu)).chunk(2)
        return mu, self.decode[0](first), self.decode[1](second)


class Unit:
    def __init__(self, side):
        torch.manual_seed(0)
        halvings, blocks, layers, self.batch = {32: (1, 2, 3, 4), 64: (2, 3, 4, 8), 256: (2, 3, 4, 1)}[side]
        self.G, self.average = Coders(halvings, blocks), Coders(halvings, blocks)
        self.D = nn.ModuleList(judge(layers) for _ in range(2))
        self.D[1][-2] = self.D[0][-2]  # the last convolution and the head are of both
        self.head = nn.Conv2d(WIDTH << (layers - 1), 1, 1)
        self.adam_G = adam([self.G])
        self.adam_D = torch.optim.Adam(list({id(p): p for p in [*self.D.parameters(), *self.head.parameters()]}.values()), lr=1e-3, betas=(0.5, 0.999), fused=True)
        self.a, self.b = (torch.rand(16, 3, side, side) * 2 - 1 for _ in range(2))

    def logits(self, x, domain):
        return self.head(self.D[domain](x))

    def iterate(self):
        x_1, x_2 = (x[torch.randint(len(x), (self.batch,), device=DEVICE)] for x in (self.a, self.b))
        mu, x11, x12, x22, x21 = self.G.streams(x_1, x_2)
        self.adam_D.zero_grad()
        loss = right(self.logits(x_1, 0), True) + right(self.logits(x_2, 1), True)
        loss = loss + right(self.logits(x21.detach(), 0), False) + right(self.logits(x12.detach(), 1), False)
        (10 * loss).backward()
        self.adam_D.step()
        self.adam_G.zero_grad()
        self.D.requires_grad_(False), self.head.requires_grad_(False)
        mu_of_cycles, x121, x212 = self.G.cycles(x12, x21)
        loss = 10 * (right(self.logits(x21, 0), True) + right(self.logits(x12, 1), True))
        first, second = mu.chunk(2)
        loss = loss + 0.1 * (2 * first.square().mean() + 2 * second.square().mean() + sum(m.square().mean() for m in mu_of_cycles.chunk(2)))
        loss = loss + 100 * ((x_1 - x11).abs().mean() + (x_2 - x22).abs().mean() + (x_1 - x121).abs().mean() + (x_2 - x212).abs().mean())
        loss.backward()
        self.adam_G.step()
        self.D.requires_grad_(True), self.head.requires_grad_(True)
        follow(self.average, self.G)
        return loss.detach()


class Biased(nn.Module):
    def __init__(self, conv):
        super().__init__()
        self.conv, self.norm = conv, nn.BatchNorm2d(conv.out_channels, affine=False)
        self.bias = nn.Parameter(torch.zeros(conv.out_channels))

    def forward(self, x):
        return F.leaky_relu(self.norm(self.conv(x)) + self.bias[:, None, None], 0.01)


class Digits:
    SIDE, BATCH = 16, 32

    def __init__(self):
        torch.manual_seed(0)
        f, s = WIDTH, self.SIDE
        self.fronts = nn.ModuleList(Biased(nn.Conv2d(3, f, 5, 2, 2)) for _ in range(2))
        self.coder = nn.Sequential(Biased(nn.Conv2d(f, 2 * f, 5, 2, 2)), Biased(nn.Conv2d(2 * f, 4 * f, s // 4)), Biased(nn.Conv2d(4 * f, 8 * f, 1)),
                                   nn.Conv2d(8 * f, 8 * f, 1))
        self.decoder = nn.Sequential(Biased(nn.ConvTranspose2d(8 * f, 8 * f, 4, 2)), Biased(nn.ConvTranspose2d(8 * f, 4 * f, 4, 2, 1)))
        self.ends = nn.ModuleList(nn.Sequential(Biased(nn.ConvTranspose2d(4 * f, 2 * f, 4, 2, 1)), nn.ConvTranspose2d(2 * f, 1, 1), nn.Tanh()) for _ in range(2))
        pooled = lambda i, o: nn.Sequential(nn.Conv2d(i, o, 5, 1, 2), nn.ReLU(True), nn.MaxPool2d(2))
        self.D_fronts = nn.ModuleList(pooled(1, f) for _ in range(2))
        self.D_top = nn.ModuleList((pooled(f, 2 * f), pooled(2 * f, 4 * f)))
        self.real, self.classes = nn.Conv2d(4 * f, 2, 2), nn.Conv2d(4 * f, 10, 2)
        self.of_G = [self.fronts, self.coder, self.decoder, self.ends]
        self.of_D = [self.D_fronts, self.D_top, self.real, self.classes]
        self.adam_G, self.adam_D = adam(self.of_G), adam(self.of_D)
        axis = (torch.arange(float(s)) - s / 2) / (s / 2)
        self.places = torch.stack(torch.meshgrid(axis, axis, indexing="ij"))[None]
        self.a, self.b = (torch.rand(64, 1, s, s) * 2 - 1 for _ in range(2))
        self.labels = torch.arange(64) % 10

    def streams(self, x_1, x_2):
        placed = lambda x: torch.cat((x, self.places.expand(len(x), -1, -1, -1)), 1)
        mu = self.coder(torch.cat((self.fronts[0](placed(x_1)), self.fronts[1](placed(x_2)))))
        h = self.decoder(mu + torch.randn_like(mu))
        (x11, x21), (x12, x22) = self.ends[0](h).chunk(2), self.ends[1](h).chunk(2)
        return mu, x11, x12, x22, x21

    def top(self, h, dropped):
        for i, layer in enumerate([None, *self.D_top]):
            h = layer(h) if layer else h
            h = F.dropout(h, (0.1, 0.3, 0.5)[i], dropped)
        return h

    def judged(self, pairs):
        fronts = torch.cat([self.D_fronts[1 - k % 2](x) for k, x in enumerate(pairs)])
        top = self.top(fronts, True)
        two = self.real(top).flatten(1)
        return fronts, top, two[:, 1] - two[:, 0]

    def iterate(self):
        in_a, in_b = (torch.randint(64, (self.BATCH,), device=DEVICE) for _ in range(2))
        x_1, x_2 = self.a[in_a], self.b[in_b]
        mu, x11, x12, x22, x21 = self.streams(x_1, x_2)
        made = (x12, x11, x22, x21)
        self.adam_D.zero_grad()
        _, top, logits = self.judged((x_2, x_1))
        loss = right(logits, True) + 10 * F.cross_entropy(self.classes(top[self.BATCH:]).flatten(1), self.labels[in_a])
        fronts, _, logits = self.judged([x.detach() for x in made])
        loss = loss + right(logits, False)
        features = self.top(fronts, False).chunk(4)
        loss = loss + 2e-2 * sum((u - v).square().sum() / self.BATCH for u, v in (features[:2], features[2:]))
        loss.backward()
        self.adam_D.step()
        self.adam_G.zero_grad()
        for module in self.of_D:
            module.requires_grad_(False)
        loss = right(self.judged(made)[2], True) + 1e-4 * 2 * mu.square().sum() / len(mu)
        loss = loss + 2e-2 * ((x_1 - x11).square().sum() + (x_2 - x22).square().sum()) / self.BATCH
        loss.backward()
        self.adam_G.step()
        for module in self.of_D:
            module.requires_grad_(True)
        return loss.detach()


def main():
    results = Results()
    for side in (32, 64, 256):
        if results.wants(f"unit_iteration/{side}"):
            results.add(f"unit_iteration/{side}", "loop", Unit(side).iterate, 64 if side == 32 else 16)
    if results.wants("unit_digit_iteration"):
        results.add("unit_digit_iteration", "loop", Digits().iterate, 64)
    game, frame = Unit(64), torch.rand(1, 3, 480, 640) * 2 - 1

    @torch.no_grad()
    def translate():
        h = game.G.shared_G(game.G.shared_E(game.G.encode[0](frame)))
        return game.G.decode[1](h)

    results.add("unit_frame", "loop", translate, 10)
    results.print()


main()
