/**
 * A cursor over Bitcoin's serialization. It never throws: `undefined` means that the bytes end too early, or that a
 * compact size is not in its shortest form.
 */

export interface ByteReader {
  readonly take: (size: number) => Uint8Array | undefined
  readonly uint32: () => number | undefined
  readonly int64: () => bigint | undefined
  /** A length or count. Never more than the bytes left, so an attacker cannot force large allocations. */
  readonly compactSize: () => number | undefined
  /** The number of bytes left. */
  readonly left: () => number
  readonly isAtEnd: () => boolean
}

/** Reads from the start of the bytes, each once. */
export const makeByteReader = (data: Uint8Array): ByteReader => {
  let at = 0
  const take = (size: number): Uint8Array | undefined => {
    if (size > data.length - at) return undefined
    at += size
    return data.slice(at - size, at)
  }
  const uint = (size: number): bigint | undefined => {
    const bytes = take(size)
    return bytes?.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  }
  const number = (size: number): number | undefined => {
    const value = uint(size)
    return value === undefined ? undefined : Number(value)
  }
  return {
    take,
    uint32: () => number(4),
    int64: () => {
      const value = uint(8)
      return value === undefined ? undefined : BigInt.asIntN(64, value)
    },
    compactSize: () => {
      const first = number(1)
      if (first === undefined || first < 0xfd) return first
      const value = number(first === 0xfd ? 2 : first === 0xfe ? 4 : 8)
      const least = first === 0xfd ? 0xfd : first === 0xfe ? 0x1_0000 : 0x1_0000_0000
      return value === undefined || value < least || value > data.length - at ? undefined : value
    },
    left: () => data.length - at,
    isAtEnd: () => at === data.length
  }
}

/** Reads a length, then that many bytes. */
export const readSized = (reader: ByteReader): Uint8Array | undefined => {
  const size = reader.compactSize()
  return size === undefined ? undefined : reader.take(size)
}

/** Reads a count, then that many elements with `read`. */
export const readMany = <A>(
  reader: ByteReader,
  read: (reader: ByteReader) => A | undefined
): ReadonlyArray<A> | undefined => {
  const count = reader.compactSize()
  if (count === undefined) return undefined
  const all: Array<A> = []
  for (let at = 0; at < count; at++) {
    const one = read(reader)
    if (one === undefined) return undefined
    all.push(one)
  }
  return all
}

/** The shortest form of a length or a count below 2^32. */
export const writeCompactSize = (value: number): Uint8Array => {
  if (value < 0xfd) return Uint8Array.of(value)
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >>> 8)
  return Uint8Array.of(0xfe, value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24)
}
