/**
 * What the solver's account has sent, as one endpoint of exchange B shows it (EXCHANGEB-21): a transfer by its hash, and
 * the list of all transactions, in which each has the nonce of its API key but no memo.
 *
 * SECURITY: what is missing proves that a payment was not made. So the list is read until it is older than what is
 * looked for, and pages overlap where others come meanwhile: nothing that was there before the reading is left out.
 */
import { Effect, Schema } from "effect"
import type { Redacted } from "effect"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { ShownTransfer } from "../../../src/domain/families/exchange-b/payment/PaymentFate.ts"
import { TRANSFER, transferIn } from "../decode/NodeAnswers.ts"
import type { RawTransaction } from "../decode/NodeAnswers.ts"
import { ListAnswer, NonceAnswer, nonceIn } from "../decode/PaymentAnswers.ts"
import type { ListedTransaction } from "../decode/PaymentAnswers.ts"
import { isDone, readRaw, readTime, undecodable } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault } from "../rpc/ExchangeBRpc.ts"
import { blockAt } from "../../endpoints/clock/ClockAsChain.ts"
import type { SolverAccount } from "./SolverAccount.ts"

const decodeList = Schema.decodeUnknownEffect(ListAnswer)
const decodeNonce = Schema.decodeUnknownEffect(NonceAnswer)

/** The exchange's page has at most so many entries. */
const PAGE = 100

/** An account of a solver has fewer entries in the time of a backup. */
const MOST_PAGES = 1_000

/** The exchange's clock, milliseconds. */
export const readMillis = (client: ExchangeBClient, deadline: number): Effect.Effect<number, ExchangeBFault> =>
  Effect.map(readTime(client, deadline), (seconds) => seconds * 1_000)

/** The nonce that the API key uses next. */
export const readNonce = (
  client: ExchangeBClient,
  { address }: Pick<SolverAccount["Service"], "address">,
  apiKey: bigint,
  deadline: number
): Effect.Effect<bigint, ExchangeBFault> =>
  client.nextNonce(address, Number(apiKey), deadline).pipe(
    Effect.flatMap((said) => undecodable(decodeNonce(said))),
    Effect.map(({ nonce }) => BigInt(nonce))
  )

/** The second in which the exchange took it (EXCHANGEB-7). */
export const blockOf = ({ queuedAt }: Pick<ShownTransfer, "queuedAt">): BlockRef =>
  blockAt(Math.floor(queuedAt / 1_000))

/** Undefined for a transaction that is no transfer. */
export const shownIn = (raw: RawTransaction): ShownTransfer | undefined => {
  const shown = raw.type === TRANSFER ? transferIn(raw.info) : undefined
  return shown === undefined
    ? undefined
    : {
      transfer: shown.transfer,
      expiredAt: shown.expiredAt,
      hash: raw.hash.toLowerCase().replace(/^0x/, ""),
      isExecuted: isDone(raw),
      queuedAt: raw.queued_at
    }
}

/** Undefined when the endpoint knows no such transaction. Fails for one that is no transfer. */
export const readShown = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    hash: string,
    deadline: number
  ): Effect.fn.Return<ShownTransfer | undefined, ExchangeBFault> {
    const raw = yield* readRaw(client, hash, deadline)
    if (raw === undefined) return undefined
    return shownIn(raw) ?? (yield* Effect.fail("undecodable" as const))
  }
)

/** The account's transactions since then, milliseconds. */
export const readListed = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    { address }: Pick<SolverAccount["Service"], "address">,
    token: Redacted.Redacted,
    since: number,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<ListedTransaction>, ExchangeBFault> {
    const found = new Map<string, ListedTransaction>()
    let skipped = 0
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const said = yield* client.transactions({ account: address, token }, skipped, deadline)
      const { txs } = yield* undecodable(decodeList(said))
      for (const each of txs) if (each.queued_at >= since) found.set(each.hash, each)
      const last = txs.at(-1)
      if (last === undefined || txs.length < PAGE || last.queued_at < since) return [...found.values()]
      skipped += PAGE
    }
    return yield* Effect.fail("pruned" as const)
  }
)

/** Whatever the account has sent with that nonce since then. `queuedAt` may be before by as much as clocks are apart. */
export const readAtNonce = Effect.fnUntraced(
  function*(
    client: ExchangeBClient,
    solver: SolverAccount["Service"],
    { apiKey, nonce, since, token }: {
      readonly apiKey: bigint
      readonly nonce: bigint
      readonly since: number
      readonly token: Redacted.Redacted
    },
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<ShownTransfer>, ExchangeBFault> {
    const listed = yield* readListed(client, solver, token, since, deadline)
    const named = listed.filter((each) => {
      const numbered = nonceIn(each)
      return numbered !== undefined && numbered.account === solver.index && numbered.apiKey === apiKey &&
        numbered.nonce === nonce
    })
    const shown = yield* Effect.forEach(named, ({ hash }) => readRaw(client, hash, deadline))
    return shown.flatMap((raw) => {
      const transfer = raw === undefined ? undefined : shownIn(raw)
      return transfer === undefined ? [] : [transfer]
    })
  }
)
