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

/** Kinds that can have a nonce, and are no `sendAsset`: this service signs none of them. */
const otherKinds: ReadonlySet<unknown> = new Set(["spotTransfer", "withdraw"])

const memberOf = (delta: object, name: string): unknown => Object.getOwnPropertyDescriptor(delta, name)?.value

/**
 * Every payment has the member `nonce`, whatever else its entry looks like. What strangers send to the account has it
 * too, in some kinds as null: it names its sender.
 */
const mayBeSend = (delta: unknown, sender: Address): boolean => {
  if (typeof delta !== "object" || delta === null || !("nonce" in delta)) return false
  const user = memberOf(delta, "user")
  return (typeof user !== "string" || user.toLowerCase() === sender) && !otherKinds.has(memberOf(delta, "type"))
}

/**
 * Undefined for what another account has sent, and for other kinds. SECURITY: an entry that may be a payment and cannot
 * be decoded fails the reading; one that a stranger can make never does.
 */
const sentIn = (
  { delta, hash, time }: Update,
  sender: Address
): Effect.Effect<LedgerEntry | undefined, ExchangeAFault> => {
  if (!isSend(delta)) return mayBeSend(delta, sender) ? Effect.fail("undecodable") : Effect.succeed(undefined)
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
