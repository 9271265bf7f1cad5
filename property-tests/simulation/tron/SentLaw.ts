/**
 * What must hold of every transaction that the service sends on the Tron chain, whatever becomes of it: anybody who has
 * seen it can send it again until it expires. So a law about what is in blocks is not enough.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { paidOrderIn } from "../../../src/domain/families/tron/payment/SentPayment.ts"
import { readStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import type { Swept } from "../flows/addresses/AddressLaws.ts"
import type { OpenStore } from "../Store.ts"
import { tron } from "../Terms.ts"
import type { Sent } from "../Users.ts"
import { fundingIn } from "./Funding.ts"
import { contract, isOfService, solver, spelled } from "./Terms.ts"
import type { TronChain } from "./TronChain.ts"
import { entryOf, solidOf } from "./TronLedger.ts"
import { hasPaid } from "./TronView.ts"
import { isSigned, readTransaction } from "./TronTransaction.ts"
import type { SentTransaction } from "./TronTransaction.ts"

/** What a deposit address brings to the depository: TRX by its call, a token by its transfer. Undefined for what is none. */
const sweepIn = ({ transaction }: SentTransaction): Swept | undefined => {
  const { act } = transaction
  if (act._tag !== "Trigger" || act.owner === solver.evm) return undefined
  if (act.contract === contract) {
    return { currency: tron, amount: act.value, memo: `0x${act.input.slice(-64)}` }
  }
  const paid = paidOrderIn(transaction)
  return paid?.recipient === contract
    ? { currency: spelled(act.contract), amount: paid.amount, memo: paid.orderId }
    : undefined
}

/** `broken`: every way in which a law is broken is added. */
export const makeTronSentLaw = (chain: TronChain, broken: Array<string>) => {
  const sent = new Map<string, SentTransaction>()
  const forgotten = new Set<string>()
  /** It has paid, or a block may still hold it. */
  const mayPay = ({ expiration, id }: SentTransaction): boolean => {
    const state = chain.state()
    const entry = entryOf(state, id)
    return entry === undefined ? solidOf(state).time < expiration : hasPaid(entry.executed)
  }
  /** What was sent for sweeps, each with its sweep. */
  const funded: Array<SentTransaction> = []
  /** An address is sent TRX again only once its last sweep of this currency is in a block, or can be in none any more. */
  const fundedAgain = (sweep: SentTransaction): ReadonlyArray<string> => {
    const state = chain.state()
    const { owner } = sweep.transaction
    const open = funded.filter((each) =>
      each.transaction.owner === owner && sweepIn(each)?.currency === sweepIn(sweep)?.currency &&
      entryOf(state, each.id) === undefined && solidOf(state).time < each.expiration
    )
    funded.push(sweep)
    return open.map(({ id }) => `TRX are sent for the sweep ${sweep.id} on tron while ${id} can be executed`)
  }
  /** What funds a sweep is stored with it. */
  const brokenByFunding = (store: OpenStore, id: string, bytes: Uint8Array) =>
    Effect.map(store.storedWith(hexDigits(bytes)), (raw): ReadonlyArray<string> => {
      const stored = raw === undefined ? undefined : readStored(raw)
      const sweep = stored === undefined ? undefined : readTransaction(hexToBytes(stored.signedHex))
      return sweep === undefined ? [`${id} is sent on tron before it is stored`] : fundedAgain(sweep)
    })
  /** By order: each, and whether it is executed or may still be. */
  const attempts = () => {
    const sweeps = [...sent.values()].flatMap((each) => {
      const swept = sweepIn(each)
      return swept === undefined ? [] : [{ id: each.id, swept, counts: mayPay(each) }]
    })
    return [...Map.groupBy(sweeps, ({ swept: { memo } }) => memo).values()]
  }
  return {
    /** SECURITY: what is sent is stored, and signed by the solver, or by the deposit address that it sweeps. */
    onSent: (store: OpenStore | undefined, bytes: Uint8Array) =>
      Effect.gen(function*() {
        const transaction = readTransaction(bytes)
        if (transaction === undefined) return void broken.push("bytes that are no transaction are sent on tron")
        const { id, transaction: { owner } } = transaction
        if (sent.has(id)) return
        sent.set(id, transaction)
        const isOurs = owner === solver.evm || (isOfService(owner) && sweepIn(transaction) !== undefined)
        if (!isOurs || !isSigned(transaction)) broken.push(`${id} is sent on tron and not signed`)
        if (store === undefined) return
        if (fundingIn(transaction) !== undefined) return void broken.push(...yield* brokenByFunding(store, id, bytes))
        if (!(yield* store.isStored(id))) broken.push(`${id} is sent on tron before it is stored`)
      }),
    /** For a store that was just restored. */
    restored: (store: OpenStore) =>
      Effect.forEach(
        sent.values(),
        (each) =>
          sweepIn(each) === undefined ? Effect.void : Effect.map(store.isStored(each.id), (isStored) => {
            if (!isStored) forgotten.add(each.id)
          }),
        { discard: true }
      ),
    /** Sweeps that a restored store does not know, by their transactions. */
    forgotten: forgotten as ReadonlySet<string>,
    /** No more payments of an order can ever be executed than there are deposits for it, sweeps among them. */
    brokenNow: (deposits: ReadonlyArray<Pick<Sent, "memo">>): ReadonlyArray<string> => {
      const payments = [...sent.values()].filter((each) =>
        each.transaction.owner === solver.evm && fundingIn(each) === undefined && mayPay(each)
      )
      return [...Map.groupBy(payments, ({ transaction }) => paidOrderIn(transaction)?.orderId)].flatMap(
        ([order, transactions]) => {
          const paid = deposits.filter(({ memo }) => memo === order).length
          return transactions.length > paid
            ? [
              `${
                order ?? "no order"
              } has ${paid} deposits, and ${transactions.length} of its payments can be executed on tron`
            ]
            : []
        }
      )
    },
    /**
     * All sweeps that are executed, or that a block may still hold. Where all those of an order have expired, as many as
     * could be executed at one time: the largest. A reorg may have taken it back after it was answered.
     */
    swept: (): ReadonlyArray<Swept> =>
      attempts().flatMap((all) => {
        const counted = all.filter(({ counts }) => counts).map(({ swept }) => swept)
        const [first, ...rest] = all.map(({ swept }) => swept)
        if (counted.length > 0 || first === undefined) return counted
        return [rest.reduce((most, each) => each.amount > most.amount ? each : most, first)]
      }),
    /**
     * Sweeps that a block had executed before a reorg, beside one of their order that counts: in its new block such a
     * one ran out of energy, or it has expired. It may have been paid for. Its money is at the address, and the next
     * sweep of the order brings it.
     */
    dropped: (): ReadonlyArray<Swept> =>
      attempts().flatMap((all) =>
        all.some(({ counts }) => counts)
          ? all.filter(({ counts, id }) => !counts && chain.wasExecuted(id)).map(({ swept }) => swept)
          : []
      )
  }
}
export type TronSentLaw = ReturnType<typeof makeTronSentLaw>
