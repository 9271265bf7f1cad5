/**
 * What an account of exchange A has sent, from its ledger at one endpoint (EXCHANGEA-21).
 *
 * SECURITY: what is missing proves that a payment was not executed. So every page is read, oldest first, each from the
 * time at which the one before ended: together they are the ledger as it was when the last page was read. An entry that
 * may be a payment and cannot be decoded fails the reading.
 */
import { Effect, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { PERPS_DECIMALS } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { LedgerEntry } from "../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { isSend, LedgerAnswer } from "../decode/NodeAnswers.ts"
import { undecodable } from "../observe/ReadTime.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"

const decodeLedger = Schema.decodeUnknownEffect(LedgerAnswer)

type Update = (typeof LedgerAnswer.Type)[number]

/** The exchange's page has at most so many entries. */
const PAGE = 500

/** An account of a solver has fewer entries in two days. */
const MOST_PAGES = 400

/** Any entry of a kind that can have a nonce has the member, whatever else it looks like. */
const mayBeSend = (delta: unknown): boolean => typeof delta === "object" && delta !== null && "nonce" in delta

/** Undefined for what another account has sent, and for kinds without a nonce. */
const sentIn = (
  { delta, hash, time }: Update,
  account: Address
): Effect.Effect<LedgerEntry | undefined, ExchangeAFault> => {
  if (!isSend(delta)) return mayBeSend(delta) ? Effect.fail("undecodable") : Effect.succeed(undefined)
  if (delta.user !== account) return Effect.succeed(undefined)
  const { amount, destination, destinationDex, nonce, sourceDex, token } = delta
  const fee = scaleDecimal(delta.fee ?? "0", PERPS_DECIMALS)
  return fee === undefined
    ? Effect.fail("undecodable")
    : Effect.succeed({
      hash: hash.toLowerCase(),
      time,
      nonce: BigInt(nonce),
      destination,
      sourceDex,
      destinationDex,
      token,
      amount,
      fee
    })
}

export interface SentRange {
  /** Milliseconds, included like `to`. */
  readonly from: bigint
  readonly to: bigint
  /** A nonce that is searched: once a page has it, none further is read. */
  readonly until?: bigint
}

/** Each entry once, oldest first. */
export const readSent = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { from, to, until }: SentRange,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<LedgerEntry>, ExchangeAFault> {
    const found = new Map<string, LedgerEntry>()
    const endTime = Number(to)
    let startTime = from < 0n ? 0 : Number(from)
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = yield* undecodable(
        decodeLedger(
          yield* client.info({ type: "userNonFundingLedgerUpdates", user: account, startTime, endTime }, deadline)
        )
      )
      for (const update of page) {
        const sent = yield* sentIn(update, account)
        if (sent !== undefined) found.set(sent.hash, sent)
      }
      const last = page.reduce((latest, { time }) => Math.max(latest, time), startTime)
      const isFound = until !== undefined && [...found.values()].some(({ nonce }) => nonce === until)
      if (isFound || page.length < PAGE) return [...found.values()].toSorted((one, other) => one.time - other.time)
      // A page of one time alone cannot be continued.
      if (last <= startTime) return yield* Effect.fail("behind" as const)
      startTime = last
    }
    return yield* Effect.fail("behind" as const)
  }
)
