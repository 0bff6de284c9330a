"""The recurrent cells of models/recurrent/recurrent_layer.h in plain PyTorch: a loop over time steps as the equations are written, and torch.nn's layers.

A training step is forward from a zero state, then backward of the sum of the outputs into every weight; gradients are dropped before the next.
"""
import torch
from torch import nn
from timing import Results

SIZES = {"512": (512, 512, 32, 16), "25088": (25088, 4096, 2, 8)}  # inputs, units, batch, steps
GATES = {"vrnn": 1, "lstm": 4, "gru": 3}


class Loop(nn.Module):
    """Equations 5 to 12: every gate its own W_x (or all of them one, shared) and its own W_h."""

    def __init__(self, cell, shared, inputs, units):
        super().__init__()
        self.cell, self.units = cell, units
        gates = GATES[cell]
        self.x = nn.ModuleList(nn.Linear(inputs, units) for _ in range(1 if shared else gates))
        self.h = nn.ModuleList(nn.Linear(units, units, bias=False) for _ in range(gates))

    def forward(self, x):
        h = c = x.new_zeros(x.shape[0], self.units)
        outputs = []
        for t in range(x.shape[1]):
            u = [layer(x[:, t]) for layer in self.x]
            if len(u) < len(self.h):
                u = u * len(self.h)
            if self.cell == "vrnn":
                h = torch.relu(u[0] + self.h[0](h))
            elif self.cell == "lstm":
                i, f, o = (torch.sigmoid(u[g] + self.h[g](h)) for g in range(3))
                c = f * c + i * torch.tanh(u[3] + self.h[3](h))
                h = o * torch.tanh(c)
            else:
                r, z = (torch.sigmoid(u[g] + self.h[g](h)) for g in range(2))
                h = (1 - z) * h + z * torch.tanh(u[2] + self.h[2](r * h))
            outputs.append(h)
        return torch.stack(outputs, 1)


class Library(nn.Module):
    def __init__(self, cell, inputs, units):
        super().__init__()
        kind = {"vrnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}[cell]
        self.layer = kind(inputs, units, batch_first=True, **({"nonlinearity": "relu"} if cell == "vrnn" else {}))

    def forward(self, x):
        return self.layer(x)[0]


def measure(results, name, column, network, x, runs):
    def train():
        network.zero_grad()
        network(x).sum().backward()

    def infer():
        with torch.inference_mode():
            return network(x)  # what nobody takes, a compiler leaves out

    results.add(f"{name}/train", column, train, runs)
    network.zero_grad()
    results.add(f"{name}/infer", column, infer, runs)


def main():
    results = Results()
    for size, (inputs, units, batch, steps) in SIZES.items():
        runs = 3 if inputs > 10000 else 20
        x = torch.arange(batch * steps * inputs).remainder(17).div(17).view(batch, steps, inputs)
        for kind in ("vrnn", "lstm", "gru", "sih_lstm", "sih_gru"):
            cell, shared, name = kind.removeprefix("sih_"), kind.startswith("sih_"), f"recurrent/{kind}/{size}"
            if not (results.wants(f"{name}/train") or results.wants(f"{name}/infer")):
                continue
            measure(results, name, "loop", Loop(cell, shared, inputs, units), x, runs)
            if not shared:  # torch.nn has no cell whose gates share one input product
                measure(results, name, "torch.nn", Library(cell, inputs, units), x, runs)
    results.print()


main()
