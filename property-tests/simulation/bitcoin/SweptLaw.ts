/**
 * What is paid to deposit addresses on Bitcoin is swept, unless it is not worth twice its sweep (ADDRESS-4), and a sweep
 * brings all of it to the depository, less the inputs of further coins (BITCOIN-12).
 */
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { maxOf, minOf } from "../../../src/domain/money/Rounding.ts"
import type { AnySlug } from "../Terms.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { headOf, spentBy } from "./CoinChain.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { accounts, depository, funder, MOST_TIMES_DEAR, NETWORK, solver, USUAL_RATE } from "./Terms.ts"

/** Virtual bytes of a sweep of one coin, and of each further coin's input. */
const SWEEP_BYTES = { one: 286n, more: 68n } as const
/** Coins that one sweep takes. */
const MOST_SWEPT = 100

/** Satoshi, while nothing is dear. */
const costOfSweep = (coins: number): bigint =>
  (SWEEP_BYTES.one + SWEEP_BYTES.more * BigInt(Math.min(coins, MOST_SWEPT) - 1)) * USUAL_RATE / 1_000n

/** Why the run is not over: money at addresses that nobody has moved yet, as the newest block shows it. */
export const unsweptCoins = (
  chain: BitcoinChain,
  asked: ReadonlyArray<{ readonly address?: Address | undefined; readonly origin: AnySlug }>
): ReadonlyArray<string> =>
  asked.flatMap(({ address, origin }) => {
    if (address === undefined || origin !== "bitcoin") return []
    const script = Result.getOrThrow(scriptOfAddress(address, NETWORK))
    const coins = [...headOf(chain.state()).coins.values()].filter((coin) => sameBytes(coin.script, script))
    const left = coins.reduce((sum, { amount }) => sum + amount, 0n)
    return coins.length > 0 && left > 2n * costOfSweep(coins.length)
      ? [`${left} satoshi in ${coins.length} coins lie at the deposit address ${address}`]
      : []
  })

/** Virtual bytes of an output in its payer's own transaction. */
const OUTPUT_BYTES = 31n

/**
 * What a payer of several outputs may lose of them, beside the largest: a further one pays for its input, and is left
 * where it holds less than twice that (BITCOIN-12), and it makes the payer's own transaction longer. Satoshi.
 */
export const lostOfOutputs = (outputs: ReadonlyArray<bigint>): bigint => {
  const dearest = USUAL_RATE * BigInt(MOST_TIMES_DEAR)
  const most = 2n * SWEEP_BYTES.more * dearest / 1_000n
  const largest = outputs.reduce((max, each) => maxOf(max, each), 0n)
  const own = BigInt(Math.max(0, outputs.length - 1)) * OUTPUT_BYTES * dearest / 1_000n
  return own + outputs.reduce((total, each) => total + minOf(each, most), 0n) - minOf(largest, most)
}

const isOf = (script: Uint8Array, keys: ReadonlyArray<{ readonly script: Uint8Array }>): boolean =>
  keys.some((key) => sameBytes(key.script, script))

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, each) => total + each, 0n)

/**
 * Of every sweep in a block: of the largest coin all is deposited, of each further one at least half. So strangers'
 * outputs cost nobody anything, and what the solver adds for the fee is its own.
 */
export const lostBySweeps = (chain: BitcoinChain): ReadonlyArray<string> => {
  const state = chain.state()
  const lostBy = (transaction: CoinTransaction): ReadonlyArray<string> => {
    if (isCoinbase(transaction)) return []
    const swept = (spentBy(state, transaction) ?? []).filter(({ script }) =>
      !isOf(script, [solver, depository, funder, ...accounts])
    ).map(({ amount }) => amount)
    if (swept.length === 0) return []
    const { id, outputs } = transaction
    const brought = sum(outputs.filter(({ script }) => isOf(script, [depository])).map(({ amount }) => amount))
    const largest = swept.reduce((most, each) => each > most ? each : most)
    const least = largest + (sum(swept) - largest) / 2n
    return brought < least ? [`the sweep ${id} brings ${brought} of ${sum(swept)} in ${swept.length} coins`] : []
  }
  return state.blocks.slice(1).flatMap(({ transactions }) => transactions.flatMap(lostBy))
}
