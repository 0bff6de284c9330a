"""The training steps of benchmarks/bench_backbones.cpp in plain PyTorch: torchvision's layers written out, a layer a gate over all frames, and the
recurrence as a loop over time steps."""
import torch
from torch import nn
from timing import Results

STEPS, PIXELS, RATE = 8, 224, 1e-6


class Gru(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.h = nn.ModuleList(nn.Linear(units, units, bias=False) for _ in range(3))

    def forward(self, u):  # three gates, each [B, T, n]
        h = torch.zeros_like(u[0][:, 0])
        outputs = []
        for t in range(u[0].shape[1]):
            r, z = (torch.sigmoid(u[g][:, t] + self.h[g](h)) for g in range(2))
            h = (1 - z) * h + z * torch.tanh(u[2][:, t] + self.h[2](r * h))
            outputs.append(h)
        return torch.stack(outputs, 1)


class Lstm(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.h = nn.ModuleList(nn.Linear(units, units, bias=False) for _ in range(4))

    def forward(self, u):
        h = c = torch.zeros_like(u[0][:, 0])
        outputs = []
        for t in range(u[0].shape[1]):
            i, f, o = (torch.sigmoid(u[g][:, t] + self.h[g](h)) for g in range(3))
            c = f * c + i * torch.tanh(u[3][:, t] + self.h[3](h))
            h = o * torch.tanh(c)
            outputs.append(h)
        return torch.stack(outputs, 1)


class Vgg16PreGru(nn.Module):
    def __init__(self):
        super().__init__()
        layers, inputs = [], 3
        for width in (64, 64, "p", 128, 128, "p", 256, 256, 256, "p", 512, 512, 512, "p", 512, 512, 512, "p"):
            if width == "p":
                layers.append(nn.MaxPool2d(2))
            else:
                layers += [nn.Conv2d(inputs, width, 3, padding=1), nn.ReLU(inplace=True)]
                inputs = width
        self.features = nn.Sequential(*layers)
        self.fc6 = nn.ModuleList(nn.Linear(512 * 7 * 7, 4096) for _ in range(3))
        self.gru = Gru(4096)
        self.rest = nn.Sequential(nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Linear(4096, 1000))

    def forward(self, x):
        y = self.features(x.flatten(0, 1)).flatten(1).unflatten(0, x.shape[:2])
        return self.rest(self.gru([gate(y) for gate in self.fc6]))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride=1):
        super().__init__()
        outputs = 4 * width
        self.before = nn.Sequential(
            nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        self.conv3, self.norm3 = nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
        self.projection = (nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
                           if inputs != outputs or stride != 1 else nn.Identity())

    def forward(self, x):
        return torch.relu(self.norm3(self.conv3(self.before(x))) + self.projection(x))


class PreLstmBottleneck(nn.Module):
    """Equation 7: every gate its own last convolution, the norm and the residual shared, then the mean over the map."""

    def __init__(self, block):
        super().__init__()
        self.before, self.norm3 = block.before, block.norm3
        self.conv3 = nn.ModuleList(nn.Conv2d(512, 2048, 1, bias=False) for _ in range(4))
        self.lstm = Lstm(2048)

    def forward(self, x, clips):
        y = self.before(x)
        return self.lstm([(self.norm3(conv(y)) + x).mean((2, 3)).unflatten(0, clips) for conv in self.conv3])


class ResNet50PreLstm(nn.Module):
    def __init__(self):
        super().__init__()
        layers, inputs = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)], 64
        for width, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
            for block in range(count):
                layers.append(Bottleneck(inputs, width, 2 if block == 0 and width > 64 else 1))
                inputs = 4 * width
        self.trunk, self.last = nn.Sequential(*layers[:-1]), PreLstmBottleneck(layers[-1])
        self.fc = nn.Linear(2048, 1000)

    def forward(self, x):
        return self.fc(self.last(self.trunk(x.flatten(0, 1)), x.shape[:2]))


class FcGru(nn.Module):
    """Equation 5 as a GRU at fc6 and fc7, one dropout mask for all steps of a clip, on what enters a layer and on its state."""

    def __init__(self, width=128, rate=0.25):
        super().__init__()
        layers, inputs = [], 3
        for word in ("16/2", "32", "p", "48", "p", "32"):
            if word == "p":
                layers.append(nn.MaxPool2d(2))
            else:
                outputs = int(word.split("/")[0])
                layers += [nn.Conv2d(inputs, outputs, 3, 2 if "/" in word else 1, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(inplace=True)]
                inputs = outputs
        self.trunk, self.rate = nn.Sequential(*layers), rate
        self.x = nn.ModuleList(nn.ModuleList(nn.Linear(n, width) for _ in range(3)) for n in (32 * 6 * 6, width))
        self.h = nn.ModuleList(nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(3)) for _ in range(2))
        self.out = nn.Linear(width, 3)

    def mask(self, *shape):
        return nn.functional.dropout(torch.ones(shape), self.rate)

    def forward(self, x):
        y = self.trunk(x.flatten(0, 1)).flatten(1).unflatten(0, x.shape[:2])
        for gates, hidden in zip(self.x, self.h):
            y = y * self.mask(y.shape[0], 1, y.shape[2])
            u = [gate(y) for gate in gates]
            kept = self.mask(y.shape[0], hidden[0].in_features)
            h = torch.zeros_like(u[0][:, 0])
            outputs = []
            for t in range(y.shape[1]):
                seen = h * kept
                r, z = (torch.sigmoid(u[g][:, t] + hidden[g](seen)) for g in range(2))
                h = (1 - z) * h + z * torch.tanh(u[2][:, t] + hidden[2](r * seen))
                outputs.append(h)
            y = torch.stack(outputs, 1)
        return self.out(y * self.mask(y.shape[0], 1, y.shape[2]))


def measure_fc_gru(results, name):
    if not results.wants(name):
        return
    network = FcGru().eval()  # batch norm uses its stored statistics; dropout is drawn all the same
    x = torch.arange(8 * 32 * 3 * 48 * 48).remainder(251).div(125).sub(1).view(8, 32, 3, 48, 48)

    def step():
        network(x).square().mean().backward()
        with torch.no_grad():
            for parameter in network.parameters():
                parameter.add_(parameter.grad, alpha=-RATE)
                parameter.grad = None

    results.add(name, "loop", step, 20)


def measure(results, name, make, frozen=False):
    if not results.wants(name):
        return
    network = make().eval()  # batch norm uses its stored statistics
    if frozen:
        network.features.requires_grad_(False)
    trained = [p for p in network.parameters() if p.requires_grad]
    x = torch.arange(STEPS * 3 * PIXELS * PIXELS).remainder(251).div(125).sub(1).view(1, STEPS, 3, PIXELS, PIXELS)

    def step():
        network(x).square().mean().backward()
        with torch.no_grad():
            for parameter in trained:
                parameter.add_(parameter.grad, alpha=-RATE)
                parameter.grad = None

    results.add(name, "loop", step, 3)


def main():
    results = Results()
    measure(results, "backbones/vgg16_pre_gru_fc6/frozen_trunk", Vgg16PreGru, frozen=True)
    measure(results, "backbones/vgg16_pre_gru_fc6/trained_trunk", Vgg16PreGru)
    measure(results, "backbones/resnet50_pre_lstm_layer4.2", ResNet50PreLstm)
    measure_fc_gru(results, "backbones/fc_gru_end_to_end")
    results.print()


main()
