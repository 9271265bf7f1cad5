/**
 * What the solver's accounts have sent, for any family: by one endpoint, or as the quorum shows it. A restoration
 * concludes from what is missing that a payment was never made, so no endpoint alone may leave one out (QUORUM-8).
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { AccountPosition, SentPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { reachedBy } from "../../../src/domain/quorum/AgreeOnReading.ts"
import type { ReadingRule } from "../../../src/domain/quorum/AgreeOnReading.ts"
import type { Rotation } from "../Rotation.ts"

type Reached = "finalSequence" | "height" | "pendingSequence" | "sequence"

/**
 * No two contradict each other, because each endpoint is at a height of its own: what counts is how far enough are.
 *
 * SECURITY: what is missing up to `finalHeight` counts as never paid. One of those that have reached the sequence is
 * honest, and has seen the payments before it in its own final blocks. So blocks are read as far as any of them is,
 * within what enough of them have reached: another one that says less must not end the reading earlier.
 */
const positionRule: ReadingRule<AccountPosition> = {
  same: () => true,
  combine: (all, needed) => {
    const [{ counted, ...first }] = all
    const reached = (of: Reached): bigint => reachedBy(all.map((each) => each[of]), needed) ?? first[of]
    const [height, finalSequence] = [reached("height"), reached("finalSequence")]
    const final = all.filter((each) => each.finalSequence >= finalSequence).map((each) => each.finalHeight)
    const furthest = reachedBy(final, 1) ?? first.finalHeight
    return {
      counted,
      height,
      sequence: reached("sequence"),
      pendingSequence: reached("pendingSequence"),
      finalHeight: furthest < height ? furthest : height,
      finalSequence
    }
  },
  claims: () => "open"
}

/**
 * How far an account has come. By the quorum, each sequence is one that as many endpoints as needed have reached: one
 * that is ahead of the chain does not count, and one that is behind delays.
 */
export const readPosition = <Client>(
  rpc: Rotation<Client>,
  chain: Chain,
  by: ReadBy,
  readOne: (client: Client) => Promise<AccountPosition>
): Effect.Effect<AccountPosition, ChainUnavailable> =>
  rpc.witnessed(chain, {
    operation: "position of the account",
    call: readOne,
    rule: positionRule,
    rests: () => false
  }, by)

const samePayment = (left: SentPayment | undefined, right: SentPayment | undefined): boolean =>
  left === undefined || right === undefined
    ? left === right
    : left.orderId === right.orderId && left.recipient === right.recipient && left.currency === right.currency &&
      left.amount === right.amount && left.topup === right.topup && left.through === right.through

const sameSent = (left: SentTransaction, right: SentTransaction): boolean =>
  left.transactionId === right.transactionId && left.account === right.account && left.raw === right.raw &&
  left.sequence === right.sequence && left.block.hash === right.block.hash &&
  left.block.height === right.block.height && left.succeeded === right.succeeded &&
  left.movesNothing === right.movesNothing && samePayment(left.payment, right.payment)

/** Equal in all that is recorded of a forgotten payment, or both in no block. */
const sentRule: ReadingRule<SentTransaction | undefined> = {
  same: (left, right) => left === undefined || right === undefined ? left === right : sameSent(left, right),
  combine: ([first]) => first,
  // A node that lacks a transaction may be behind.
  claims: (sent) => sent === undefined ? "open" : "proven"
}

/** How one endpoint is read. */
export interface SentReads<Client> {
  /** The first block and the last one. */
  readonly range: readonly [from: bigint, to: bigint]
  /** What the accounts sent in these blocks. It must fail as behind where the endpoint does not have all of them. */
  readonly list: (client: Client) => Promise<ReadonlyArray<SentTransaction>>
  /** Undefined when no block of the endpoint has the transaction. */
  readonly find: (client: Client, id: TransactionId) => Promise<SentTransaction | undefined>
}

/**
 * What the accounts sent in a range of blocks. By the quorum, as many hosts as it needs list it, so that fewer liars
 * than it needs hide nothing together; and of what any of them lists, what counts is what the quorum shows.
 */
export const sentBetween = Effect.fnUntraced(function*<Client>(
  rpc: Rotation<Client>,
  chain: Chain,
  by: ReadBy,
  { find, list, range: [from, to] }: SentReads<Client>
): Effect.fn.Return<ReadonlyArray<SentTransaction>, ChainUnavailable> {
  const operation = "transactions of the accounts"
  if (by === "endpoint" || rpc.isAlone(chain)) return yield* rpc.call(chain, operation, list)
  const listed = yield* rpc.several(chain, operation, list)
  const ids = new Set(listed.flatMap(({ answer }) => answer).map(({ transactionId }) => transactionId))
  const shown = yield* Effect.forEach(ids, (id) =>
    rpc.witnessed(chain, {
      operation: "a transaction of the accounts",
      call: (client) => find(client, id),
      rule: sentRule,
      rests: () => true
    }, "quorum"))
  return shown.filter((sent) => sent !== undefined).filter(({ block: { height } }) => height >= from && height <= to)
    .toSorted((one, other) => Number(one.block.height - other.block.height))
})
