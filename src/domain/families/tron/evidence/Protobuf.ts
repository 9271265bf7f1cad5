/**
 * Reads the fields of a protobuf message, as far as Tron's transactions need them: numbers and bytes. Pure, total,
 * linear.
 *
 * SECURITY: reads as Tron's own nodes do. The last occurrence of a field counts, a field with the wrong wire type is
 * unknown, and unknown fields (groups too) are skipped. `undefined` means that no node accepts the message.
 */

interface ProtobufField {
  readonly number: number
  /** A number or bytes. Fixed-width fields are skipped. */
  readonly value: bigint | Uint8Array
}

const MOST_VARINT = 10

interface Varint {
  readonly value: bigint
  readonly end: number
}

const varintAt = (bytes: Uint8Array, at: number): Varint | undefined => {
  let value = 0n
  for (let read = 0; read < MOST_VARINT; read++) {
    const byte = bytes[at + read]
    if (byte === undefined) return undefined
    value |= BigInt(byte & 0x7f) << BigInt(7 * read)
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: at + read + 1 }
  }
  return undefined
}

const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/** All fields, in order. */
export const protobufFields = (bytes: Uint8Array): ReadonlyArray<ProtobufField> | undefined => {
  const fields: Array<ProtobufField> = []
  /** Field numbers of the open groups. */
  const groups: Array<number> = []
  let at = 0
  while (at < bytes.length) {
    const tag = varintAt(bytes, at)
    if (tag === undefined) return undefined
    const low = Number(BigInt.asUintN(32, tag.value))
    const [number, type] = [low >>> 3, low & 7]
    if (number === 0) return undefined
    at = tag.end
    if (type === 3) groups.push(number)
    else if (type === 4) {
      if (groups.pop() !== number) return undefined
    } else if (type === 0 || type === 2) {
      const head = varintAt(bytes, at)
      if (head === undefined) return undefined
      at = head.end
      const end = type === 0 ? at : at + Number(head.value)
      if (end > bytes.length) return undefined
      if (groups.length === 0) fields.push({ number, value: type === 0 ? head.value : bytes.subarray(at, end) })
      at = end
    } else {
      const width = FIXED[type]
      if (width === undefined || at + width > bytes.length) return undefined
      at += width
    }
  }
  return groups.length === 0 ? fields : undefined
}

type Fields = ReadonlyArray<ProtobufField>

const isBytes = (value: bigint | Uint8Array): value is Uint8Array => typeof value !== "bigint"
const isNumber = (value: bigint | Uint8Array): value is bigint => typeof value === "bigint"

const allOf = <A extends bigint | Uint8Array>(
  fields: Fields,
  number: number,
  is: (value: bigint | Uint8Array) => value is A
): ReadonlyArray<A> => fields.flatMap((field) => field.number === number && is(field.value) ? [field.value] : [])

/** Every occurrence of a bytes field. */
export const manyBytes = (fields: Fields, number: number): ReadonlyArray<Uint8Array> => allOf(fields, number, isBytes)

/** Empty when absent, as in protobuf. */
export const bytesField = (fields: Fields, number: number): Uint8Array =>
  manyBytes(fields, number).at(-1) ?? new Uint8Array(0)

/** A signed 64-bit number. Zero when absent. */
export const intField = (fields: Fields, number: number): bigint =>
  BigInt.asIntN(64, allOf(fields, number, isNumber).at(-1) ?? 0n)
