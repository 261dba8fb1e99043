"""The variants of counterfactual regret minimisation, by what they change in an iteration.

CFR (Zinkevich et al. 2007), CFR+ (Tammelin 2014), linear and discounted CFR (Brown and Sandholm
2019), predictive CFR+ (Farina, Kroer and Sandholm 2021), DCFR+ and PDCFR+ (Xu et al. 2024) and
HS-DCFR(30) (Zhang, McAleer and Sandholm 2024), with the letters of `cfr`.

Discounts, applied to R after r is added: where R > 0 by t^alpha / (t^alpha + 1), where R < 0 by
t^beta / (t^beta + 1). So alpha = beta = infinity is CFR, beta = -infinity forgets negative regret
as CFR+ does, alpha = beta = gamma = 1 is linear CFR. The predictive variants play (R + c r)+
instead of R+: the last regret once more, as a guess of the next. The papers take c = 1. Here c is
1/3, as in SAPCFR+ (Meng et al. 2026, arXiv 2503.12770), which is closer to an equilibrium in nearly
every game; see "CFR variants" in the documentation.

The papers of 2024 discount before they add: R_t = R_(t-1) d_(t-1) + r_t, where d is the discount,
and PDCFR+ plays (R_t d_t + r_t)+. The R that is kept here is their R_t d_t, so that PDCFR+ plays
(R + c r)+ like PCFR+. Its positive part is theirs times a number that all actions share, so that
the other variants play what the papers play. The authors' program of DCFR+ divides by t^1.5 + 1.5;
their paper by t^1.5 + 1, which is what is done here.

A schedule changes the three exponents from iteration to iteration: at iteration t of a run of n, an
exponent is its first value plus t/n times its change. The average then cannot weigh iterations by
t^gamma. Instead, x is multiplied by (t / (t + 1))^gamma at the end of iteration t, which for a
gamma that stays the same comes to t^gamma as well. So it is done for a gamma above 5, too, because
sums of t^gamma become too large for a number.

The n of a schedule is its horizon, the number of iterations that a run will make. A run that goes
on beyond its horizon begins another schedule, which lasts for as many iterations as the run has
made: n, then 2 n, then 4 n. A run that knows no horizon does so from n = 1. So what iteration t
does depends on t and n only, and on no clock.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.jit.bridge import Compiled

_LARGE: Final = 5.0  # the largest gamma of a weight


@dataclass(frozen=True)
class Variant(Compiled):
    """A member of the family.

    alpha, beta: the exponents of the discounts of positive and of negative regret; numbers, or plus
        or minus infinity.
    gamma: iteration t weighs t^gamma in the average; finite and at least 0.
    prediction: c, how much the last regret counts once more in the next strategy, from 0 to 1.
    alternating: whether a player's new strategy counts at once for the next player; else all
        players update at the same time.
    alpha_change, beta_change, gamma_change: by how much the three exponents change from the start
        of a run to its horizon; finite. With all three at 0 there is no schedule.
    horizon: the number of iterations that a run with a schedule will make, below 2^62; 0 where that
        is not known.
    """

    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    prediction: float = 0.0
    alternating: bool = True
    alpha_change: float = 0.0
    beta_change: float = 0.0
    gamma_change: float = 0.0
    horizon: int = 0

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.type is float):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
                raise OptionError(
                    f"{name}={value!r} is not allowed; a discount's exponent is a number, or "
                    "infinity"
                )
            if name.endswith("_change") and math.isinf(value):
                raise OptionError(f"{name}={value} is not allowed; an exponent changes by a number")
            object.__setattr__(self, name, float(value))
        last = self.gamma + self.gamma_change
        if not (0 <= self.gamma < math.inf and last >= 0):
            raise OptionError(
                f"gamma={self.gamma if last >= 0 else last} is not allowed; the weight of "
                "iteration t is t^gamma with gamma at least 0"
            )
        if not 0.0 <= self.prediction <= 1.0:
            raise OptionError(
                f"prediction={self.prediction} is not allowed; the last regret counts once more "
                "with a weight from 0 to 1"
            )
        if type(self.horizon) is not int or not 0 <= self.horizon < 2**62:
            raise OptionError(
                f"horizon={self.horizon!r} is not allowed; give a whole number of iterations from "
                "1 on, or 0 where it is not known"
            )

    @property
    def has_schedule(self) -> bool:
        """Whether the exponents change from iteration to iteration."""
        return self.alpha_change != 0.0 or self.beta_change != 0.0 or self.gamma_change != 0.0

    @property
    def fades(self) -> bool:
        """Whether x is multiplied at the end of each iteration, and iterations have no weight."""
        return self.has_schedule or self.gamma > _LARGE

    def progress(self, t: int) -> float:
        """How far iteration t has come in its schedule, above 0 and at most 1: t / n in the first
        schedule; later ones begin after n, 2 n, 4 n ... iterations and end with the next of these.
        """
        before, end = 0, max(self.horizon, 1)
        while end < t:
            before, end = end, 2 * end
        return (t - before) / (end - before)

    def positive_discount(self, t: int) -> float:
        """What positive regret is multiplied by in iteration t."""
        return self.discount(t, self.alpha + self.alpha_change * self.progress(t))

    def negative_discount(self, t: int) -> float:
        """What negative regret is multiplied by in iteration t."""
        return self.discount(t, self.beta + self.beta_change * self.progress(t))

    def discount(self, t: int, exponent: float) -> float:
        """t^e / (t^e + 1), and its limits for e = infinity and -infinity."""
        if math.isinf(exponent):
            return 1.0 if exponent > 0 else 0.0
        weight = float(t) ** exponent
        return weight / (weight + 1.0)

    def weight(self, t: int) -> float:
        """What the strategy of iteration t is multiplied by before it is added to x."""
        return 1.0 if self.fades else float(t) ** self.gamma

    def fading(self, t: int) -> float:
        """What x is multiplied by at the end of iteration t."""
        if not self.fades:
            return 1.0
        return float((t / (t + 1.0)) ** (self.gamma + self.gamma_change * self.progress(t)))


_A_THIRD: Final = 1.0 / 3.0

VARIANTS: Final = {
    "cfr": Variant(),
    "cfr+": Variant(beta=-math.inf, gamma=1.0),
    "lcfr": Variant(alpha=1.0, beta=1.0, gamma=1.0),
    "dcfr": Variant(alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Variant(beta=-math.inf, gamma=2.0, prediction=_A_THIRD),
    "dcfr+": Variant(alpha=1.5, beta=-math.inf, gamma=4.0),
    "pdcfr+": Variant(alpha=2.3, beta=-math.inf, gamma=5.0, prediction=_A_THIRD),
    "hs_dcfr": Variant(
        alpha=1.0,
        beta=-1.0,
        gamma=30.0,
        alpha_change=3.0,
        beta_change=-2.0,
        gamma_change=-5.0,
    ),
}


def variant_of(variant: str | Variant) -> Variant:
    """A variant by its name, or as it is given. Raises OptionError for a name that none has."""
    if isinstance(variant, Variant):
        return variant
    if not isinstance(variant, str) or variant not in VARIANTS:
        raise OptionError(
            f"there is no CFR variant {variant!r}; choose one of: {', '.join(VARIANTS)}"
        )
    return VARIANTS[variant]


def name_of(variant: Variant) -> str | None:
    """The name of a variant, whatever its horizon; None if it has none."""
    published = replace(variant, horizon=0)
    return next((name for name, known in VARIANTS.items() if known == published), None)
