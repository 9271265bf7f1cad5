/**
 * One transaction as one endpoint of exchange A shows it (EXCHANGEA-1): from the explorer (or an account's ledger,
 * ReadLedger.ts), with the exchange's time, and with the list of tokens when the transfer's token is on it.
 *
 * Every block that the exchange shows is final. Only transfers tell the network of an endpoint: each names its network,
 * and was signed with it.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { graceLeftAt } from "../../../src/domain/families/exchange-a/evidence/MappedOrder.ts"
import { tokenOf, transferFacts } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { SentTransfer, WeiDecimals } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { TransactionAnswer, transferOf } from "../decode/NodeAnswers.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { readLedger } from "./ReadLedger.ts"
import { readTime, undecodable } from "./ReadTime.ts"
import { readTokens } from "./ReadTokens.ts"

const decodeTransaction = Schema.decodeUnknownEffect(TransactionAnswer)

/** The network's name, as transfers spell it. */
export const networkOf = ({ network }: Pick<Chain, "network">): string => network === "mainnet" ? "Mainnet" : "Testnet"

const noTokens: WeiDecimals = new Map()

/** The wei decimals of a token. The list is read only when there is a token to look up. */
export const readDecimals = Effect.fnUntraced(
  function*(
    rpc: ExchangeAClient,
    token: string | undefined,
    deadline: number
  ): Effect.fn.Return<WeiDecimals, ReadFault> {
    if (token === undefined || !/^0x[0-9a-f]{32}$/.test(token)) return noTokens
    const { byId } = yield* readTokens(rpc, deadline)
    const known = new Map([...byId].map(([id, { weiDecimals }]) => [id, weiDecimals]))
    // An endpoint that knows the transfer must list its token.
    return known.has(token) ? known : yield* Effect.fail("contradiction" as const)
  }
)

const nothing = {
  outcome: "succeeded",
  deposits: [],
  payments: [],
  orderIds: [],
  routerCalls: [],
  withdrawals: []
} as const

/** Blocks are not distinguished: everything that the exchange shows is final, and a ledger names no block. */
const HEIGHT = { height: 0n, hash: "final" } as const

/** The transfer as evidence, at heads that the quorum has pinned. */
const transferAt = Effect.fnUntraced(
  function*(rpc: ExchangeAClient, chain: Chain, sent: SentTransfer, time: number, deadline: number) {
    const decimals = yield* readDecimals(rpc, tokenOf(sent.transfer), deadline)
    return ({ head }: Heads) => ({
      ...nothing,
      ...transferFacts(sent, chain.depository, decimals, graceLeftAt(time, head.time))
    })
  }
)

/** A transaction as the explorer shows it. */
export interface ShownTransaction {
  /** Seconds. */
  readonly time: number
  readonly millis: number
  readonly succeeded: boolean
  /** Undefined for any action but a transfer. */
  readonly sent: SentTransfer | undefined
}

/** Undefined when the explorer knows no such transaction. */
export const readShown = Effect.fnUntraced(
  function*(
    rpc: Pick<ExchangeAClient, "transaction">,
    chain: Pick<Chain, "network">,
    id: TransactionId,
    deadline: number
  ): Effect.fn.Return<ShownTransaction | undefined, ReadFault> {
    const answer = yield* undecodable(decodeTransaction(yield* rpc.transaction(id, deadline)))
    if (answer.type === "error") return undefined
    const { tx } = answer
    if (tx.hash.toLowerCase() !== id) return yield* Effect.fail("contradiction" as const)
    const transfer = transferOf(tx)
    if (transfer !== undefined && transfer.hyperliquidChain !== networkOf(chain)) {
      return yield* Effect.fail("wrong-chain" as const)
    }
    return {
      time: Math.floor(tx.time / 1_000),
      millis: tx.time,
      succeeded: tx.error === null,
      sent: transfer === undefined ? undefined : { sender: tx.user, transfer }
    }
  }
)

/** The transfer as evidence, from the explorer. Undefined when it knows no such transaction. */
const byExplorer = Effect.fnUntraced(
  function*(rpc: ExchangeAClient, chain: Chain, id: TransactionId, deadline: number) {
    const shown = yield* readShown(rpc, chain, id, deadline)
    if (shown === undefined) return undefined
    const { sent, succeeded, time } = shown
    if (!succeeded) return { time, factsAt: () => ({ ...nothing, outcome: "reverted" as const }) }
    if (sent === undefined) return { time, factsAt: () => nothing }
    return { time, factsAt: yield* transferAt(rpc, chain, sent, time, deadline) }
  }
)

/** From the ledger that the hint names. */
const byLedger = Effect.fnUntraced(
  function*(rpc: ExchangeAClient, chain: Chain, id: TransactionId, hint: string, deadline: number) {
    const { sent, time: milliseconds } = yield* readLedger(rpc, chain, id, hint, deadline)
    const time = Math.floor(milliseconds / 1_000)
    return { time, factsAt: yield* transferAt(rpc, chain, sent, time, deadline) }
  }
)

export const readTransaction: FamilyReader<ExchangeAClient>["read"] = Effect.fnUntraced(
  function*(rpc, chain, id, { deadline, hint }) {
    const reading = byExplorer(rpc, chain, id, deadline).pipe(
      Effect.catch((fault) =>
        fault === "over-quota" && hint !== undefined ? byLedger(rpc, chain, id, hint, deadline) : Effect.fail(fault)
      )
    )
    const [seen, headTime] = yield* Effect.all([reading, readTime(rpc, deadline)], { concurrency: "unbounded" })
    const heads = { finalHeight: HEIGHT.height, head: { height: HEIGHT.height, time: headTime } }
    if (seen === undefined) {
      const absent: Observation = { _tag: "Absent", chain: chain.slug, transactionId: id }
      return {
        heads,
        observedAt: () => absent
      }
    }
    const block = { ...HEIGHT, time: seen.time }
    return {
      heads,
      observedAt: (at): Observation => ({
        _tag: "Transaction",
        chain: chain.slug,
        transactionId: id,
        block,
        finality: finalityOf(chain.finality, block, at),
        ...seen.factsAt(at)
      })
    }
  }
)
