/**
 * The least that an output may hold: nodes relay no transaction with an output that costs more to spend than a third of
 * its amount (Core's `GetDustThreshold` at its default of 3 satoshi a byte).
 */
import { writeCompactSize } from "../ByteReader.ts"

/** Satoshi a byte, of nodes that relay with default settings. */
const DUST_RATE = 3
/** The input that would spend it: of a witness program, and of every other script. */
const SPENT_BY_WITNESS = 67
const SPENT_BY_SCRIPT = 148

const isWitnessProgram = (script: Uint8Array): boolean => {
  const [version, size] = script
  if (version === undefined || script.length < 4 || script.length > 42) return false
  return (version === 0 || (version >= 0x51 && version <= 0x60)) && size === script.length - 2
}

/** Satoshi: an output to this script below it is dust. Zero for OP_RETURN, which nobody spends. */
export const dustOf = (script: Uint8Array): bigint => {
  if (script[0] === 0x6a) return 0n
  const size = 8 + writeCompactSize(script.length).length + script.length
  return BigInt(DUST_RATE * (size + (isWitnessProgram(script) ? SPENT_BY_WITNESS : SPENT_BY_SCRIPT)))
}
