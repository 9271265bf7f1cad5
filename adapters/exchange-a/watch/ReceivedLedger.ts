/**
 * What an account of exchange A has received, from its ledger at one endpoint (EXCHANGEA-9).
 *
 * Pages have at most 500 entries, the oldest of their range. The next one begins at the time at which the one before
 * ended, so that entries of one moment are not cut off. SECURITY: more entries of one millisecond than a page has are
 * cut off, and are found by their id alone (`POST /transactions/index`), when somebody chooses. Their price is a new one
 * (`isCutOff`).
 */
import { Effect, Result, Schema } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { isInternalTransfer, isSend, LedgerAnswer } from "../decode/NodeAnswers.ts"
import type { LedgerSend } from "../decode/NodeAnswers.ts"
import { undecodable } from "../observe/ReadTime.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../rpc/ExchangeARpc.ts"

const decodeLedger = Schema.decodeUnknownEffect(LedgerAnswer)

const PAGE = 500

/** Pages of one read: all of them share its deadline. */
const MOST_PAGES = 10

/** A transfer to the account. */
export interface Received {
  readonly id: TransactionId
  /** Seconds. */
  readonly time: number
  /** Undefined for a `usdSend`: its entry has no nonce, so its transaction is read. */
  readonly send: LedgerSend | undefined
}

type Update = (typeof LedgerAnswer.Type)[number]

const receivedIn = ({ delta, hash, time }: Update, account: Address): ReadonlyArray<Received> => {
  if (!isSend(delta) && !isInternalTransfer(delta)) return []
  if (delta.destination.toLowerCase() !== account || delta.user.toLowerCase() === account) return []
  // The hash was decoded from 64 digits.
  const id = Result.getOrThrow(parseTransactionId(families["exchangea-vm"], hash))
  return [{ id, time: Math.floor(time / 1_000), send: isSend(delta) ? delta : undefined }]
}

export interface ReadLedger {
  /** Each once, oldest first. */
  readonly received: ReadonlyArray<Received>
  /** The last second of which everything was read. */
  readonly to: number
}

/** `from`, `to`: seconds, both included. A read of many entries ends early. */
export const readReceived = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { from, to }: { readonly from: number; readonly to: number },
    deadline: number
  ): Effect.fn.Return<ReadLedger, ExchangeAFault> {
    const found = new Map<string, Received>()
    const endTime = (to + 1) * 1_000 - 1
    let startTime = from * 1_000
    for (let pages = 0; pages < MOST_PAGES && startTime <= endTime; pages += 1) {
      const asked = { type: "userNonFundingLedgerUpdates", user: account, startTime, endTime } as const
      const page = yield* undecodable(decodeLedger(yield* client.info(asked, deadline)))
      for (const each of page.flatMap((update) => receivedIn(update, account))) found.set(each.id, each)
      if (page.length < PAGE) return { received: [...found.values()], to }
      const last = page.reduce((latest, { time }) => Math.max(latest, time), startTime)
      startTime = last > startTime ? last : startTime + 1
    }
    return { received: [...found.values()], to: Math.min(to, Math.floor(startTime / 1_000) - 1) }
  }
)

/**
 * True when the ledger has so many entries of the transfer's millisecond that no scan finds it. `millis`: its time.
 * While the ledger does not show it for another reason, this is false.
 */
export const isCutOff = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { id, millis }: { readonly id: TransactionId; readonly millis: number },
    deadline: number
  ): Effect.fn.Return<boolean, ExchangeAFault> {
    const asked = { type: "userNonFundingLedgerUpdates", user: account, startTime: millis, endTime: millis } as const
    const page = yield* undecodable(decodeLedger(yield* client.info(asked, deadline)))
    return page.length >= PAGE && page.every(({ hash }) => hash.toLowerCase() !== String(id))
  }
)
