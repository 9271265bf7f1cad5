/**
 * What runs of a local network, as it answers now: its services, each chain with its height and whether it is served,
 * and requests. Nothing that is away fails it: that is what it reports.
 */
import { Effect, Schema } from "effect"
import type { Localnet } from "../../run/state/LocalnetFile.ts"

/** How long anything may take to answer. */
const PATIENCE = "5 seconds"
const MOST_REQUESTS = 5

/** What a service says of itself on its readiness page, also with status 503. */
const Ready = Schema.Struct({
  status: Schema.String,
  problems: Schema.optionalKey(Schema.Array(Schema.String)),
  chains: Schema.Array(
    Schema.Struct({ id: Schema.String, serves: Schema.Boolean, problems: Schema.Array(Schema.String) })
  )
})
const Lives = Schema.Struct({ status: Schema.Literal("ok") })
const Requests = Schema.Struct({
  requests: Schema.Array(Schema.Struct({ id: Schema.String, status: Schema.String }))
})
const Overview = Schema.Struct({
  unended: Schema.Int,
  stuck: Schema.Array(Schema.Struct({ requestId: Schema.String, why: Schema.String }))
})
const HexHeight = Schema.Struct({ result: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]+$/u)) })
const Height = Schema.Struct({ result: Schema.Int })

/** Undefined when it does not answer, or not with that. */
const asked = <A, I>(url: string, schema: Schema.Codec<A, I>, init: RequestInit = {}) =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(url, { ...init, signal })
    const answer: unknown = await response.json()
    return answer
  }).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(schema)),
    Effect.timeout(PATIENCE),
    Effect.catch(() => Effect.undefined)
  )

const called = <A, I>(url: string, method: string, schema: Schema.Codec<A, I>) =>
  asked(url, schema, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] })
  })

const evmHeight = (url: string) =>
  Effect.map(called(url, "eth_blockNumber", HexHeight), (answer) => answer === undefined ? null : Number(answer.result))

const numberedHeight = (url: string, method: string) =>
  Effect.map(called(url, method, Height), (answer) => answer?.result ?? null)

interface Described {
  readonly id: string
  readonly chainId: number
  readonly rpcUrl: string
}

const row = <const C extends Described>(chain: C | undefined, height: (chain: C) => Effect.Effect<number | null>) =>
  chain === undefined
    ? []
    : [{ id: chain.id, chainId: chain.chainId, url: chain.rpcUrl, height: height(chain) }]

/** The chains of the network, each with the read of its height. An exchange has none. */
const chainsOf = ({ bitcoin, chains, exchangeA, exchangeB, hub, solana, tron }: Localnet) => [
  ...[...chains, { ...hub, id: "hub" }].flatMap((chain) => row(chain, ({ rpcUrl }) => evmHeight(rpcUrl))),
  ...row(solana, ({ rpcUrl }) => numberedHeight(rpcUrl, "getSlot")),
  ...row(bitcoin, ({ rpcUrl }) => numberedHeight(rpcUrl, "getblockcount")),
  ...row(tron, ({ jsonRpcUrl }) => evmHeight(jsonRpcUrl)),
  ...row(exchangeA, () => Effect.succeed(null)),
  ...row(exchangeB, () => Effect.succeed(null))
]

export interface Status {
  readonly pid: number
  readonly services: ReadonlyArray<{
    readonly name: string
    readonly url: string
    readonly answers: boolean
    readonly problems: ReadonlyArray<string>
  }>
  readonly chains: ReadonlyArray<{
    readonly id: string
    readonly chainId: number
    readonly url: string
    /** The newest block or slot. Null when the node does not answer, and on exchanges. */
    readonly height: number | null
    /** Whether the transfer service quotes it. Null where it does not serve it at all, and when it does not answer. */
    readonly serves: boolean | null
    readonly problems: ReadonlyArray<string>
  }>
  readonly requests: {
    /** All that have a deposit and no end, of every client. Null when the service does not say. */
    readonly open: number | null
    /** Those of them that take longer than they may, with the reason. */
    readonly stuck: ReadonlyArray<{ readonly requestId: string; readonly why: string }>
    /** The newest ones of the demo's API key. */
    readonly last: ReadonlyArray<{ readonly id: string; readonly status: string }>
  }
}

/** The network's state now. */
export const statusOf = Effect.fn("Status.statusOf")(function*(localnet: Localnet): Effect.fn.Return<Status> {
  const { adminToken, demo: { apiKey }, oracleUrl, pid, transferUrl } = localnet
  const { chains, lives, overview, ready, requests } = yield* Effect.all({
    ready: asked(`${transferUrl}/ready`, Ready),
    lives: asked(`${oracleUrl}/lives/v1`, Lives),
    overview: asked(`${transferUrl}/admin/overview`, Overview, { headers: { authorization: `Bearer ${adminToken}` } }),
    requests: asked(`${transferUrl}/requests?limit=${MOST_REQUESTS}`, Requests, { headers: { "x-api-key": apiKey } }),
    chains: Effect.forEach(
      chainsOf(localnet),
      ({ height, ...chain }) => Effect.map(height, (known) => ({ ...chain, height: known })),
      { concurrency: "unbounded" }
    )
  }, { concurrency: "unbounded" })
  return {
    pid,
    services: [
      { name: "transfer service", url: transferUrl, answers: ready !== undefined, problems: ready?.problems ?? [] },
      { name: "oracle", url: oracleUrl, answers: lives !== undefined, problems: [] }
    ],
    chains: chains.map((chain) => {
      const told = ready?.chains.find(({ id }) => id === chain.id)
      return { ...chain, serves: told?.serves ?? null, problems: told?.problems ?? [] }
    }),
    requests: {
      open: overview?.unended ?? null,
      stuck: overview?.stuck ?? [],
      last: (requests?.requests ?? []).map(({ id, status }) => ({ id, status }))
    }
  }
})
