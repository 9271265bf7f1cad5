/**
 * Attestations of deposits per second, by one oracle on one core, compared with a bare `node:http` handler in the same
 * run: with uncached evidence under one endpoint and under two of three, and with cached final evidence; uncached ones
 * of every other family, as ratios to those on an EVM chain; and how much each attestation reads from its endpoints.
 */
import { base58 } from "@scure/base"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { generatePrivateKey } from "viem/accounts"
import chains from "../../../../configs/chains.local.json" with { type: "json" }
import { freePort } from "../../../http/testing/load/FreePort.ts"
import type { Load } from "../../../http/testing/load/ClosedLoop.ts"
import { against } from "../../../http/testing/load/Against.ts"
import { closedLoop, percentile } from "../../../http/testing/load/ClosedLoop.ts"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../../../http/testing/load/Pinned.ts"
import { alternate, printRows } from "../../../http/testing/load/Rounds.ts"
import { processorMs } from "../../../transfer/testing/load/ProcessorTime.ts"
import { REGTEST_GENESIS } from "../../../localnet/nodes/bitcoin/BitcoinProcess.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { solanaSlug } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { depositAt as bitcoinDeposit } from "../../testing/load/BitcoinDeposits.ts"
import { exchangeASample, exchangeBSample } from "../../testing/load/ExchangeSamples.ts"
import { sampleDeposit } from "../../testing/load/SolanaSample.ts"
import { depositAt as tronDeposit } from "../../testing/load/TronDeposits.ts"

const CONNECTIONS = 16
const ROUND_MS = 5_000
/** Of the comparison with another commit. */
const PAIRS = 5
const PATH = "/attestations/depository-deposits/v1"
const [alpha] = chains
if (alpha === undefined) throw new Error("configs/chains.local.json is empty")

const here = join(import.meta.dirname, "../..")
const bare = join(here, "../http/testing/load/BareServer.ts")
const programs = {
  alpha: join(here, "testing/load/StubNode.ts"),
  solana: join(here, "testing/load/SolanaStub.ts"),
  bitcoin: join(here, "testing/load/BitcoinStub.ts"),
  tron: join(here, "testing/load/TronStub.ts"),
  exchange: join(here, "testing/load/ExchangeStub.ts")
}
const EXCHANGE_A_DEPOSITORY = `0x${"d4".repeat(20)}` as const
const EXCHANGE_B_DEPOSITORY = 1_003
const children: Array<ChildProcess> = []
const start = async (...args: Parameters<typeof startPinned>): Promise<void> => {
  children.push(await startPinned(...args))
}

/** Starts three equal nodes. */
const startStubs = async (
  program: string,
  args: ReadonlyArray<string> = [],
  input = ""
): Promise<ReadonlyArray<number>> => {
  const ports = [await freePort(), await freePort(), await freePort()]
  for (const port of ports) await start(program, [`${port}`, ...args], "listening", { input })
  return ports
}

interface Nodes {
  readonly alpha: ReadonlyArray<number>
  readonly solana: ReadonlyArray<number>
  readonly bitcoin: ReadonlyArray<number>
  readonly tron: ReadonlyArray<number>
  readonly exchangeA: ReadonlyArray<number>
  readonly exchangeB: ReadonlyArray<number>
}

interface Oracle {
  readonly port: number
  readonly pid: number
}

/** An oracle over the first `count` nodes of each chain. */
const startOracle = async (nodes: Nodes, count: number, genesisHash: string, root?: string): Promise<Oracle> => {
  const urls = (ports: ReadonlyArray<number>) =>
    ports.slice(0, count).map((each) => `http://127.0.0.1:${each}`).join(",")
  const port = await freePort()
  await start(root === undefined ? join(here, "main.ts") : join(root, "hosts/oracle/main.ts"), [], "listening on", {
    core: MEASURED_CORE,
    environment: {
      ENVIRONMENT: "local",
      CHAINS: `alpha,${solanaSlug},bitcoin-local,tron-local,exchangea-local,exchangeb-local`,
      ALPHA_RPC_URL: urls(nodes.alpha),
      SOLANA_RPC_URL: urls(nodes.solana),
      SOLANA_GENESIS_HASH: genesisHash,
      BITCOIN_RPC_URL: urls(nodes.bitcoin),
      TRON_RPC_URL: urls(nodes.tron),
      EXCHANGEA_RPC_URL: urls(nodes.exchangeA),
      EXCHANGEA_DEPOSITORY: EXCHANGE_A_DEPOSITORY,
      EXCHANGEA_HUB_API_URL: `http://127.0.0.1:${nodes.exchangeA[0]}`,
      EXCHANGEB_RPC_URL: urls(nodes.exchangeB),
      EXCHANGEB_DEPOSITORY: `${EXCHANGE_B_DEPOSITORY}`,
      HUB_RPC_URL: "http://127.0.0.1:9",
      HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
      ECDSA_PRIVATE_KEY: generatePrivateKey(),
      HTTP_PORT: `${port}`
    }
  })
  return { port, pid: children.at(-1)?.pid ?? 0 }
}

let counter = 0
/** An id that was never asked for before. */
const fresh = () => `0x${(counter++).toString(16).padStart(64, "0")}`
/** The same in the form of a Solana signature. */
const freshOnSolana = () => base58.encode(Buffer.from(fresh().slice(2).padStart(128, "7"), "hex"))
/** Ids from the first on: the nodes expect them in order. */
const inOrder = (idAt: (count: number) => string) => () => {
  let next = 0
  return () => idAt(next++)
}
const freshOnExchangeB = () => fresh().slice(2).padStart(80, "7")
const load = ({ port }: Oracle, transactionId: () => string, chainId = "alpha"): Load => ({
  host: "127.0.0.1",
  port,
  method: "POST",
  path: () => PATH,
  body: () => JSON.stringify({ chainId, transactionId: transactionId() }),
  connections: CONNECTIONS,
  ms: ROUND_MS
})

/** Waits until claims are served: a configuration is used only after it was compared with the chain. */
const served = async (to: Load): Promise<string> => {
  for (let left = 100; left > 0; left -= 1) {
    const { failures, sample } = await closedLoop({ ...to, connections: 1, ms: 1 })
    if (failures === 0) return sample
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`nothing is attested: ${(await closedLoop({ ...to, connections: 1, ms: 1 })).sample}`)
}

/** Microseconds of processor time for one uncached attestation. */
const microsOf = async (oracle: Oracle): Promise<number> => {
  const [from, worked] = [performance.now(), processorMs(oracle.pid)]
  const { failures, perSecond } = await closedLoop(load(oracle, fresh))
  if (failures > 0) throw new Error(`${failures} attestations failed`)
  return (processorMs(oracle.pid) - worked) * 1_000_000 / (perSecond * (performance.now() - from))
}

/** In turns, so a busy machine disturbs both alike. */
const comparedBy = async (name: string, then: Oracle, now: Oracle): Promise<void> => {
  await served(load(then, fresh))
  const pairs: Array<readonly [number, number]> = []
  for (let round = 0; round <= PAIRS; round += 1) {
    const pair = [await microsOf(then), await microsOf(now)] as const
    if (round > 0) pairs.push(pair)
  }
  const ratios = pairs.map(([before, after]) => before / after).toSorted((left, right) => left - right)
  const spread = ratios.map((ratio) => ratio.toFixed(2)).join(" ")
  process.stdout.write(
    `  processor time of the other commit over this one's, ${name}: ${percentile(ratios, 0.5).toFixed(2)} (${spread})\n`
  )
}

const countsOf = async (port: number): Promise<{ readonly requests: number; readonly calls: number }> =>
  await (await fetch(`http://127.0.0.1:${port}/counts`)).json() as { readonly requests: number; readonly calls: number }

moveAside()
try {
  const sampled = await Effect.runPromise(sampleDeposit)
  const nodes = {
    alpha: await startStubs(programs.alpha, [`${alpha.chainId}`, alpha.depository]),
    solana: await startStubs(programs.solana, [], JSON.stringify(sampled)),
    bitcoin: await startStubs(programs.bitcoin, [REGTEST_GENESIS]),
    tron: await startStubs(programs.tron, [`${TRON_CHAIN_ID}`]),
    exchangeA: await startStubs(programs.exchange, [], JSON.stringify(await exchangeASample(EXCHANGE_A_DEPOSITORY))),
    exchangeB: await startStubs(programs.exchange, [], JSON.stringify(exchangeBSample(EXCHANGE_B_DEPOSITORY)))
  }
  const one = await startOracle(nodes, 1, sampled.genesisHash)
  const three = await startOracle(nodes, 3, sampled.genesisHash)
  const then = against === undefined ? undefined : {
    one: await startOracle(nodes, 1, sampled.genesisHash, against),
    three: await startOracle(nodes, 3, sampled.genesisHash, against)
  }
  const sample = await served(load(one, fresh))
  const bytes = await freePort()
  await start(bare, [`${bytes}`], "listening", { core: MEASURED_CORE, input: sample })

  const cached = fresh()
  const rows = await alternate({
    "bare node:http handler, the same bytes": load({ port: bytes, pid: 0 }, fresh),
    "deposits, uncached, one endpoint": load(one, fresh),
    "deposits, uncached, two of three endpoints": load(three, fresh),
    "deposits, final evidence cached": load(one, () => cached),
    ...(then === undefined ? {} : { "deposits, uncached, one endpoint, by the other commit": load(then.one, fresh) })
  })
  printRows(
    `Oracle: attestations a second, one core${
      canPin ? "" : " (not pinned: taskset is missing)"
    }, ${CONNECTIONS} connections`,
    rows
  )

  if (then !== undefined) {
    await comparedBy("one endpoint", then.one, one)
    await comparedBy("two of three endpoints", then.three, three)
  }

  const others: ReadonlyArray<readonly [string, string, () => () => string]> = [
    ["Solana", solanaSlug, () => freshOnSolana],
    ["Bitcoin", "bitcoin-local", inOrder((count) => bitcoinDeposit(count).getId())],
    ["Tron", "tron-local", inOrder((count) => tronDeposit(count).id)],
    ["exchange A", "exchangea-local", () => fresh],
    ["exchange B", "exchangeb-local", () => freshOnExchangeB]
  ]
  for (const [, slug, ids] of others) for (const oracle of [one, three]) await served(load(oracle, ids(), slug))
  const families = await alternate({
    "deposits on an EVM chain, one endpoint": load(one, fresh),
    ...Object.fromEntries(
      others.map(([name, slug, ids]) => [`deposits on ${name}, one endpoint`, load(one, ids(), slug)])
    ),
    ...Object.fromEntries(
      others.map(([name, slug, ids]) => [`deposits on ${name}, two of three endpoints`, load(three, ids(), slug)])
    )
  })
  printRows("Oracle: attestations a second by family, uncached", families)

  const before = await countsOf(nodes.alpha[0] ?? 0)
  for (let each = 0; each < 100; each += 1) await closedLoop({ ...load(one, fresh), connections: 1, ms: 0 })
  const after = await countsOf(nodes.alpha[0] ?? 0)
  process.stdout.write(
    `  of one endpoint an attestation asks ${(after.calls - before.calls) / 100} calls in ${
      (after.requests - before.requests) / 100
    } round trips\n`
  )
} finally {
  await Promise.all(children.map(stopPinned))
}
