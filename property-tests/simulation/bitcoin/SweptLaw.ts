/** What is paid to deposit addresses on Bitcoin is swept, unless it is not worth twice its sweep (ADDRESS-4). */
import { Result } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { AnySlug } from "../Terms.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { headOf } from "./CoinChain.ts"
import { NETWORK, USUAL_RATE } from "./Terms.ts"

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
