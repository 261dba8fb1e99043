"""Plain functions that rules call: they are compiled as parts of the rules, and the functions
themselves are not changed.

Numba calls only functions that were made for it. So `with_helpers` makes a copy of a rule, in which
each plain function that the rule names is replaced by one that Numba can call. A rule may name a
function as a global, in a closure, or through a module of the user. The functions that these
functions name are replaced in the same way. The copies share their code with the originals, so that
error messages show the user's own lines, and no module is changed. Functions that Numba knows, such
as NumPy's, stay as they are.
"""

from types import CellType, FunctionType, ModuleType
from typing import Any

from numba.core.registry import cpu_target

from hiddenhand.errors import RuleError
from hiddenhand.jit.fingerprint import MISSING, attribute_of, globals_in, is_namespace, names_in
from hiddenhand.jit.inlining import inline


class Helpers:
    """The plain functions that the rules of one class call. Each is compiled once for all rules.

    checked: whether array indices in these functions are checked.
    """

    def __init__(self, checked: bool) -> None:
        self._checked = checked
        cpu_target.typing_context.refresh()  # extensions may have come since it was last asked
        self._compiled: dict[FunctionType, Any] = {}
        self._callers: list[FunctionType] = []

    def with_helpers(self, function: FunctionType) -> FunctionType:
        """``function``, or a copy where it names helpers. Raises RuleError if helpers call
        themselves.
        """
        names = names_in(function.__code__)
        values = function.__globals__
        called = globals_in(function.__code__)
        changed = self._changed({name: values[name] for name in called if name in values}, names)
        cells = function.__closure__ or ()
        held = dict(enumerate(cell.cell_contents for cell in cells if cell != CellType()))
        in_cells = self._changed(held, names)
        if not changed and not in_cells:
            return function
        closure = [CellType(in_cells[i]) if i in in_cells else cell for i, cell in enumerate(cells)]
        copy = FunctionType(
            function.__code__,
            {**values, **changed},
            function.__name__,
            function.__defaults__,
            tuple(closure),
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__qualname__ = function.__qualname__
        return copy

    def _changed(self, values: dict[Any, Any], names: set[str]) -> dict[Any, Any]:
        """Of some values, those that Numba must be given in another form, in that form."""
        forms = {key: self._form(value, names, ()) for key, value in values.items()}
        return {key: form for key, form in forms.items() if form is not values[key]}

    def _form(self, value: Any, names: set[str], around: tuple[ModuleType, ...]) -> Any:
        if isinstance(value, FunctionType):
            return value if _is_known_to_numba(value) else self.compiled(value)
        if isinstance(value, ModuleType) and is_namespace(value) and value not in around:
            return self._module(value, names, (*around, value))
        return value

    def _module(self, module: ModuleType, names: set[str], around: tuple[ModuleType, ...]) -> Any:
        """``module``, or where it holds helpers, a module of the same name with what ``names``
        name.
        """
        held = {name: attribute_of(module, name) for name in names}
        held = {name: value for name, value in held.items() if value is not MISSING}
        forms = {name: self._form(value, names, around) for name, value in held.items()}
        if all(forms[name] is held[name] for name in held):
            return module
        copy = ModuleType(module.__name__, module.__doc__)
        vars(copy).update(forms)
        return copy

    def compiled(self, function: FunctionType) -> Any:
        """The form of ``function`` that Numba can call."""
        if function in self._callers:
            code = function.__code__
            raise RuleError(
                f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno}) calls itself, "
                "directly or through others, which compiled rules cannot; write a loop instead"
            )
        if function not in self._compiled:
            self._callers.append(function)
            try:
                self._compiled[function] = inline(
                    self.with_helpers(function), checked=self._checked
                )
            finally:
                self._callers.pop()
        return self._compiled[function]


def _is_known_to_numba(function: FunctionType) -> bool:
    """Whether Numba, or an extension of it, has a compiled form of the function."""
    return cpu_target.typing_context._lookup_global(function) is not None
