/**
 * One transaction as one endpoint of exchange A shows it (spec/4 §6): the explorer's word, the exchange's time, and the list of
 * tokens where the transfer's is one of it.
 *
 * A block of the exchange is final once it is there. Which network an endpoint is of, only transfers tell: each names it, and
 * was signed with it.
 */
import { Effect, Schema } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { graceLeftAt } from "../../../src/domain/evidence/exchange-a/MappedOrder.ts"
import { tokenOf, transferFacts } from "../../../src/domain/evidence/exchange-a/Transfer.ts"
import type { WeiDecimals } from "../../../src/domain/evidence/exchange-a/Transfer.ts"
import { finalityOf } from "../../../src/domain/evidence/Finality.ts"
import type { Heads } from "../../../src/domain/evidence/Finality.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { FamilyReader } from "../../quorum/Observing.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { StatusAnswer, TokensAnswer, TransactionAnswer, transferOf } from "../decode/NodeAnswers.ts"
import type { RawTransaction } from "../decode/NodeAnswers.ts"
import type { ExchangeAClient } from "../ExchangeAClient.ts"

const decodeStatus = Schema.decodeUnknownEffect(StatusAnswer)
const decodeTokens = Schema.decodeUnknownEffect(TokensAnswer)
const decodeTransaction = Schema.decodeUnknownEffect(TransactionAnswer)

export const undecodable = Effect.mapError((): ReadFault => "undecodable")

/** As transfers name the network. */
export const networkOf = ({ network }: Pick<Chain, "network">): string => network === "mainnet" ? "Mainnet" : "Testnet"

/** Seconds, of the exchange. */
export const readTime = (rpc: ExchangeAClient, deadline: number): Effect.Effect<number, ReadFault> =>
  rpc.info({ type: "exchangeStatus" }, deadline).pipe(
    Effect.flatMap((said) => undecodable(decodeStatus(said))),
    Effect.map(({ time }) => Math.floor(time / 1_000))
  )

const noTokens: WeiDecimals = new Map()

/** The wei decimals of a token: its list is asked for only where there is one to look up. */
const readDecimals = Effect.fnUntraced(function*(rpc: ExchangeAClient, token: string | undefined, deadline: number): Effect.fn.Return<WeiDecimals, ReadFault> {
  if (token === undefined || !/^0x[0-9a-f]{32}$/.test(token)) return noTokens
  const { tokens } = yield* undecodable(decodeTokens(yield* rpc.info({ type: "spotMeta" }, deadline)))
  const known = new Map(tokens.map(({ tokenId, weiDecimals }) => [tokenId.toLowerCase(), weiDecimals]))
  // What was moved is on the list of whoever knows that it was.
  return known.has(token) ? known : yield* Effect.fail("contradiction" as const)
})

const nothing = { outcome: "succeeded", deposits: [], payments: [], orderIds: [], routerCalls: [], withdrawals: [] } as const

/** What it shows at heads that the quorum has pinned. */
const shown = Effect.fnUntraced(function*(rpc: ExchangeAClient, chain: Chain, raw: RawTransaction, deadline: number) {
  const transfer = transferOf(raw)
  if (transfer !== undefined && transfer.hyperliquidChain !== networkOf(chain)) return yield* Effect.fail("wrong-chain" as const)
  const time = Math.floor(raw.time / 1_000)
  if (raw.error !== null) return { time, factsAt: () => ({ ...nothing, outcome: "reverted" as const }) }
  if (transfer === undefined) return { time, factsAt: () => nothing }
  const decimals = yield* readDecimals(rpc, tokenOf(transfer), deadline)
  return {
    time,
    factsAt: ({ head }: Heads) => ({ ...nothing, ...transferFacts({ sender: raw.user, transfer }, chain.depository, decimals, graceLeftAt(time, head.time)) })
  }
})

export const readTransaction: FamilyReader<ExchangeAClient>["read"] = Effect.fnUntraced(function*(rpc, chain, id, { deadline }) {
  const [said, headTime] = yield* Effect.all([rpc.transaction(id, deadline), readTime(rpc, deadline)], { concurrency: "unbounded" })
  const answer = yield* undecodable(decodeTransaction(said))
  if (answer.type === "error") {
    const absent: Observation = { _tag: "Absent", chain: chain.slug, transactionId: id }
    return { heads: { finalHeight: 0n, head: { height: 0n, time: headTime } }, observedAt: () => absent }
  }
  const { tx } = answer
  if (tx.hash.toLowerCase() !== id) return yield* Effect.fail("contradiction" as const)
  const { factsAt, time } = yield* shown(rpc, chain, tx, deadline)
  const height = BigInt(tx.block)
  const block = { height, hash: tx.block.toString(), time }
  return {
    heads: { finalHeight: height, head: { height, time: headTime } },
    observedAt: (heads): Observation => ({ _tag: "Transaction", chain: chain.slug, transactionId: id, block, finality: finalityOf(chain.finality, block, heads), ...factsAt(heads) })
  }
})
