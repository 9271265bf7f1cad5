/**
 * Strict Ethereum ABI encoding, for the few shapes of the protocol, without a general library.
 *
 * Guarantee: decoding accepts the canonical encoding only (offsets in order, zero padding, no trailing bytes, no dirty
 * bits), so a value has one encoding. It takes linear time and never throws. Not for the contract calls of adapters,
 * which use viem.
 */
import * as Result from "effect/Result"
import { type AbiType, concat, type Decoded, invalid, type InvalidAbi, lengthAt } from "./AbiValue.ts"
import { type Hex, hexFromBytes, hexToBytes } from "./Hex.ts"
import { word } from "./StructHash.ts"

export { abiAddress, abiBool, abiBytes, abiBytes32, abiString, type AbiType, abiUint, InvalidAbi } from "./AbiValue.ts"

interface Part {
  readonly dynamic: boolean
  readonly body: Uint8Array
}

/** Lays values out one after the other: heads first, then the dynamic tails in order. */
const layOut = (parts: ReadonlyArray<Part>): Uint8Array => {
  let offset = parts.reduce((sum, part) => sum + (part.dynamic ? 32 : part.body.length), 0)
  const heads: Array<Uint8Array> = []
  const tails: Array<Uint8Array> = []
  for (const { body, dynamic } of parts) {
    heads.push(dynamic ? word(BigInt(offset)) : body)
    if (!dynamic) continue
    tails.push(body)
    offset += body.length
  }
  return concat([...heads, ...tails])
}

/**
 * Reads values that were laid out from `base` on. An offset must point to the end of the last tail, so nothing
 * overlaps, nothing is skipped and no input is read twice.
 */
const makeReader = (data: Uint8Array, base: number, headSize: number) => {
  let head = base
  let tail = base + headSize
  return {
    next: <A>(type: AbiType<A>): Result.Result<A, InvalidAbi> => {
      if (!type.dynamic) {
        const read = type.decode(data, head)
        head += type.headSize
        return Result.map(read, (decoded) => decoded.value)
      }
      if (head + 32 > data.length) return invalid("too short")
      const expected = word(BigInt(tail - base))
      if (!expected.every((byte, index) => byte === data[head + index])) return invalid("an offset out of order")
      head += 32
      const read = type.decode(data, tail)
      if (Result.isFailure(read)) return Result.fail(read.failure)
      tail = read.success.end
      return Result.succeed(read.success.value)
    },
    end: () => tail
  }
}

/** A tuple of named components, in encoding order. */
export const abiTuple = <T extends { readonly [name: string]: unknown }>(
  components: { readonly [K in keyof T]: AbiType<T[K]> }
): AbiType<T> => {
  const types: ReadonlyArray<AbiType<T[keyof T]>> = Object.values(components)
  const headSize = types.reduce((sum, type) => sum + type.headSize, 0)
  const dynamic = types.some((type) => type.dynamic)
  const isComplete = (value: Partial<T>): value is T => Object.keys(components).every((name) => name in value)
  return {
    dynamic,
    headSize: dynamic ? 32 : headSize,
    encode: (value) => {
      const parts: Array<Part> = []
      for (const name in components) {
        const type = components[name]
        const body = type.encode(value[name])
        if (Result.isFailure(body)) return Result.fail(body.failure)
        parts.push({ dynamic: type.dynamic, body: body.success })
      }
      return Result.succeed(layOut(parts))
    },
    decode: (data, at): Result.Result<Decoded<T>, InvalidAbi> => {
      const reader = makeReader(data, at, headSize)
      const value: Partial<T> = {}
      for (const name in components) {
        const read = reader.next(components[name])
        if (Result.isFailure(read)) return Result.fail(read.failure)
        value[name] = read.success
      }
      return isComplete(value) ? Result.succeed({ value, end: reader.end() }) : invalid("a missing component")
    }
  }
}

/** An array of any length. */
export const abiArray = <A>(element: AbiType<A>): AbiType<ReadonlyArray<A>> => ({
  dynamic: true,
  headSize: 32,
  encode: (values) => {
    const parts: Array<Part> = []
    for (const value of values) {
      const body = element.encode(value)
      if (Result.isFailure(body)) return Result.fail(body.failure)
      parts.push({ dynamic: element.dynamic, body: body.success })
    }
    return Result.succeed(concat([word(BigInt(values.length)), layOut(parts)]))
  },
  decode: (data, at) => {
    // Each element takes at least its head, so a count beyond the data is refused before any work.
    const count = lengthAt(data, at)
    if (count === undefined || count * element.headSize > data.length - at - 32) {
      return invalid("an array beyond the end")
    }
    const reader = makeReader(data, at + 32, count * element.headSize)
    const values: Array<A> = []
    for (let index = 0; index < count; index++) {
      const read = reader.next(element)
      if (Result.isFailure(read)) return Result.fail(read.failure)
      values.push(read.success)
    }
    return Result.succeed({ value: values, end: reader.end() })
  }
})

/** `abi.encode` of the components of a tuple, without an offset in front. */
export const encodeAbi = <A>(type: AbiType<A>, value: A): Result.Result<Hex, InvalidAbi> =>
  Result.map(type.encode(value), hexFromBytes)

/** The inverse of `encodeAbi`. Anything but the canonical encoding is an error. */
export const decodeAbi = <A>(type: AbiType<A>, hex: Hex): Result.Result<A, InvalidAbi> => {
  const data = hexToBytes(hex)
  const read = type.decode(data, 0)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  return read.success.end === data.length ? Result.succeed(read.success.value) : invalid("bytes after the end")
}
