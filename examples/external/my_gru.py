"""Writes a method for the suite as TorchScript: what the trained CNN sees in a frame, corrected by a GRU over the frames so far.

    python my_gru.py --features 2304 --width 128 --out my_gru.pt        # the sizes of study prernn, profile smoke
    ./reprise run prernn --method-file my_gru=my_gru.pt

The contract is forward(features [B, T, n]) -> [B, T, 136]. The suite fills fc6 and fc7 from each seed's trained CNN, because they bear
these names. The GRU starts as it is in the file. So does the output layer, since all methods draw theirs; with the setting
start.draw_output=false all start from the trained one.
"""
import argparse

import torch


class MyGru(torch.nn.Module):
    def __init__(self, features: int, width: int):
        super().__init__()
        self.fc6 = torch.nn.Linear(features, width)
        self.fc7 = torch.nn.Linear(width, width)
        self.out = torch.nn.Linear(width, 136)
        self.gru = torch.nn.GRU(width, width, batch_first=True)
        self.share = torch.nn.Parameter(torch.zeros(width))  # of the GRU in what is passed on: at first none

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        frame = torch.relu(self.fc7(torch.relu(self.fc6(features))))
        past, _ = self.gru(frame)
        return self.out(frame + self.share * past)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--features", type=int, required=True, help="n, what the trunk gives for a frame")
    parser.add_argument("--width", type=int, required=True, help="of fc6 and fc7")
    parser.add_argument("--seed", type=int, default=0, help="of the first weights")
    parser.add_argument("--out", required=True, help="the file to write")
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    torch.jit.script(MyGru(arguments.features, arguments.width)).save(arguments.out)


if __name__ == "__main__":
    main()
