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
import { depository, FINAL_AFTER, LEAST_OUTPUT } from "./Terms.ts"
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
  /** Pays the same for a higher fee, out of the change. Undefined when there is too little change. */
  readonly speedUp: (by: CoinKey, transaction: CoinTransaction) => CoinTransaction | undefined
}

const sum = (coins: ReadonlyArray<Coin>): bigint => coins.reduce((total, { amount }) => total + amount, 0n)

/** What a transaction spends and pays, and what another one of the same coins has to pay. Satoshi. */
const replacementOf = ({ known }: ChainState, { inputs, outputs, virtualBytes }: CoinTransaction) => {
  const coins = inputs.map((input) => ({
    ...input,
    amount: known.get(input.transactionId)?.outputs[input.index]?.amount ?? 0n
  }))
  const fee = sum(coins) - outputs.reduce((total, { amount }) => total + amount, 0n)
  return { coins, fee, higherFee: fee * 2n + BigInt(virtualBytes) * 2n }
}

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
    takeBack: (key, transaction) => {
      const { coins, higherFee } = replacementOf(chain.state(), transaction)
      return signedBy(key, coins, [{ script: key.script, amount: sum(coins) - higherFee }])
    },
    speedUp: (key, transaction) => {
      const { coins, fee, higherFee } = replacementOf(chain.state(), transaction)
      const change = transaction.outputs.findLast(({ script }) => sameBytes(script, key.script))
      if (change === undefined) return undefined
      const amount = change.amount - (higherFee - fee)
      return amount < LEAST_OUTPUT ? undefined : signedBy(
        key,
        coins,
        transaction.outputs.map((output) => output === change ? { ...output, amount } : output)
      )
    }
  }
}

/** The height of the newest final block. */
const finalHeight = (state: ChainState): number => headOf(state).height - FINAL_AFTER

const isFinal = (state: ChainState, id: string): boolean =>
  (headOf(state).places.get(id) ?? Number.POSITIVE_INFINITY) <= finalHeight(state)

/** No chain can have it any more: something final has taken a coin of its own, or of what it spends. */
const isDead = (state: ChainState, { id, inputs }: CoinTransaction): boolean =>
  inputs.some((coin) => {
    const { places, spenders } = headOf(state)
    const spender = spenders.get(coinName(coin))
    if (spender !== undefined) return spender !== id && isFinal(state, spender)
    const maker = places.has(coin.transactionId) ? undefined : state.known.get(coin.transactionId)
    return maker !== undefined && isDead(state, maker)
  })

/** Whether nothing can change any more what became of a transaction. */
export const isSettled = (state: ChainState, transaction: CoinTransaction): boolean =>
  isFinal(state, transaction.id) || isDead(state, transaction)

/** `isWanted`: false once the owner no longer wants it. */
export const sendUntilSettled = (chain: BitcoinChain, transaction: CoinTransaction, isWanted = () => true) =>
  Effect.gen(function*() {
    while (!isSettled(chain.state(), transaction)) {
      if (isWanted()) chain.send(transaction.bytes)
      yield* Effect.sleep(BLOCK_MS)
    }
  })

/** A wallet offers a higher fee for what has waited through so many sends. */
const PATIENT_SENDS = 60

/** What pays less than blocks take would wait for ever: a node that lies about fees can have named too low a rate. */
export const payUntilSettled = (chain: BitcoinChain, wallet: CoinWallet, by: CoinKey, transaction: CoinTransaction) =>
  Effect.gen(function*() {
    let current = transaction
    for (let sent = 1; !isSettled(chain.state(), transaction); sent += 1) {
      const waits = chain.state().pool.some(({ id }) => id === current.id)
      if (waits && sent % PATIENT_SENDS === 0) current = wallet.speedUp(by, current) ?? current
      chain.send(current.bytes)
      yield* Effect.sleep(BLOCK_MS)
    }
  })
