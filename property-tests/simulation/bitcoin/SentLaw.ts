/**
 * What must hold of every transaction that the service sends on the Bitcoin chain, whatever becomes of it: anybody who
 * has seen it can send it again. So a law about what is in blocks is not enough.
 */
import { Effect } from "effect"
import { orderIdIn } from "../../../src/domain/families/bitcoin/evidence/OpReturn.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { isFormOf } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import type { Swept } from "../flows/addresses/AddressLaws.ts"
import type { OpenStore } from "../Store.ts"
import { bitcoin } from "../Terms.ts"
import type { Sent } from "../Users.ts"
import type { BitcoinChain } from "./BitcoinChain.ts"
import { headOf, spentBy } from "./CoinChain.ts"
import type { ChainState } from "./CoinChain.ts"
import { readCoinTransaction } from "./CoinTransaction.ts"
import type { CoinTransaction } from "./CoinTransaction.ts"
import { depository, FINAL_AFTER } from "./Terms.ts"

const sharesCoin = (one: CoinTransaction, other: CoinTransaction): boolean => {
  const names = new Set(one.inputs.map(coinName))
  return other.inputs.some((coin) => names.has(coinName(coin)))
}

/**
 * Whether a final transaction has taken a coin that it needs, or that a transaction needs that made one of its coins:
 * one that was sent, or anybody's.
 */
const isDead = (
  state: ChainState,
  sent: ReadonlyMap<string, CoinTransaction>,
  { id, inputs }: CoinTransaction
): boolean => {
  const { height, places, spenders } = headOf(state)
  const isFinal = (of: string) => (places.get(of) ?? Number.POSITIVE_INFINITY) <= height - FINAL_AFTER
  if (isFinal(id)) return false
  const isTaken = inputs.some((coin) => {
    const spender = spenders.get(coinName(coin))
    return spender !== undefined && spender !== id && isFinal(spender)
  })
  return isTaken || [...new Set(inputs.map(({ transactionId }) => transactionId))].some((made) => {
    const maker = sent.get(made) ?? state.known.get(made)
    return maker !== undefined && isDead(state, sent, maker)
  })
}

/** Groups of which one transaction can be in blocks at a time: it shares a coin with the others, directly or by one. */
const groupsOf = (transactions: ReadonlyArray<CoinTransaction>): ReadonlyArray<ReadonlyArray<CoinTransaction>> =>
  transactions.reduce<ReadonlyArray<ReadonlyArray<CoinTransaction>>>((groups, next) => {
    const [apart, joined] = [
      groups.filter((group) => !group.some((each) => sharesCoin(each, next))),
      groups.filter((group) => group.some((each) => sharesCoin(each, next)))
    ]
    return [...apart, [next, ...joined.flat()]]
  }, [])

const orderOf = ({ outputs }: CoinTransaction): string | undefined =>
  outputs.flatMap(({ script }) => orderIdIn(script) ?? [])[0]

/** What a transaction brings to the depository: what was sent to a deposit address. Zero for a payment. */
const sweptBy = ({ outputs }: CoinTransaction): bigint =>
  outputs.reduce((sum, { amount, script }) => sameBytes(script, depository.script) ? sum + amount : sum, 0n)

/** Whether a block that the chain has left had the transaction. */
const wasMined = ({ left }: ChainState, id: string): boolean =>
  [...left.values()].some(({ transactions }) => transactions.some((each) => each.id === id))

/** `broken`: every way in which a law is broken is added. */
export const makeBitcoinSentLaw = (chain: BitcoinChain, broken: Array<string>) => {
  const sent = new Map<string, CoinTransaction>()
  /**
   * All sweeps that are deposits or can become one. Of one that was sent again in another form, one can at a time. One
   * that is dead had outputs that two later ones may have shared out among them.
   */
  const swept = (): ReadonlyArray<Swept> => {
    const state = chain.state()
    const sweeps = [...sent.values()].filter((each) => sweptBy(each) > 0n && !isDead(state, sent, each))
    return [...Map.groupBy(sweeps, orderOf)].flatMap(([memo = "", transactions]) =>
      groupsOf(transactions).map((group) => {
        const amount = group.map(sweptBy).reduce((most, each) => each > most ? each : most)
        return { currency: bitcoin, amount, memo }
      })
    )
  }
  return {
    /** SECURITY: what is sent is stored and signed, and its coins are claimed by no other payment that may come. */
    onSent: (store: OpenStore | undefined, bytes: Uint8Array) =>
      Effect.gen(function*() {
        const transaction = readCoinTransaction(bytes)
        if (transaction === undefined) return void broken.push("bytes that are no transaction are sent on bitcoin")
        if (sent.has(transaction.id)) return
        const { id } = transaction
        const state = chain.state()
        const known = new Map([...sent, ...state.known])
        const spent = spentBy({ known }, transaction)
        if (spent === undefined || !chain.isSigned(transaction, spent)) {
          broken.push(`${id} is sent on bitcoin and not signed`)
        }
        for (const other of sent.values()) {
          if (sharesCoin(other, transaction) && !isFormOf(other, transaction) && !isDead(state, sent, other)) {
            broken.push(`${id} and ${other.id} are different payments and spend one coin`)
          }
        }
        sent.set(id, transaction)
        if (store !== undefined && !(yield* store.isStored(id))) {
          broken.push(`${id} is sent on bitcoin before it is stored`)
        }
      }),
    /** No more payments of an order can be in blocks than there are deposits for it, sweeps among them. */
    brokenNow: (deposits: ReadonlyArray<Pick<Sent, "memo">>): ReadonlyArray<string> => {
      const state = chain.state()
      const alive = [...sent.values()].filter((each) => sweptBy(each) === 0n && !isDead(state, sent, each))
      return [...Map.groupBy(alive, orderOf)].flatMap(([order, transactions]) => {
        const paid = deposits.filter(({ memo }) => memo === order).length
        const payable = groupsOf(transactions).length
        return payable > paid
          ? [`${order ?? "no order"} has ${paid} deposits, and ${payable} of its payments can be mined on bitcoin`]
          : []
      })
    },
    swept,
    /**
     * Sweeps that a block had before a reorg, and that are dead now. One may have been paid for: what it swept brings
     * another sweep of the order. One that brings the same amount passes for it, so it is not among these.
     */
    dropped: (): ReadonlyArray<Swept> => {
      const state = chain.state()
      const counted = new Set(swept().map(({ amount, memo }) => `${memo} ${amount}`))
      return [...sent.values()].flatMap((each) => {
        const [memo = "", amount] = [orderOf(each), sweptBy(each)]
        return amount > 0n && !counted.has(`${memo} ${amount}`) && isDead(state, sent, each) && wasMined(state, each.id)
          ? [{ currency: bitcoin, amount, memo }]
          : []
      })
    }
  }
}
export type BitcoinSentLaw = ReturnType<typeof makeBitcoinSentLaw>
