"""What a launch of a kernel moves and multiplies, from the shapes in the compiled program."""

import math
import re
from typing import Literal, NamedTuple

from azjax.benchmarks.gpu.hlo import Array, Instruction, Module

Kind = Literal["convolution", "product", "collective", "other"]

# Instructions that launch nothing.
_NO_LAUNCH = {
    "parameter",
    "get-tuple-element",
    "tuple",
    "bitcast",
    "constant",
    "while",
    "conditional",
    "call",
    "after-all",
    "partition-id",
    "replica-id",
    "opt-barrier",
}
_COLLECTIVES = "all-reduce", "all-gather", "reduce-scatter", "collective-permute", "all-to-all"
_HIGHEST = re.compile(r'operand_precision(=\{highest|":\["HIGHEST)')
_READ_IN_PART = "dynamic-slice", "gather", "slice"
_WRITTEN_IN_PLACE = {"dynamic-update-slice": 1, "scatter": 2}  # the operand that is written there


class Kernel(NamedTuple):
    """One launch."""

    kind: Kind
    num_bytes: int  # read and written
    flops: float  # of convolutions and matrix products, by their definition
    dtype: str  # of what it multiplies, or else of what it reads first; tf32 where XLA rounds to it
    is_grouped: bool  # a convolution in groups
    is_fused: bool  # a convolution with bias and activation


def read_kernels(module: Module, computation: str) -> tuple[Kernel, ...]:
    """Returns the kernels that a computation launches, without those of its loops and branches."""
    scope = {each.name: each for each in module.computations[computation]}
    return tuple(
        _read_kernel(module, scope, each) for each in scope.values() if _is_launch(each.opcode)
    )


def _is_launch(opcode: str) -> bool:
    return opcode not in _NO_LAUNCH and not opcode.endswith("-done")


def _read_kernel(module: Module, scope: dict[str, Instruction], instruction: Instruction) -> Kernel:
    operands = [scope[name] for name in instruction.operands if name in scope]
    body = module.computations.get(instruction.called("calls") or "", ())
    kind = _kind(instruction, body)
    return Kernel(
        kind,
        _num_bytes(instruction, operands, body),
        _flops(instruction, operands, body),
        _dtype(kind, instruction, operands, body),
        "feature_group_count=" in instruction.attributes,
        instruction.target == "__cudnn$convBiasActivationForward",
    )


def _kind(instruction: Instruction, body: tuple[Instruction, ...]) -> Kind:
    if instruction.target.startswith("__cudnn$conv"):
        return "convolution"
    opcodes = {instruction.opcode.removesuffix("-start"), *(each.opcode for each in body)}
    if "convolution" in opcodes:
        return "convolution"
    if instruction.target.startswith("__cublas") or "dot" in opcodes:
        return "product"
    return "collective" if opcodes & set(_COLLECTIVES) else "other"


def _dtype(
    kind: Kind, instruction: Instruction, operands: list[Instruction], body: tuple[Instruction, ...]
) -> str:
    dtype = next((array.dtype for each in operands for array in each.results), "")
    is_exact = any(_HIGHEST.search(each.attributes) for each in (instruction, *body))
    multiplies = kind in ("convolution", "product")
    return "tf32" if multiplies and dtype == "f32" and not is_exact else dtype


def _num_bytes(
    instruction: Instruction, operands: list[Instruction], body: tuple[Instruction, ...]
) -> int:
    """Returns the bytes that a kernel reads and writes.

    Of an array that is read by indices alone the part is counted, and of one that is updated in
    place the update, twice.
    """
    if not body:  # as if it were a fusion of itself
        body = tuple(
            Instruction(each.name, "parameter", each.results, (str(i),), "")
            for i, each in enumerate(operands)
        )
        body = (*body, instruction._replace(operands=tuple(each.name for each in operands)))
    parameters = [each for each in body if each.opcode == "parameter"]
    return sum(_bytes_read(each, body) for each in parameters) + _bytes_written(body)


def _bytes_read(parameter: Instruction, body: tuple[Instruction, ...]) -> int:
    parts = 0
    for user in body:
        if parameter.name not in user.operands:
            continue
        is_first = user.operands[0] == parameter.name
        if user.opcode in _READ_IN_PART and is_first:
            parts += _size(user.results)
        elif not (user.opcode in _WRITTEN_IN_PLACE and is_first):
            return _size(parameter.results)
    return parts


def _bytes_written(body: tuple[Instruction, ...]) -> int:
    scope = {each.name: each for each in body}
    root = body[-1]  # XLA prints it last
    roots = [scope[name] for name in root.operands] if root.opcode == "tuple" else [root]
    total = 0
    for each in roots:
        written = each
        while written.opcode in ("bitcast", "copy") and written.operands:
            written = scope[written.operands[0]]
        update = _WRITTEN_IN_PLACE.get(written.opcode)
        total += (
            2 * _size(scope[written.operands[update]].results) if update else _size(each.results)
        )
    return total


def _flops(
    instruction: Instruction, operands: list[Instruction], body: tuple[Instruction, ...]
) -> float:
    if "dim_labels=" in instruction.attributes:
        return _convolution_flops(instruction, operands)
    scope = {each.name: each for each in body}
    inner = [(each, [scope[name] for name in each.operands if name in scope]) for each in body]
    return sum(_product_flops(*each) for each in [(instruction, operands), *inner])


def _convolution_flops(instruction: Instruction, operands: list[Instruction]) -> float:
    """Returns 2 * positions of the output * size of the kernel, for each of the three passes."""
    inputs, kernel = (each.results[0] for each in operands[:2])
    output = instruction.results[0]
    if instruction.target.endswith("BackwardFilter"):  # of the inputs and the outputs' gradient
        output, kernel = kernel, output
    elif instruction.target.endswith("BackwardInput"):  # of the outputs' gradient and the kernel
        output = inputs
    labels = re.search(r"dim_labels=\w+->(\w+)", instruction.attributes)
    features = output.shape[labels[1].index("f")] if labels else 1
    return 2.0 * math.prod(output.shape) / features * math.prod(kernel.shape)


def _product_flops(instruction: Instruction, operands: list[Instruction]) -> float:
    dims = re.search(r'lhs_contracting_dim(?:s=\{|ensions":\[)"?([\d",]*)', instruction.attributes)
    if not dims or not operands:
        return 0.0
    left = operands[0].results[0].shape
    shared = math.prod(left[int(dim)] for dim in re.findall(r"\d+", dims[1]))
    return 2.0 * math.prod(instruction.results[0].shape) * shared


def _size(arrays: tuple[Array, ...]) -> int:
    """Returns the bytes of some arrays."""
    return sum(array.num_bytes for array in arrays)
