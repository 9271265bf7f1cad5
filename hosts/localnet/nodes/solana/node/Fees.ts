/** The fee of a message: 5,000 lamports for each signature, including those for precompiles, and its priority fee. */
import type { Submitted } from "./Submitted.ts"
import { instructionsOf } from "./Submitted.ts"

const LAMPORTS_PER_SIGNATURE = 5000n
const computeBudget = "ComputeBudget111111111111111111111111111111"
const precompiles: ReadonlyArray<string> = [
  "Ed25519SigVerify111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "Secp256r1SigVerify1111111111111111111111111"
]
const UNITS_PER_INSTRUCTION = 200_000n
const UNITS_PER_BUILTIN = 3_000n
const builtins: ReadonlyArray<string> = [
  "11111111111111111111111111111111",
  "Vote111111111111111111111111111111111111111",
  "BPFLoaderUpgradeab1e11111111111111111111111"
]

type Message = Submitted["message"]

/** The price in micro-lamports for each unit, and the number of units. */
const budgetOf = (message: Message): { readonly price: bigint; readonly units: bigint } => {
  let price = 0n
  let limit: bigint | undefined
  let standard = 0n
  for (const { data: bytes, program } of instructionsOf(message)) {
    const view = new DataView(bytes.buffer)
    if (program === computeBudget && bytes[0] === 2 && bytes.length === 5) limit = BigInt(view.getUint32(1, true))
    if (program === computeBudget && bytes[0] === 3 && bytes.length === 9) price = view.getBigUint64(1, true)
    const builtin = program === computeBudget || precompiles.includes(program ?? "") || builtins.includes(program ?? "")
    standard += builtin ? UNITS_PER_BUILTIN : UNITS_PER_INSTRUCTION
  }
  const units = limit ?? standard
  return { price, units: units > 1_400_000n ? 1_400_000n : units }
}

/**
 * The first two bits of the mask are for the fee, in lamports for the whole transaction. Its value comes first (the proposal SIMD 0385).
 */
const priorityOf = (message: Message): bigint => {
  if (message.version === 1) {
    const [value] = message.configValues
    return (message.configMask & 3) === 3 && value?.kind === "u64" ? value.value : 0n
  }
  const { price, units } = budgetOf(message)
  return (price * units + 999_999n) / 1_000_000n
}

export const feeOf = (message: Message): bigint => {
  const verified = instructionsOf(message)
    .filter(({ program }) => precompiles.includes(program ?? ""))
    .reduce((count, { data }) => count + BigInt(data[0] ?? 0), 0n)
  const signatures = BigInt(message.header.numSignerAccounts) + verified
  return signatures * LAMPORTS_PER_SIGNATURE + priorityOf(message)
}
