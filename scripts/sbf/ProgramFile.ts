/**
 * The ELF file of a Solana program: code, read-only data, and the dynamic sections by which the runtime finds the
 * syscalls. The address of a section is its file offset, which the runtime's loader requires.
 */

const HEADER = 64
const PROGRAM_HEADER = 56
const SECTION_HEADER = 64
const SEGMENTS = 3

/** The file offset at which the code begins. */
export const CODE_AT = HEADER + PROGRAM_HEADER * SEGMENTS

const SYMBOL = 24
const RELOCATION = 16
const R_BPF_64_32 = 10
const MACHINE_BPF = 247
const TYPE_DYNAMIC = 3

export const aligned = (offset: number, to: number): number => Math.ceil(offset / to) * to

export interface Placed {
  readonly code: Uint8Array
  readonly data: Uint8Array
  readonly dataAt: number
  readonly entryAt: number
  readonly syscalls: ReadonlyArray<string>
  /** The file offset of each syscall's call, and the syscall's index. */
  readonly calls: ReadonlyArray<{ readonly at: number; readonly syscall: number }>
}

/** Concatenates numbers, each in the given number of bytes. */
const packed = (...fields: ReadonlyArray<readonly [value: number, bytes: 1 | 2 | 4 | 8]>): Uint8Array => {
  const buffer = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0))
  let at = 0
  for (const [value, bytes] of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}

/** An empty name and then all names, each ended by a zero; and the offset of each name. */
const nameTable = (names: ReadonlyArray<string>) => {
  const starts: Array<number> = []
  let text = "\0"
  for (const name of names) {
    starts.push(text.length)
    text += `${name}\0`
  }
  return { bytes: Buffer.from(text, "latin1"), starts }
}

const segment = (type: number, flags: number, at: number, size: number) =>
  packed([type, 4], [flags, 4], [at, 8], [at, 8], [at, 8], [size, 8], [size, 8], [8, 8])

interface Part {
  readonly name: string
  readonly type: number
  readonly flags: number
  readonly at: number
  readonly content: Uint8Array
  readonly link?: number
  readonly info?: number
  readonly entry?: number
}

const GLOBAL_FUNCTION = 0x10

export const programFile = ({ calls, code, data, dataAt, entryAt, syscalls }: Placed): Uint8Array => {
  const names = nameTable(syscalls)
  const symbols = Buffer.concat([
    new Uint8Array(SYMBOL),
    ...names.starts.map((start) => packed([start, 4], [GLOBAL_FUNCTION, 1], [0, 1], [0, 2], [0, 8], [0, 8]))
  ])
  const relocations = Buffer.concat(calls.map(({ at, syscall }) => packed([at, 8], [R_BPF_64_32, 4], [syscall + 1, 4])))
  const dynamicAt = aligned(dataAt + data.length, 8)
  const symbolsAt = dynamicAt + 8 * 16
  const namesAt = symbolsAt + symbols.length
  const relocationsAt = aligned(namesAt + names.bytes.length, 8)
  const dynamic = Buffer.concat(([
    [6, symbolsAt],
    [11, SYMBOL],
    [5, namesAt],
    [10, names.bytes.length],
    [17, relocationsAt],
    [18, relocations.length],
    [19, RELOCATION],
    [0, 0]
  ] as const).map(([tag, value]) => packed([tag, 8], [value, 8])))
  const readable: ReadonlyArray<Part> = [
    { name: ".text", type: 1, flags: 6, at: CODE_AT, content: code },
    { name: ".rodata", type: 1, flags: 2, at: dataAt, content: data },
    { name: ".dynamic", type: 6, flags: 3, at: dynamicAt, content: dynamic, link: 5, entry: 16 },
    { name: ".dynsym", type: 11, flags: 2, at: symbolsAt, content: symbols, link: 5, info: 1, entry: SYMBOL },
    { name: ".dynstr", type: 3, flags: 2, at: namesAt, content: names.bytes },
    { name: ".rel.dyn", type: 9, flags: 2, at: relocationsAt, content: relocations, link: 4, entry: RELOCATION }
  ]
  const sectionNames = nameTable([...readable.map(({ name }) => name), ".shstrtab"])
  const namesEnd = relocationsAt + relocations.length
  const parts: ReadonlyArray<Part> = [...readable, {
    name: ".shstrtab",
    type: 3,
    flags: 0,
    at: namesEnd,
    content: sectionNames.bytes
  }]
  const tableAt = aligned(namesEnd + sectionNames.bytes.length, 8)
  const table = Buffer.concat([
    new Uint8Array(SECTION_HEADER),
    ...parts.map((part, index) =>
      packed(
        [sectionNames.starts[index] ?? 0, 4],
        [part.type, 4],
        [part.flags, 8],
        [(part.flags & 2) === 0 ? 0 : part.at, 8],
        [part.at, 8],
        [part.content.length, 8],
        [part.link ?? 0, 4],
        [part.info ?? 0, 4],
        [part.name === ".shstrtab" || part.name === ".dynstr" ? 1 : 8, 8],
        [part.entry ?? 0, 8]
      )
    )
  ])
  const header = Buffer.concat([
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    packed([TYPE_DYNAMIC, 2], [MACHINE_BPF, 2], [1, 4], [entryAt, 8], [HEADER, 8], [tableAt, 8], [0, 4], [HEADER, 2], [
      PROGRAM_HEADER,
      2
    ]),
    packed([SEGMENTS, 2], [SECTION_HEADER, 2], [parts.length + 1, 2], [parts.length, 2]),
    segment(1, 5, CODE_AT, code.length),
    segment(1, 4, dataAt, namesEnd - dataAt),
    segment(2, 6, dynamicAt, dynamic.length)
  ])
  const file = Buffer.alloc(tableAt + table.length)
  file.set(header)
  for (const { at, content } of parts) file.set(content, at)
  file.set(table, tableAt)
  return file
}
