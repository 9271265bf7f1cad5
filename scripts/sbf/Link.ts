/**
 * Links clang's BPF object to a Solana program (SBPF version 0), laid out as Solana's own linker does.
 *
 * Code and read-only data keep the addresses of their file offsets, which the runtime maps at 0x1_0000_0000. Addresses
 * in the code are patched here. Syscalls are left to the runtime, by name. Writable data, which a program cannot have,
 * and relocations of unknown kinds are errors.
 */
import type { ElfObject, Section, Symbol } from "./ElfObject.ts"
import { LinkError, SHF_ALLOC, SHF_WRITE } from "./ElfObject.ts"
import type { Placed } from "./ProgramFile.ts"
import { aligned, CODE_AT, programFile } from "./ProgramFile.ts"

/** The address at which the runtime maps a program. */
const PROGRAM_ADDRESS = 0x1_0000_0000

const R_BPF_64_64 = 1
const R_BPF_64_ABS64 = 2
const R_BPF_64_32 = 10

/** The register value that marks a call as one of a function in the program. */
const PSEUDO_CALL = 0x10

interface Layout {
  /** File offset by section index. */
  readonly offsets: ReadonlyMap<number, number>
  readonly code: Buffer
  readonly data: Buffer
  readonly dataAt: number
}

const layOut = (sections: ReadonlyArray<Section>): Layout => {
  const loaded = sections.map((section, index) => ({ section, index }))
    .filter(({ section }) => (section.flags & SHF_ALLOC) !== 0 && section.content.length > 0)
  const writable = loaded.find(({ section }) => (section.flags & SHF_WRITE) !== 0)
  if (writable !== undefined) throw new LinkError(`a program has no writable data: ${writable.section.name}`)
  const text = loaded.find(({ section }) => section.name === ".text")
  if (text === undefined) throw new LinkError("no code")
  const offsets = new Map([[text.index, CODE_AT]])
  const dataAt = aligned(CODE_AT + text.section.content.length, 16)
  let end = dataAt
  const rest = loaded.filter((each) => each !== text)
  for (const { index, section } of rest) {
    const offset = aligned(end, section.align)
    offsets.set(index, offset)
    end = offset + section.content.length
  }
  const data = Buffer.alloc(end - dataAt)
  for (const { index, section } of rest) data.set(section.content, (offsets.get(index) ?? dataAt) - dataAt)
  return { offsets, code: Buffer.from(text.section.content), data, dataAt }
}

const addressOf = (layout: Layout, symbol: Symbol): number => {
  const offset = layout.offsets.get(symbol.section)
  if (offset === undefined) {
    throw new LinkError(`${symbol.name === "" ? "a section" : symbol.name} is used and not in the program`)
  }
  return PROGRAM_ADDRESS + offset + symbol.value
}

/** Patches the load of an address, which is spread over two instructions. */
const patchLoad = ({ code }: Layout, at: number, address: number): void => {
  const whole = address + code.readUInt32LE(at + 4)
  code.writeUInt32LE(whole % 2 ** 32, at + 4)
  code.writeUInt32LE(Math.floor(whole / 2 ** 32), at + 12)
}

/**
 * Patches a call of a function in the program with the distance in instructions. If the symbol is a section's, the
 * instruction itself holds the offset within the section.
 */
const patchCall = ({ code }: Layout, at: number, symbol: Symbol): void => {
  const target = symbol.value + (symbol.isSection ? (code.readInt32LE(at + 4) + 1) * 8 : 0)
  code.writeInt32LE((target - at) / 8 - 1, at + 4)
  code[at + 1] = PSEUDO_CALL
}

/** The bytes of the program, and the syscalls that it calls. Throws `LinkError`. */
export const link = (
  { relocations, sections, symbols }: ElfObject
): { readonly program: Uint8Array; readonly syscalls: ReadonlyArray<string> } => {
  const layout = layOut(sections)
  const { code, data, dataAt, offsets } = layout
  const syscalls: Array<string> = []
  const calls: Array<Placed["calls"][number]> = []
  for (const { offset, section, symbol, type } of relocations) {
    const base = offsets.get(section)
    // Relocations of sections that are not loaded: debugging information.
    if (base === undefined) continue
    const inCode = base === CODE_AT
    if (inCode && type === R_BPF_64_64) patchLoad(layout, offset, addressOf(layout, symbol))
    else if (inCode && type === R_BPF_64_32 && symbol.section !== 0) patchCall(layout, offset, symbol)
    else if (inCode && type === R_BPF_64_32) {
      if (!syscalls.includes(symbol.name)) syscalls.push(symbol.name)
      code.writeInt32LE(-1, offset + 4)
      code[offset + 1] = PSEUDO_CALL
      calls.push({ at: CODE_AT + offset, syscall: syscalls.indexOf(symbol.name) })
    } else if (!inCode && type === R_BPF_64_ABS64) {
      const at = base - dataAt + offset
      data.writeBigUInt64LE(BigInt(addressOf(layout, symbol)) + data.readBigUInt64LE(at), at)
    } else throw new LinkError(`a relocation of type ${type} is not known`)
  }
  const entry = symbols.find(({ name }) => name === "entrypoint")
  if (entry === undefined) throw new LinkError("no function named entrypoint")
  return { program: programFile({ code, data, dataAt, entryAt: CODE_AT + entry.value, syscalls, calls }), syscalls }
}
