"""Package order, import cycles and the rules for kernel modules."""

import ast
import functools
import importlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "tengen"
MODULES = sorted(SOURCE.rglob("*.py"))

ORDER = (
    "util",
    "board",
    "playout",
    "records",
    "sources",
    "nets",
    "search",
    "solver",
    "engine",
    "view",
    "review",
    "match",
    "protocols",
    "web",
    "lab",
    "bench",
    "cli",
)
"""A package may import the packages before it, never those after it."""

ENGINE_PACKAGES = {"util", "board", "playout", "sources", "search", "engine"}
TOP_PACKAGES = {"lab", "bench", "cli"}
"""Packages whose modules are plug-ins of the command line and are imported one by one."""
SEEN_BY_SEARCH = ("tengen.sources.source", "tengen.sources.kernels.registry")
COMPILER = ("tengen.util.compiler", "tengen.util.lanes")
BOARD_SIZE_NAMES = {"SIZE", "BOARD_SIZE", "BOARDSIZE", "WIDTH", "HEIGHT", "N"}
LONGEST_FILE = 600


def name_of(path: Path) -> str:
    """Return `tengen.board.points` for its file."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def exports() -> dict[str, str]:
    """Map exported names to definitions: `tengen.board.PASS` to `tengen.board.points.PASS`."""
    return {
        f"{package}.{alias.name}": f"{package}.{node.module}.{alias.name}"
        for stub in SOURCE.rglob("__init__.pyi")
        for package in [".".join(stub.parent.relative_to(SOURCE.parent).parts)]
        for node in tree_of(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def written_imports(path: Path) -> Iterator[str]:
    """Yield every imported name as written, those inside functions too: `tengen.board.PASS`."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute here"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports(path: Path) -> Iterator[str]:
    """Yield every imported name by its definition: `tengen.board.points.PASS`."""
    yield from (exports().get(name, name) for name in written_imports(path))


def own_imports(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (package, name) for what is imported of Tengen's own packages."""
    packages = {folder.name for folder in SOURCE.iterdir() if folder.is_dir()}
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "tengen" and len(parts) > 1 and parts[1] in packages:
            yield parts[1], name


def package_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0]


def is_kernel_module(path: Path) -> bool:
    return path.parent.name == "kernels"


KERNEL_MODULES = [path for path in MODULES if is_kernel_module(path)]


def test_every_package_is_in_the_order():
    packages = {package_of(path) for path in MODULES if path.parent != SOURCE}
    assert packages == set(ORDER)


def test_packages_import_only_earlier_packages():
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        if (package := package_of(path)) in ORDER
        for target, name in own_imports(path)
        if ORDER.index(target) > ORDER.index(package)
    ]
    assert not wrong


def test_packages_import_from_packages():
    """Other packages use the names that a package exports, except kernels and whole modules."""
    names = {name_of(path) for path in MODULES}
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        if not is_kernel_module(path)
        for name in written_imports(path)
        if name.startswith("tengen.") and name.count(".") > 1
        if name not in names and name not in exports()
        for module in [name.rpartition(".")[0]]
        if module.split(".")[1] != package_of(path)
        and module.split(".")[1] not in TOP_PACKAGES
        and "kernels" not in module.split(".")
        and module != "tengen.api"
    ]
    assert not wrong, "import from the package, and export the name in its __init__.pyi"


def test_packages_do_not_import_from_themselves():
    """Modules of a package import each other, so that the order of their imports shows."""
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        for name in written_imports(path)
        if name in exports() and name.split(".")[1] == package_of(path)
    ]
    assert not wrong


def test_exported_names_exist():
    for name in exports():
        package, _, attribute = name.rpartition(".")
        assert getattr(importlib.import_module(package), attribute) is not None, name


def imported_modules(path: Path, names: set[str]) -> set[str]:
    """Return the Tengen modules that a file imports anywhere in its text."""
    found = set()
    for name in imports(path):
        while name and name not in names:
            name = name.rpartition(".")[0]
        found.add(name)
    return found - {"", name_of(path)}


def test_no_import_cycles():
    """Imports inside functions and below TYPE_CHECKING count too."""
    names = {name_of(path) for path in MODULES}
    remaining = {name_of(path): imported_modules(path, names) for path in MODULES}
    while leaves := {name for name, targets in remaining.items() if not targets & set(remaining)}:
        for name in leaves:
            del remaining[name]
    assert not remaining, f"modules in or above an import cycle: {sorted(remaining)}"


def test_no_package_but_cli_imports_the_api():
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        if path.parent != SOURCE and package_of(path) != "cli"
        for name in imports(path)
        if name.startswith("tengen.api")
    ]
    assert not wrong


def test_the_search_knows_no_concrete_source():
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        if package_of(path) == "search"
        for target, name in own_imports(path)
        if target == "sources" and not name.startswith(SEEN_BY_SEARCH)
    ]
    assert not wrong


def test_only_kernel_modules_compile():
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        if not is_kernel_module(path) and name_of(path) not in COMPILER
        for name in imports(path)
        if name.startswith(COMPILER)
    ]
    assert not wrong, "kernels live in folders named kernels"


def test_numba_is_set_up_in_one_place():
    users = {
        name_of(path)
        for path in MODULES
        if any(name.split(".")[0] == "numba" for name in imports(path))
    }
    assert users == {"tengen.util.compiler", "tengen.util.kernel_cache"}


def test_kernels_see_only_what_the_cache_key_covers():
    """Compiled code holds the constants it was made from: they must count for the key."""
    wrong = [
        f"{name_of(path)} imports {name}"
        for path in KERNEL_MODULES
        for _, name in own_imports(path)
        if ".kernels." not in name and not name.startswith(COMPILER)
    ]
    assert not wrong


def test_kernel_modules_hold_no_objects():
    for path in KERNEL_MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                bases = [base.id for base in node.bases if isinstance(base, ast.Name)]
                assert bases == ["NamedTuple"], f"{node.name} in {name_of(path)}"


def test_no_board_size_for_a_whole_module():
    for path in MODULES:
        if package_of(path) in ENGINE_PACKAGES:
            names = {
                target.id
                for node in tree_of(path).body
                if isinstance(node, ast.Assign)
                for target in node.targets
                if isinstance(target, ast.Name)
            }
            assert not names & BOARD_SIZE_NAMES, f"{name_of(path)}: boards have their own size"


def test_class_names_are_unique():
    """Two classes have one name only if one is a subclass of the other."""
    classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(node)
    for name, found in classes.items():
        bases = [ast.unparse(base).split(".")[-1] for node in found for base in node.bases]
        assert len(found) <= 1 + bases.count(name), f"{name} is defined {len(found)} times"


def test_files_stay_short():
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in MODULES}
    too_long = {name: length for name, length in lengths.items() if length > LONGEST_FILE}
    assert not too_long, "make two modules of each"


def test_test_files_have_different_names():
    # pytest imports them as top-level modules.
    names = Counter(path.name for path in Path(__file__).parent.rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
