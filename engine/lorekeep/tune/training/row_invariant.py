"""Matrix products of training whose bits for an expert do not depend on how many experts are computed together. Some processors have
kernels whose last bits depend on the number of rows. Whether this one does is measured once in a process for each layer (infer/exact.py
does the same for serving); if so, each expert is computed separately."""

from collections.abc import Callable

import torch
from torch.nn import functional as F

# Row counts to probe: the last rows computed alone are compared with the same rows of the largest count.
_ROWS = (8, 16, 24, 40, 64, 128, 256, 512)
# Batch sizes to probe for batched products.
_PRODUCTS = (1, 2, 3, 8, 16)

_linears: dict[tuple, bool] = {}
_products: dict[tuple, bool] = {}


def linear(
    x_1_T_D: torch.Tensor, weight_O_D: torch.Tensor, bias: torch.Tensor | None, experts: int
) -> torch.Tensor:
    """F.linear of the rows of all experts. Gradients are for the rows only."""
    if experts == 1 or _rows_are_alike(weight_O_D):
        return F.linear(x_1_T_D, weight_O_D, bias)
    rows = x_1_T_D.view(experts, -1, x_1_T_D.shape[-1])
    return torch.cat([F.linear(x_R_D, weight_O_D, bias) for x_R_D in rows])[None]


def bmm(one_E_M_N: torch.Tensor, other_E_N_P: torch.Tensor) -> torch.Tensor:
    if len(one_E_M_N) == 1 or _products_are_alike(one_E_M_N, other_E_N_P):
        return torch.bmm(one_E_M_N, other_E_N_P)
    return torch.cat([torch.bmm(one_E_M_N[i : i + 1], other_E_N_P[i : i + 1]) for i in range(len(one_E_M_N))])


def _rows_are_alike(weight_O_D: torch.Tensor) -> bool:
    if weight_O_D.device.type != "cpu":
        return True
    key = (*weight_O_D.shape, weight_O_D.dtype)
    if key not in _linears:
        with torch.no_grad():
            x_T_D, y_T_O = (
                _noise(_ROWS[-1], wide).to(weight_O_D.dtype) for wide in reversed(weight_O_D.shape)
            )
            _linears[key] = _are_alike(_ROWS, lambda some: F.linear(x_T_D[some], weight_O_D)) and _are_alike(
                _ROWS, lambda some: y_T_O[some] @ weight_O_D
            )
    return _linears[key]


def _products_are_alike(one_E_M_N: torch.Tensor, other_E_N_P: torch.Tensor) -> bool:
    """Probes the product and the products of its gradients."""
    if one_E_M_N.device.type != "cpu":
        return True
    key = (*other_E_N_P.shape[1:], one_E_M_N.dtype)
    if key not in _products:
        (rows, inner), wide = one_E_M_N.shape[1:], other_E_N_P.shape[2]
        with torch.no_grad():
            one, other, made = (
                _noise(_PRODUCTS[-1], *shape).to(one_E_M_N.dtype)
                for shape in ((rows, inner), (inner, wide), (rows, wide))
            )
            _products[key] = all(
                _are_alike(_PRODUCTS, lambda some, a=a, b=b: torch.bmm(a[some], b[some]))
                for a, b in ((one, other), (made, other.mT), (one.mT, made))
            )
    return _products[key]


def _are_alike(counts: tuple[int, ...], product: Callable[[slice], torch.Tensor]) -> bool:
    most = counts[-1]
    whole = product(slice(0, most))
    return all(torch.equal(product(slice(most - n, most)), whole[most - n :]) for n in counts)


def _noise(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))
