/**
 * Reads an ELF object file of clang's BPF target: sections, symbols, relocations. 64 bit, little-endian; nothing else.
 */

export interface Section {
  readonly name: string
  readonly type: number
  readonly flags: number
  readonly align: number
  readonly content: Uint8Array
  /** For a section of relocations: the section that they apply to. */
  readonly target: number
}

export interface Symbol {
  readonly name: string
  /** The section that contains the symbol; 0 when it is not in this file. */
  readonly section: number
  readonly value: number
  readonly isSection: boolean
}

interface Relocation {
  readonly section: number
  readonly offset: number
  readonly type: number
  readonly symbol: Symbol
}

export interface ElfObject {
  readonly sections: ReadonlyArray<Section>
  readonly symbols: ReadonlyArray<Symbol>
  readonly relocations: ReadonlyArray<Relocation>
}

export const SHF_WRITE = 1
export const SHF_ALLOC = 2

const SHT_SYMTAB = 2
const SHT_NOBITS = 8
const SHT_REL = 9
const STT_SECTION = 3

const SECTION_HEADER = 64
const SYMBOL = 24
const RELOCATION = 16

export class LinkError extends Error {}

const long = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at))

const textAt = (bytes: Uint8Array, from: number): string => {
  const end = bytes.indexOf(0, from)
  return Buffer.from(bytes.subarray(from, end < 0 ? undefined : end)).toString("latin1")
}

const entries = (content: Uint8Array, size: number): ReadonlyArray<Buffer> =>
  Array.from(
    { length: Math.floor(content.length / size) },
    (_, index) => Buffer.from(content.subarray(index * size, (index + 1) * size))
  )

const at = <A>(list: ReadonlyArray<A>, index: number, what: string): A => {
  const found = list[index]
  if (found === undefined) throw new LinkError(`the object file names ${what} ${index}, which it does not have`)
  return found
}

/** The parsed object file. Throws `LinkError` for any other kind of file. */
export const readObject = (file: Uint8Array): ElfObject => {
  const bytes = Buffer.from(file)
  if (bytes.toString("latin1", 0, 6) !== "\u007fELF\u0002\u0001") {
    throw new LinkError("no little-endian 64-bit ELF file")
  }
  const headers = entries(
    bytes.subarray(long(bytes, 40), long(bytes, 40) + bytes.readUInt16LE(60) * SECTION_HEADER),
    SECTION_HEADER
  )
  const contentOf = (header: Buffer) =>
    header.readUInt32LE(4) === SHT_NOBITS
      ? new Uint8Array(long(header, 32))
      : bytes.subarray(long(header, 24), long(header, 24) + long(header, 32))
  const names = contentOf(at(headers, bytes.readUInt16LE(62), "section"))
  const sections = headers.map((header): Section => ({
    name: textAt(names, header.readUInt32LE(0)),
    type: header.readUInt32LE(4),
    flags: long(header, 8),
    align: Math.max(1, long(header, 48)),
    content: contentOf(header),
    target: header.readUInt32LE(44)
  }))
  const table = sections.findIndex(({ type }) => type === SHT_SYMTAB)
  const strings = contentOf(at(headers, at(headers, table, "section").readUInt32LE(40), "section"))
  const symbols = entries(at(sections, table, "section").content, SYMBOL).map((entry): Symbol => ({
    name: textAt(strings, entry.readUInt32LE(0)),
    section: entry.readUInt16LE(6),
    value: long(entry, 8),
    isSection: ((entry[4] ?? 0) & 15) === STT_SECTION
  }))
  const relocations = sections.filter(({ type }) => type === SHT_REL).flatMap(({ content, target }) =>
    entries(content, RELOCATION).map((entry): Relocation => ({
      section: target,
      offset: long(entry, 0),
      type: entry.readUInt32LE(8),
      symbol: at(symbols, entry.readUInt32LE(12), "symbol")
    }))
  )
  return { sections, symbols, relocations }
}
