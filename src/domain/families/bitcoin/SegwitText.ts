/**
 * Witness programs as text: bech32 for version 0 (BIP-173), bech32m for 1 to 16 (BIP-350).
 *
 * Lower case is canonical. All upper case is the same address. Mixed case is invalid. `undefined` means that there is
 * no valid witness program with this prefix.
 */
import { bech32, bech32m } from "@scure/base"

/** What a bech32 or bech32m address stands for (BIP-141). */
export interface WitnessProgram {
  /** 0 to 16. */
  readonly version: number
  /** 2 to 40 bytes. 20 or 32 for version 0. */
  readonly program: Uint8Array
}

const isValid = ({ program, version }: WitnessProgram): boolean =>
  version === 0
    ? program.length === 20 || program.length === 32
    : version <= 16 && program.length >= 2 && program.length <= 40

/** The witness program of a text with the given human-readable prefix. */
export const readSegwit = (text: string, prefix: string): WitnessProgram | undefined => {
  if (text.length > 90) return undefined
  const decoded = bech32.decodeUnsafe(text, 90)
  const coder = decoded === undefined ? bech32m : bech32
  const found = decoded ?? bech32m.decodeUnsafe(text, 90)
  if (found === undefined || found.prefix !== prefix) return undefined
  const version = found.words[0]
  if (version === undefined || (version === 0) !== (coder === bech32)) return undefined
  const program = coder.fromWordsUnsafe(found.words.slice(1))
  if (program === undefined) return undefined
  const witness = { version, program: Uint8Array.from(program) }
  return isValid(witness) ? witness : undefined
}

/** The canonical text of a witness program. `undefined` for a program that no address can hold. */
export const writeSegwit = (witness: WitnessProgram, prefix: string): string | undefined => {
  if (!isValid(witness)) return undefined
  const coder = witness.version === 0 ? bech32 : bech32m
  return coder.encode(prefix, [witness.version, ...coder.toWords(witness.program)], 90)
}
