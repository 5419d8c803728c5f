"""Many small numbers side by side, computed at once: a vector as a type that kernels can use.

`load` takes as many neighbouring cells of an array as fit into a vector and gives a `Lanes`;
`& | ^ ~ + - * << >>` work on all of them, with another `Lanes` or with one number for all; `below`,
`same` and `differ` give lanes with all bits set where they hold; `store` puts them back. LLVM makes
of it whatever the processor has: AVX-512, AVX2, NEON.
"""

import operator

from tengen.core.compiler import extending, ir, types

VECTOR_BITS = 1024
"""Two to four registers of the processor: while it waits for one, it computes with another."""

_WORD_BITS = 64
_RANDOM_FACTOR = 0x2545F4914F6CDD1D


class Lanes(types.Type):
    """The type of a vector of whole numbers, so many bits each."""

    def __init__(self, bits):
        self.bits, self.count = bits, VECTOR_BITS // bits
        super().__init__(name=f"Lanes({bits})")

    @property
    def vector(self):
        """The same as a type of LLVM."""
        return ir.VectorType(ir.IntType(self.bits), self.count)


@extending.register_model(Lanes)
class _LanesModel(extending.models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.vector)


def lanes_of(array):
    """Return the type of what is loaded from an array, given its type."""
    return Lanes(array.dtype.bitwidth)


def _same_in_all(builder, kind, value):
    """Give every lane one number."""
    element = ir.IntType(kind.bits)
    if value.type.width != kind.bits:
        fit = builder.trunc if value.type.width > kind.bits else builder.zext
        value = fit(value, element)
    nothing = ir.Constant(kind.vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.IntType(32)(0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, nothing, order)


def _both(builder, signature, values):
    """Return two operands as vectors; the second may be one number for all lanes."""
    kind, other = signature.args
    second = values[1] if isinstance(other, Lanes) else _same_in_all(builder, kind, values[1])
    return values[0], second


def _cell(context, builder, signature, values):
    """Return where a vector begins in an array, as a pointer to it."""
    array = context.make_array(signature.args[0])(context, builder, values[0])
    cell = builder.gep(array.data, [values[1]])
    return builder.bitcast(cell, lanes_of(signature.args[0]).vector.as_pointer())


def _whole_call(builder, name, result, argument):
    """Call a function of LLVM that takes one vector."""
    kind = ir.FunctionType(result, [argument.type])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, [argument])


@extending.intrinsic
def load(_context, array, index):
    """Return the cells of an array from `index` on."""

    def generate(context, builder, signature, values):
        got = builder.load(_cell(context, builder, signature, values))
        got.align = signature.args[0].dtype.bitwidth // 8
        return got

    return lanes_of(array)(array, index), generate


@extending.intrinsic
def store(_context, array, index, lanes):
    """Write lanes to the cells of an array from `index` on."""

    def generate(context, builder, signature, values):
        put = builder.store(values[2], _cell(context, builder, signature, values))
        put.align = signature.args[0].dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.none(array, index, lanes), generate


@extending.intrinsic
def in_all(_context, array, number):
    """Return lanes, as many as are loaded from the array, that all hold one number."""
    kind = lanes_of(array)

    def generate(context, builder, signature, values):
        return _same_in_all(builder, kind, values[1])

    return kind(array, number), generate


def _operation(name):
    @extending.intrinsic
    def compute(_context, one, other):
        def generate(context, builder, signature, values):
            return getattr(builder, name)(*_both(builder, signature, values))

        return one(one, other), generate

    def of_lanes(one, other):
        return (lambda one, other: compute(one, other)) if isinstance(one, Lanes) else None

    return of_lanes


for _sign, _name in {
    operator.and_: "and_",
    operator.or_: "or_",
    operator.xor: "xor",
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.lshift: "shl",
    operator.rshift: "lshr",
}.items():
    extending.overload(_sign)(_operation(_name))


@extending.intrinsic
def _not(_context, lanes):
    def generate(context, builder, signature, values):
        return builder.not_(values[0])

    return lanes(lanes), generate


@extending.overload(operator.invert)
def _invert(lanes):
    return (lambda lanes: _not(lanes)) if isinstance(lanes, Lanes) else None


def _comparison(sign):
    @extending.intrinsic
    def compare(_context, one, other):
        def generate(context, builder, signature, values):
            held = builder.icmp_unsigned(sign, *_both(builder, signature, values))
            return builder.sext(held, signature.args[0].vector)

        return one(one, other), generate

    return compare


below = _comparison("<")
same = _comparison("==")
differ = _comparison("!=")


@extending.intrinsic
def bit_counts(_context, lanes):
    """Return how many bits are set in each lane."""

    def generate(context, builder, signature, values):
        name = f"llvm.ctpop.v{lanes.count}i{lanes.bits}"
        return _whole_call(builder, name, lanes.vector, values[0])

    return lanes(lanes), generate


@extending.intrinsic
def any_set(_context, lanes):
    """Tell whether any bit of any lane is set."""

    def generate(context, builder, signature, values):
        name = f"llvm.vector.reduce.or.v{lanes.count}i{lanes.bits}"
        found = _whole_call(builder, name, ir.IntType(lanes.bits), values[0])
        return builder.icmp_unsigned("!=", found, found.type(0))

    return types.boolean(lanes), generate


@extending.intrinsic
def set_of(_context, lanes):
    """Return a number with a bit for each lane that is not 0; there are at most 64 lanes."""

    def generate(context, builder, signature, values):
        nothing = ir.Constant(lanes.vector, None)
        held = builder.icmp_unsigned("!=", values[0], nothing)
        bits = builder.bitcast(held, ir.IntType(lanes.count))
        return bits if lanes.count == _WORD_BITS else builder.zext(bits, ir.IntType(_WORD_BITS))

    return types.uint64(lanes), generate


@extending.intrinsic
def lowest_bit(_context, number):
    """Return the place of the lowest bit that is set; 64 for 0."""

    def generate(context, builder, signature, values):
        return builder.cttz(values[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), generate


@extending.intrinsic
def high_products(_context, one, other):
    """Return the upper halves of the products: of a lane of 16 bits, what is above the lower 16."""

    def generate(context, builder, signature, values):
        wide = ir.VectorType(ir.IntType(2 * one.bits), one.count)
        product = builder.mul(builder.zext(values[0], wide), builder.zext(values[1], wide))
        upper = builder.lshr(product, ir.Constant(wide, [one.bits] * one.count))
        return builder.trunc(upper, one.vector)

    return one(one, other), generate


@extending.intrinsic
def random_lanes(_context, array, states):
    """Return random lanes, as many as are loaded from `array`; advance the generators in `states`.

    One xorshift64* for every 64 bits; the upper half of each number is mixed into the lower one.
    """
    kind, count = lanes_of(array), VECTOR_BITS // _WORD_BITS

    def generate(context, builder, signature, values):
        words = ir.VectorType(ir.IntType(_WORD_BITS), count)
        cells = context.make_array(signature.args[1])(context, builder, values[1]).data
        place = builder.bitcast(cells, words.as_pointer())
        state = builder.load(place)
        state.align = 8
        for shift, distance in ((builder.lshr, 12), (builder.shl, 25), (builder.lshr, 27)):
            state = builder.xor(state, shift(state, ir.Constant(words, [distance] * count)))
        builder.store(state, place).align = 8
        product = builder.mul(state, ir.Constant(words, [_RANDOM_FACTOR] * count))
        mixed = builder.xor(product, builder.lshr(product, ir.Constant(words, [32] * count)))
        return builder.bitcast(mixed, kind.vector)

    return kind(array, states), generate
