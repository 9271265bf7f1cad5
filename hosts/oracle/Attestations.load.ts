/**
 * Attestations of deposits a second, of one oracle on one core, beside a bare `node:http` handler in the same run: evidence
 * uncached under one endpoint and under two of three, and final evidence cached; uncached ones on Solana, as ratios to those on an
 * EVM chain, too; what each attestation asks of its endpoints.
 */
import { base58 } from "@scure/base"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { generatePrivateKey } from "viem/accounts"
import chains from "../../configs/chains.local.json" with { type: "json" }
import { freePort } from "../http/testing/load/FreePort.ts"
import type { Load } from "../http/testing/load/ClosedLoop.ts"
import { closedLoop } from "../http/testing/load/ClosedLoop.ts"
import { canPin, MEASURED_CORE, moveAside, startPinned, stopPinned } from "../http/testing/load/Pinned.ts"
import { alternate, printRows } from "../http/testing/load/Rounds.ts"
import { solanaSlug } from "../localnet/solana/SolanaChain.ts"
import { sampleDeposit } from "./testing/load/SolanaSample.ts"

const CONNECTIONS = 16
const ROUND_MS = 5_000
const PATH = "/attestations/depository-deposits/v1"
const [alpha] = chains
if (alpha === undefined) throw new Error("configs/chains.local.json is empty")

const here = import.meta.dirname
const bare = join(here, "../http/testing/load/BareServer.ts")
const stub = join(here, "testing/load/StubNode.ts")
const solanaStub = join(here, "testing/load/SolanaStub.ts")
const children: Array<ChildProcess> = []
const start = async (...args: Parameters<typeof startPinned>): Promise<void> => {
  children.push(await startPinned(...args))
}

const startStub = async (): Promise<number> => {
  const port = await freePort()
  await start(stub, [`${port}`, `${alpha.chainId}`, alpha.depository], "listening")
  return port
}

const startSolana = async (input: string): Promise<number> => {
  const port = await freePort()
  await start(solanaStub, [`${port}`], "listening", { input })
  return port
}

const startOracle = async (stubs: ReadonlyArray<number>, solana: ReadonlyArray<number>, genesisHash: string): Promise<number> => {
  const urls = (ports: ReadonlyArray<number>) => ports.map((each) => `http://127.0.0.1:${each}`).join(",")
  const port = await freePort()
  await start(join(here, "main.ts"), [], "listening on", {
    core: MEASURED_CORE,
    environment: {
      ENVIRONMENT: "local",
      CHAINS: `alpha,${solanaSlug}`,
      ALPHA_RPC_URL: urls(stubs),
      SOLANA_RPC_URL: urls(solana),
      SOLANA_GENESIS_HASH: genesisHash,
      HUB_RPC_URL: "http://127.0.0.1:9",
      HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
      ECDSA_PRIVATE_KEY: generatePrivateKey(),
      HTTP_PORT: `${port}`
    }
  })
  return port
}

let counter = 0
/** An id that nobody has asked for before. */
const fresh = () => `0x${(counter++).toString(16).padStart(64, "0")}`
/** As signatures are. */
const freshOnSolana = () => base58.encode(Buffer.from(fresh().slice(2).padStart(128, "7"), "hex"))
const load = (port: number, transactionId: () => string, chainId = "alpha"): Load => ({
  host: "127.0.0.1",
  port,
  method: "POST",
  path: () => PATH,
  body: () => JSON.stringify({ chainId, transactionId: transactionId() }),
  connections: CONNECTIONS,
  ms: ROUND_MS
})

const countsOf = async (port: number): Promise<{ readonly requests: number; readonly calls: number }> =>
  await (await fetch(`http://127.0.0.1:${port}/counts`)).json() as { readonly requests: number; readonly calls: number }

moveAside()
try {
  const stubs = [await startStub(), await startStub(), await startStub()]
  const sampled = await Effect.runPromise(sampleDeposit)
  const nodes = [await startSolana(JSON.stringify(sampled)), await startSolana(JSON.stringify(sampled)), await startSolana(JSON.stringify(sampled))]
  const one = await startOracle(stubs.slice(0, 1), nodes.slice(0, 1), sampled.genesisHash)
  const three = await startOracle(stubs, nodes, sampled.genesisHash)
  const { sample } = await closedLoop({ ...load(one, fresh), connections: 1, ms: 1 })
  const bytes = await freePort()
  await start(bare, [`${bytes}`], "listening", { core: MEASURED_CORE, input: sample })

  const cached = fresh()
  const rows = await alternate({
    "bare node:http handler, the same bytes": load(bytes, fresh),
    "deposits, uncached, one endpoint": load(one, fresh),
    "deposits, uncached, two of three endpoints": load(three, fresh),
    "deposits, final evidence cached": load(one, () => cached)
  })
  printRows(`Oracle: attestations a second, one core${canPin ? "" : " (not pinned: taskset is missing)"}, ${CONNECTIONS} connections`, rows)

  const families = await alternate({
    "deposits on an EVM chain, one endpoint": load(one, fresh),
    "deposits on Solana, one endpoint": load(one, freshOnSolana, solanaSlug),
    "deposits on Solana, two of three endpoints": load(three, freshOnSolana, solanaSlug)
  })
  printRows("Oracle: attestations a second by family, uncached", families)

  const before = await countsOf(stubs[0] ?? 0)
  for (let each = 0; each < 100; each += 1) await closedLoop({ ...load(one, fresh), connections: 1, ms: 0 })
  const after = await countsOf(stubs[0] ?? 0)
  process.stdout.write(`  of one endpoint an attestation asks ${(after.calls - before.calls) / 100} calls in ${(after.requests - before.requests) / 100} round trips\n`)
} finally {
  await Promise.all(children.map(stopPinned))
}
