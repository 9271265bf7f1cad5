/** One page of an account's ledger at one endpoint of exchange A, with what one account has sent in it (EXCHANGEA-21). */
import { Effect, Schema } from "effect"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import { scaleDecimal } from "../../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { PERPS_DECIMALS } from "../../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { LedgerEntry } from "../../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { isSend, LedgerAnswer } from "../../decode/NodeAnswers.ts"
import { undecodable } from "../../observe/ReadTime.ts"
import type { ExchangeAClient } from "../../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../../rpc/ExchangeARpc.ts"

const decodeLedger = Schema.decodeUnknownEffect(LedgerAnswer)

type Update = (typeof LedgerAnswer.Type)[number]

/** The exchange's page has at most so many entries. */
const PAGE = 500

/** Any entry of a kind that can have a nonce has the member, whatever else it looks like. */
const mayBeSend = (delta: unknown): boolean => typeof delta === "object" && delta !== null && "nonce" in delta

/**
 * Undefined for what another account has sent, and for kinds without a nonce. SECURITY: an entry that may be a payment
 * and cannot be decoded fails the reading.
 */
const sentIn = (
  { delta, hash, time }: Update,
  sender: Address
): Effect.Effect<LedgerEntry | undefined, ExchangeAFault> => {
  if (!isSend(delta)) return mayBeSend(delta) ? Effect.fail("undecodable") : Effect.succeed(undefined)
  if (delta.user !== sender) return Effect.succeed(undefined)
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

/** Milliseconds, both included. */
export interface Times {
  readonly from: bigint
  readonly to: bigint
}

export interface LedgerPage {
  readonly sent: ReadonlyArray<LedgerEntry>
  /** Of all entries, whoever sent them. */
  readonly hashes: ReadonlyArray<string>
  /** It has as many entries as a page can have, so that more of the same times may be cut off. */
  readonly isFull: boolean
  /** The time of its newest entry, and never before its range. */
  readonly last: bigint
}

/** The oldest entries of these times in the ledger of `of`, with what `sender` has sent. */
export const readPage = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    { of, sender }: { readonly of: string; readonly sender: Address },
    { from, to }: Times,
    deadline: number
  ): Effect.fn.Return<LedgerPage, ExchangeAFault> {
    const startTime = from < 0n ? 0 : Number(from)
    const asked = { type: "userNonFundingLedgerUpdates", user: of, startTime, endTime: Number(to) } as const
    const updates = yield* undecodable(decodeLedger(yield* client.info(asked, deadline)))
    const sent = yield* Effect.forEach(updates, (update) => sentIn(update, sender))
    return {
      sent: sent.filter((entry) => entry !== undefined),
      hashes: updates.map(({ hash }) => hash.toLowerCase()),
      isFull: updates.length >= PAGE,
      last: BigInt(updates.reduce((latest, { time }) => Math.max(latest, time), startTime))
    }
  }
)
