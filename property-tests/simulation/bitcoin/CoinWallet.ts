/**
 * Wallets on the simulated Bitcoin chain. Each pays with coins in blocks that it has not spent yet, and sends a
 * transaction again until it is final, or another one has taken its coins.
 */
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Result } from "effect"
import type { BtcOutput } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { readPsbt } from "../../../src/domain/families/bitcoin/Psbt.ts"
import { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { fundOutputs } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import type { Coin } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { spendingIn } from "../../../src/domain/families/bitcoin/steps/ReadCoins.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { BLOCK_MS } from "../Terms.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { headOf } from "./CoinChain.ts"
import type { ChainState } from "./CoinChain.ts"
import { signedBy } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { depository, FINAL_AFTER } from "./Terms.ts"
import type { CoinKey } from "./Terms.ts"

/** An output that says a text and holds nothing. */
export const noteOf = (text: string): BtcOutput => {
  const data = utf8ToBytes(text)
  return { script: concatBytes(Uint8Array.of(0x6a, data.length), data), amount: 0n }
}

/** What a payment of a quote is made of. */
export const outputsOf = (amount: bigint, memo: string): ReadonlyArray<BtcOutput> => [
  { script: depository.script, amount },
  noteOf(memo)
]

export interface ToSign {
  readonly by: CoinKey
  readonly outputs: ReadonlyArray<BtcOutput>
  /** What the quote asks to sign. Signed as it is, unless one of its coins was spent since. */
  readonly psbt?: string | undefined
}

export interface CoinWallet {
  /** Undefined when the owner's coins do not suffice. */
  readonly sign: (to: ToSign) => CoinTransaction | undefined
  /** Spends the same coins to their owner, for a fee that replaces the first transaction. */
  readonly takeBack: (by: CoinKey, transaction: CoinTransaction) => CoinTransaction
}

const sum = (coins: ReadonlyArray<Coin>): bigint => coins.reduce((total, { amount }) => total + amount, 0n)

export const makeCoinWallet = (chain: BitcoinChain): CoinWallet => {
  const used = new Set<string>()
  const free = (script: Uint8Array): ReadonlyArray<Coin> =>
    [...headOf(chain.state()).coins.values()].filter((coin) =>
      sameBytes(coin.script, script) && !used.has(coinName(coin))
    )

  /** The quote's own coins and outputs, while they can be spent. */
  const asAsked = (script: Uint8Array, text: string) => {
    const psbt = readPsbt(hexToBytes(text))
    const spending = psbt === undefined ? undefined : spendingIn(psbt, script)
    if (psbt === undefined || spending === undefined) return undefined
    const names = new Set(free(script).map(coinName))
    return spending.coins.every((coin) => names.has(coinName(coin)))
      ? { coins: spending.coins, outputs: psbt.transaction.outputs }
      : undefined
  }

  return {
    sign: ({ by: key, outputs, psbt }) => {
      const funded = fundOutputs({
        coins: free(key.script),
        kind: "P2WPKH",
        outputs,
        change: key.script,
        rate: FeeRate(chain.state().rate)
      })
      const spending = (psbt === undefined ? undefined : asAsked(key.script, psbt)) ?? Result.getOrUndefined(funded)
      if (spending === undefined) return undefined
      spending.coins.forEach((coin) => used.add(coinName(coin)))
      return signedBy(key, spending.coins, spending.outputs)
    },
    takeBack: (key, { inputs, outputs, virtualBytes }) => {
      const { known } = chain.state()
      const coins = inputs.map((input) => ({
        ...input,
        amount: known.get(input.transactionId)?.outputs[input.index]?.amount ?? 0n
      }))
      const paid = sum(coins) - outputs.reduce((total, { amount }) => total + amount, 0n)
      const fee = paid * 2n + BigInt(virtualBytes) * 2n
      return signedBy(key, coins, [{ script: key.script, amount: sum(coins) - fee }])
    }
  }
}

/** The height of the newest final block. */
const finalHeight = (state: ChainState): number => headOf(state).height - FINAL_AFTER

/** Whether nothing can change any more what became of a transaction: it, or another one of its coins, is final. */
export const isSettled = (state: ChainState, { id, inputs }: CoinTransaction): boolean => {
  const { places, spenders } = headOf(state)
  return [id, ...inputs.map((coin) => spenders.get(coinName(coin)))].some((each) =>
    each !== undefined && (places.get(each) ?? Number.POSITIVE_INFINITY) <= finalHeight(state)
  )
}

/** `isWanted`: false once the owner no longer wants it. */
export const sendUntilSettled = (chain: BitcoinChain, transaction: CoinTransaction, isWanted = () => true) =>
  Effect.gen(function*() {
    while (!isSettled(chain.state(), transaction)) {
      if (isWanted()) chain.send(transaction.bytes)
      yield* Effect.sleep(BLOCK_MS)
    }
  })
