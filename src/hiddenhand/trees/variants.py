"""The variants of counterfactual regret minimisation, by what they change in an iteration.

CFR (Zinkevich et al. 2007), CFR+ (Tammelin 2014), linear and discounted CFR (Brown and Sandholm
2019), predictive CFR+ (Farina, Kroer and Sandholm 2021), with the letters of `cfr`.

Discounts, applied to R after r is added: where R > 0 by t^alpha / (t^alpha + 1), where R < 0 by
t^beta / (t^beta + 1). So alpha = beta = infinity is CFR, beta = -infinity forgets negative regret
as CFR+ does, alpha = beta = gamma = 1 is linear CFR. The predictive variant plays (R + r)+ instead
of R+: the last regret once more, as a guess of the next.
"""

import math
from dataclasses import dataclass
from typing import Final

from hiddenhand.compiled.bridge import Compiled
from hiddenhand.errors import OptionError


@dataclass(frozen=True)
class Variant(Compiled):
    """A member of the family.

    alpha, beta: the exponents of the discounts of positive and of negative regret; numbers, or plus
        or minus infinity.
    gamma: iteration t weighs t^gamma in the average; finite and at least 0.
    predictive: whether the last regret counts once more in the next strategy.
    alternating: whether a player's new strategy counts at once for the next player; else all
        players update at the same time.
    """

    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    predictive: bool = False
    alternating: bool = True

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
                raise OptionError(
                    f"{name}={value!r} is not allowed; a discount's exponent is a number, or "
                    "infinity"
                )
            object.__setattr__(self, name, float(value))
        if not 0 <= self.gamma < math.inf:
            raise OptionError(
                f"gamma={self.gamma} is not allowed; the weight of iteration t is t^gamma with "
                "gamma at least 0"
            )

    def discount(self, t: int, exponent: float) -> float:
        """t^e / (t^e + 1), and its limits for e = infinity and -infinity."""
        if math.isinf(exponent):
            return 1.0 if exponent > 0 else 0.0
        weight = float(t) ** exponent
        return weight / (weight + 1.0)


VARIANTS: Final = {
    "cfr": Variant(),
    "cfr+": Variant(beta=-math.inf, gamma=1.0),
    "lcfr": Variant(alpha=1.0, beta=1.0, gamma=1.0),
    "dcfr": Variant(alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Variant(beta=-math.inf, gamma=2.0, predictive=True),
}


def variant_of(variant: str | Variant) -> Variant:
    """A variant by its name, or as it is given. Raises OptionError for a name that none has."""
    if isinstance(variant, Variant):
        return variant
    if variant not in VARIANTS:
        raise OptionError(
            f"there is no CFR variant {variant!r}; choose one of: {', '.join(VARIANTS)}"
        )
    return VARIANTS[variant]
