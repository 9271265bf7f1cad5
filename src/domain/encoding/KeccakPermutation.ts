/**
 * The permutation keccak-f[1600], in WebAssembly: its 64-bit lanes are single instructions there, where JavaScript takes
 * several for each, so it is ten times as fast as @noble/hashes. The program, some 1,500 bytes, is written here from the
 * standard (FIPS 202, 3.2); a test compares the hashes with @noble/hashes.
 */

/** What is used of it: neither Node's types nor ours declare it. */
declare const WebAssembly: {
  readonly Module: new(bytes: Uint8Array) => object
  /** The exports are those of the program below. */
  readonly Instance: new(module: object) => {
    readonly exports: { readonly f: () => void; readonly m: { readonly buffer: ArrayBuffer } }
  }
}

/** Lanes of the state. Lane (x, y) is at x + 5y. */
const LANES = 25
const ROUNDS = 24
const LANE_BYTES = 8
/** The round constants are behind the state. */
const CONSTANTS_AT = LANES * LANE_BYTES

// Instructions, and the types of values.
const [LOOP, BR_IF, END, GET, SET, TEE] = [0x03, 0x0d, 0x0b, 0x20, 0x21, 0x22]
const [I64_LOAD, I64_STORE, I32_CONST, I64_CONST] = [0x29, 0x37, 0x41, 0x42]
const [I32_NE, I32_ADD, I64_AND, I64_XOR, I64_ROTL] = [0x47, 0x6a, 0x83, 0x85, 0x89]
const [I32, I64, NOTHING] = [0x7f, 0x7e, 0x40]

/** A whole number that is not negative, as LEB128. */
const unsigned = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)]

/** The same as a signed constant: another byte where the sign's bit would be set. */
const signed = (value: number): ReadonlyArray<number> =>
  value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)]

const MINUS_ONE = [0x7f]

// The locals: the offset of a round's constant, the lanes, five columns, and the lane that is carried by rho and pi.
const [OFFSET, FIRST_LANE] = [0, 1]
const FIRST_COLUMN = FIRST_LANE + LANES
const CARRIED = FIRST_COLUMN + 5
const NEXT = CARRIED + 1

const get = (local: number) => [GET, ...unsigned(local)]
const set = (local: number) => [SET, ...unsigned(local)]
const lane = (x: number, y: number) => FIRST_LANE + (x % 5) + 5 * y
const column = (x: number) => FIRST_COLUMN + (x % 5)
const five = [0, 1, 2, 3, 4]
const each = (write: (x: number) => ReadonlyArray<number>) => five.flatMap(write)

const theta = [
  ...each((x) => [
    ...get(lane(x, 0)),
    ...[1, 2, 3, 4].flatMap((y) => [...get(lane(x, y)), I64_XOR]),
    ...set(column(x))
  ]),
  ...each((x) => [
    ...get(column(x + 4)),
    ...get(column(x + 1)),
    I64_CONST,
    ...signed(1),
    I64_ROTL,
    I64_XOR,
    ...set(CARRIED),
    ...each((y) => [...get(lane(x, y)), ...get(CARRIED), I64_XOR, ...set(lane(x, y))])
  ])
]

/** Each lane moves to the next place of a walk from (1, 0), rotated by the next triangular number. */
const rhoAndPi = (): ReadonlyArray<number> => {
  const code = [...get(lane(1, 0)), ...set(CARRIED)]
  let [x, y] = [1, 0]
  for (let step = 1; step < LANES; step += 1) {
    ;[x, y] = [y, (2 * x + 3 * y) % 5]
    const rotation = (step * (step + 1) / 2) % 64
    code.push(...get(lane(x, y)), ...set(NEXT))
    code.push(...get(CARRIED), I64_CONST, ...signed(rotation), I64_ROTL, ...set(lane(x, y)))
    code.push(...get(NEXT), ...set(CARRIED))
  }
  return code
}

const chi = each((y) => [
  ...each((x) => [...get(lane(x, y)), ...set(column(x))]),
  ...each((x) => [
    ...get(column(x)),
    ...[...get(column(x + 1)), I64_CONST, ...MINUS_ONE, I64_XOR],
    ...get(column(x + 2)),
    I64_AND,
    I64_XOR,
    ...set(lane(x, y))
  ])
])

/** The constant of the round. Its offset counts from behind the state. */
const iota = [...get(lane(0, 0)), ...get(OFFSET), I64_LOAD, 3, ...unsigned(CONSTANTS_AT), I64_XOR, ...set(lane(0, 0))]

const all = Array.from({ length: LANES }, (_, index) => index)

const program = [
  ...all.flatMap((at) => [I32_CONST, 0, I64_LOAD, 3, ...unsigned(at * LANE_BYTES), ...set(FIRST_LANE + at)]),
  ...[LOOP, NOTHING, ...theta, ...rhoAndPi(), ...chi, ...iota],
  ...[...get(OFFSET), I32_CONST, ...signed(LANE_BYTES), I32_ADD, TEE, ...unsigned(OFFSET)],
  ...[I32_CONST, ...signed(ROUNDS * LANE_BYTES), I32_NE, BR_IF, 0, END],
  ...all.flatMap((at) => [I32_CONST, 0, ...get(FIRST_LANE + at), I64_STORE, 3, ...unsigned(at * LANE_BYTES)]),
  END
]

const locals = [2, 1, I32, ...unsigned(LANES + 7), I64]

const section = (id: number, content: ReadonlyArray<number>) => [id, ...unsigned(content.length), ...content]

/** One function "f" without parameters, over one page of memory "m". */
const wasm = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 0, 0]),
  ...section(3, [1, 0]),
  ...section(5, [1, 0, 1]),
  ...section(7, [2, 1, 0x66, 0, 0, 1, 0x6d, 2, 0]),
  ...section(10, [1, ...unsigned(locals.length + program.length), ...locals, ...program])
])

/** The 24 constants, from the standard's shift register. */
const roundConstants = (): ReadonlyArray<bigint> => {
  let register = 1
  return Array.from({ length: ROUNDS }, () => {
    let constant = 0n
    for (let bit = 0; bit < 7; bit += 1) {
      if ((register & 1) === 1) constant |= 1n << ((1n << BigInt(bit)) - 1n)
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    }
    return constant
  })
}

export interface Permutation {
  /** The state: 200 bytes, each lane little-endian. */
  readonly state: Uint8Array
  readonly permute: () => void
}

/** Undefined where WebAssembly is missing or forbidden, as by the policy of a page. */
export const makePermutation = (): Permutation | undefined => {
  try {
    const { f: permute, m: memory } = new WebAssembly.Instance(new WebAssembly.Module(wasm)).exports
    const view = new DataView(memory.buffer)
    for (const [round, constant] of roundConstants().entries()) {
      view.setBigUint64(CONSTANTS_AT + round * LANE_BYTES, constant, true)
    }
    return { state: new Uint8Array(memory.buffer, 0, CONSTANTS_AT), permute }
  } catch {
    return undefined
  }
}
