/**
 * What must hold of every transaction that the service sends on the Tron chain, whatever becomes of it: anybody who has
 * seen it can send it again until it expires. So a law about what is in blocks is not enough.
 */
import { Effect } from "effect"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { paidOrderIn } from "../../../src/domain/families/tron/payment/SentPayment.ts"
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

/** Sweeps of one address that are under way together: one of each currency that is simulated there. */
const AT_ONCE = 2

/** `broken`: every way in which a law is broken is added. */
export const makeTronSentLaw = (chain: TronChain, broken: Array<string>) => {
  const sent = new Map<string, SentTransaction>()
  /** It has paid, or a block may still hold it. */
  const mayPay = ({ expiration, id }: SentTransaction): boolean => {
    const state = chain.state()
    const entry = entryOf(state, id)
    return entry === undefined ? solidOf(state).time < expiration : hasPaid(entry.executed)
  }
  const isOpen = ({ expiration }: SentTransaction): boolean => solidOf(chain.state()).time < expiration
  /** A sweep whose TRX may still come is sent no more of them. */
  const fundedAgain = ({ id, transaction }: SentTransaction): ReadonlyArray<string> => {
    const to = fundingIn({ transaction })?.to
    const open = [...sent.values()].filter((each) => {
      const isSame = to !== undefined && fundingIn(each)?.to === to
      const state = chain.state()
      // Once its sweep is in a block, the next one may begin.
      const isSwept = [...sent.values()].some((other) =>
        other.transaction.owner === to && other.expiration === each.expiration &&
        entryOf(state, other.id) !== undefined
      )
      return isSame && isOpen(each) && !isSwept
    })
    return open.length > AT_ONCE
      ? [`${id} sends TRX to a deposit address, for which ${open.length - 1} other transfers can be executed`]
      : []
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
        broken.push(...fundedAgain(transaction))
        if (store === undefined) return
        // What funds a sweep is stored with it.
        const isStored = fundingIn(transaction) === undefined
          ? yield* store.isStored(id)
          : yield* store.isPartOfStored(hexDigits(bytes))
        if (!isStored) broken.push(`${id} is sent on tron before it is stored`)
      }),
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
    swept: (): ReadonlyArray<Swept> => {
      const sweeps = [...sent.values()].flatMap((each) => {
        const swept = sweepIn(each)
        return swept === undefined ? [] : [{ swept, counts: mayPay(each) }]
      })
      return [...Map.groupBy(sweeps, ({ swept: { memo } }) => memo).values()].flatMap((attempts) => {
        const counted = attempts.filter(({ counts }) => counts).map(({ swept }) => swept)
        const [first, ...rest] = attempts.map(({ swept }) => swept)
        if (counted.length > 0 || first === undefined) return counted
        return [rest.reduce((most, each) => each.amount > most.amount ? each : most, first)]
      })
    }
  }
}
export type TronSentLaw = ReturnType<typeof makeTronSentLaw>
