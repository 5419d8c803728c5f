"""SIMD vectors of unsigned integers as a Numba type.

`load` reads consecutive array elements into a `Lanes` vector and `store` writes them back. The
operators `& | ^ ~ + - * << >>` work lane by lane, with another vector or one integer for all lanes.
`less_than`, `equal` and `not_equal` return masks: all bits set where the comparison holds. LLVM
maps the vectors to the registers of the CPU (AVX-512, AVX2, NEON).
"""

import operator

from tengen.util.compiler import extending, ir, types

VECTOR_BITS = 1024
"""Vector width: two or more CPU registers, so that independent operations overlap."""

_WORD_BITS = 64
_XORSHIFT_MULTIPLIER = 0x2545F4914F6CDD1D


class Lanes(types.Type):
    """The Numba type of a vector of unsigned integers with `bits` bits each."""

    def __init__(self, bits):
        self.bits, self.count = bits, VECTOR_BITS // bits
        super().__init__(name=f"Lanes({bits})")

    @property
    def vector(self):
        """The LLVM type."""
        return ir.VectorType(ir.IntType(self.bits), self.count)


@extending.register_model(Lanes)
class _LanesModel(extending.models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.vector)


def lanes_of(array):
    """Return the vector type loaded from an array of the given type."""
    return Lanes(array.dtype.bitwidth)


def _splat(builder, kind, value):
    """Return a vector with `value` in every lane."""
    element = ir.IntType(kind.bits)
    if value.type.width != kind.bits:
        fit = builder.trunc if value.type.width > kind.bits else builder.zext
        value = fit(value, element)
    undefined = ir.Constant(kind.vector, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.IntType(32)(0))
    order = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, undefined, order)


def _operands(builder, signature, values):
    """Return both operands as vectors; the second may be a scalar."""
    kind, other = signature.args
    second = values[1] if isinstance(other, Lanes) else _splat(builder, kind, values[1])
    return values[0], second


def _cell(context, builder, signature, values):
    """Return a vector pointer to an array element."""
    array = context.make_array(signature.args[0])(context, builder, values[0])
    cell = builder.gep(array.data, [values[1]])
    return builder.bitcast(cell, lanes_of(signature.args[0]).vector.as_pointer())


def _call_intrinsic(builder, name, result, argument):
    """Call an LLVM intrinsic with one vector argument."""
    kind = ir.FunctionType(result, [argument.type])
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    return builder.call(function, [argument])


@extending.intrinsic
def load(_context, array, index):
    """Return the array elements from `index` on as a vector."""

    def generate(context, builder, signature, values):
        vector = builder.load(_cell(context, builder, signature, values))
        vector.align = signature.args[0].dtype.bitwidth // 8
        return vector

    return lanes_of(array)(array, index), generate


@extending.intrinsic
def store(_context, array, index, lanes):
    """Write a vector to the array elements from `index` on."""

    def generate(context, builder, signature, values):
        written = builder.store(values[2], _cell(context, builder, signature, values))
        written.align = signature.args[0].dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.none(array, index, lanes), generate


@extending.intrinsic
def broadcast(_context, array, number):
    """Return a vector of the array's vector type with `number` in every lane."""
    kind = lanes_of(array)

    def generate(context, builder, signature, values):
        return _splat(builder, kind, values[1])

    return kind(array, number), generate


def _operation(name):
    @extending.intrinsic
    def compute(_context, one, other):
        def generate(context, builder, signature, values):
            return getattr(builder, name)(*_operands(builder, signature, values))

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
            is_true = builder.icmp_unsigned(sign, *_operands(builder, signature, values))
            return builder.sext(is_true, signature.args[0].vector)

        return one(one, other), generate

    return compare


less_than = _comparison("<")
equal = _comparison("==")
not_equal = _comparison("!=")


@extending.intrinsic
def popcounts(_context, lanes):
    """Return the number of set bits in each lane."""

    def generate(context, builder, signature, values):
        name = f"llvm.ctpop.v{lanes.count}i{lanes.bits}"
        return _call_intrinsic(builder, name, lanes.vector, values[0])

    return lanes(lanes), generate


@extending.intrinsic
def any_nonzero(_context, lanes):
    """Return whether any lane is nonzero."""

    def generate(context, builder, signature, values):
        name = f"llvm.vector.reduce.or.v{lanes.count}i{lanes.bits}"
        found = _call_intrinsic(builder, name, ir.IntType(lanes.bits), values[0])
        return builder.icmp_unsigned("!=", found, found.type(0))

    return types.boolean(lanes), generate


@extending.intrinsic
def lane_mask(_context, lanes):
    """Return an integer with one bit per nonzero lane (at most 64 lanes)."""

    def generate(context, builder, signature, values):
        zero = ir.Constant(lanes.vector, None)
        is_set = builder.icmp_unsigned("!=", values[0], zero)
        bits = builder.bitcast(is_set, ir.IntType(lanes.count))
        return bits if lanes.count == _WORD_BITS else builder.zext(bits, ir.IntType(_WORD_BITS))

    return types.uint64(lanes), generate


@extending.intrinsic
def lowest_set_bit(_context, number):
    """Return the index of the lowest set bit, or 64 for 0."""

    def generate(context, builder, signature, values):
        return builder.cttz(values[0], ir.IntType(1)(0))

    return types.uint64(types.uint64), generate


@extending.intrinsic
def multiply_high(_context, one, other):
    """Return the upper half of each double-width product."""

    def generate(context, builder, signature, values):
        wide = ir.VectorType(ir.IntType(2 * one.bits), one.count)
        product = builder.mul(builder.zext(values[0], wide), builder.zext(values[1], wide))
        upper = builder.lshr(product, ir.Constant(wide, [one.bits] * one.count))
        return builder.trunc(upper, one.vector)

    return one(one, other), generate


@extending.intrinsic
def random_lanes(_context, array, states):
    """Return a vector of random bits for the array's type; advance the generators in `states`.

    Each 64 bits come from one xorshift64* generator, with the upper half folded into the lower.
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
        product = builder.mul(state, ir.Constant(words, [_XORSHIFT_MULTIPLIER] * count))
        mixed = builder.xor(product, builder.lshr(product, ir.Constant(words, [32] * count)))
        return builder.bitcast(mixed, kind.vector)

    return kind(array, states), generate
