/**
 * The unchanged hosts with seven families: two EVM chains, a hub, a ledger with two nodes, an oracle, and a transfer
 * service that settles with it. All run in the test's process and end with the scope.
 */
import { ConfigProvider, Effect, Layer, Logger, Result, Schema } from "effect"
import {
  type Address,
  alias,
  ChainSlug,
  type Currency,
  families as rulesOf,
  Hex32,
  hubTokenId,
  protocolAccounts,
  verifyQuote
} from "causeway-kit"
import { layerOracleHost } from "causeway-kit/hosts/oracle"
import { ConfigsFolder, Families, families, layerTransferHost } from "causeway-kit/hosts/transfer"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as hubAbi } from "../../../adapters/ethereum/contracts/artifacts/Hub.ts"
import { hubAddressOf } from "../../../hosts/localnet/nodes/ethereum/Addresses.ts"
import { Anvil } from "../../../hosts/localnet/nodes/ethereum/Anvil.ts"
import { deployHub } from "../../../hosts/localnet/nodes/ethereum/Deployment.ts"
import { loadMarket } from "../../../hosts/configuration/LoadChains.ts"
import { anyFree } from "../../../hosts/localnet/nodes/Port.ts"
import { chainIdOf } from "../../../hosts/localnet/run/Slug.ts"
import { post, reader } from "../../../hosts/transfer/testing/Client.ts"
import { environmentOf } from "../../../hosts/transfer/testing/TransferNetwork.ts"
import { startChains } from "../../../hosts/transfer/testing/TestChains.ts"
import { ledger as ledgerFamily } from "../adapter/Family.ts"
import { accountOn, unitsOf } from "../ledger/Ledger.ts"
import { accountOf } from "../ledger/Transfer.ts"
import { serveLedger, startHttpLedger } from "../node/HttpLedger.ts"
import { chainOf, depository, holdingsOf, listed, sendBy, terms, transferOfStep, user } from "./Fixture.ts"

const configs = join(import.meta.dirname, "../../../configs")
const slug = "ledger"
export const ORACLE_KEY = "the-key-of-the-worker"

const entries = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))
)

/** The ledger's entry, for the file of the local chains. */
const entry = (genesisHash: string) => ({
  id: slug,
  chainId: chainOf(genesisHash).id,
  vmType: ledgerFamily.rules.name,
  httpRpcUrl: "$LEDGER_RPC_URL",
  depository,
  currencies: listed.map(({ address, decimals, symbol }) => ({
    address,
    decimals,
    symbol,
    name: symbol,
    price: { fixedUsd: symbol === "USDC" ? "1" : "0.5" }
  })),
  additionalData: { displayName: "Ledger", blockTimeMs: 200, genesisHash }
})

/** The environments' files with the ledger among the local chains. The folder goes with the scope. */
export const writeConfigs = (genesisHash: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "causeway-ledger-"))
      const chains = entries(readFileSync(join(configs, "chains.local.json"), "utf8"))
      writeFileSync(join(folder, "chains.local.json"), JSON.stringify([...chains, entry(genesisHash)]))
      copyFileSync(join(configs, "chains.hub.local.json"), join(folder, "chains.hub.local.json"))
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** A host within this process. Dies where a process would exit. */
const start = <E>(host: Layer.Layer<never, E>, folder: string, environment: Readonly<Record<string, string>>) =>
  Effect.orDie(Layer.build(
    Layer.fresh(host).pipe(Layer.provide([
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment)),
      Layer.succeed(Families, [...families, ledgerFamily]),
      Layer.succeed(ConfigsFolder, pathToFileURL(`${folder}/`)),
      Logger.layer([])
    ]))
  ))

const QuoteAnswer = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    requestId: Schema.String,
    items: Schema.Array(Schema.Struct({ data: Schema.Unknown }))
  })),
  details: Schema.Struct({ currencyOut: Schema.Struct({ amount: Schema.String }) }),
  protocol: Schema.Struct({ v2: Schema.Struct({ orderId: Schema.String }) })
})
export type LedgerQuote = typeof QuoteAnswer.Type

const StatusAnswer = Schema.Struct({
  status: Schema.String,
  inTxHashes: Schema.Array(Schema.String),
  txHashes: Schema.Array(Schema.String)
})

const Settlements = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    data: Schema.Struct({ settlements: Schema.Array(Schema.Struct({ state: Schema.String })) })
  }))
})

const get = (url: string) => Effect.promise(() => fetch(url).then((response): Promise<unknown> => response.json()))

/** Repeats until it holds. The test's own timeout limits it. */
const until = <A>(look: Effect.Effect<A>, holds: (seen: A) => boolean) =>
  look.pipe(Effect.tap((seen) => holds(seen) ? Effect.void : Effect.sleep(50)), Effect.repeat({ until: holds }))

export const startSeven = Effect.gen(function*() {
  const chains = yield* startChains
  const solver = accountOf(Hex32.make(chains.solverKey))
  const ledger = yield* startHttpLedger({ terms, holdings: holdingsOf(solver, user), blockTimeMs: 200 })
  const second = yield* serveLedger(ledger)
  const folder = yield* writeConfigs(ledger.genesisHash)

  const oracleKey = generatePrivateKey()
  const hub = yield* Anvil.start({ chainId: chainIdOf.hub, blockTime: 1, accounts: 0 })
  yield* deployHub(hub, { ...chains.parties, oracle: privateKeyToAccount(oracleKey).address })

  const [port, oraclePort] = [yield* anyFree, yield* anyFree]
  const common = {
    ...environmentOf(chains, join(folder, "transfer.db"), port),
    CHAINS: `alpha,beta,${slug}`,
    LEDGER_RPC_URL: `${ledger.url},${second}`,
    HUB_RPC_URL: hub.url,
    HUB_ALLOCATOR: chains.parties.allocator
  }
  const [url, oracleUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${oraclePort}`]
  yield* start(layerOracleHost, folder, {
    ...common,
    ECDSA_PRIVATE_KEY: oracleKey,
    API_KEYS: `${ORACLE_KEY}:worker`,
    HTTP_PORT: `${oraclePort}`
  })
  yield* start(layerTransferHost, folder, { ...common, ORACLE_URL: oracleUrl, ORACLE_API_KEY: ORACLE_KEY })

  const chain = chainOf(ledger.genesisHash)
  const known = Effect.orDie(
    loadMarket("local", common.CHAINS.split(",")).pipe(Effect.provide([
      ConfigProvider.layer(ConfigProvider.fromEnvRecord(common)),
      Layer.succeed(Families, [...families, ledgerFamily]),
      Layer.succeed(ConfigsFolder, pathToFileURL(`${folder}/`))
    ]))
  )
  const solverOnHub = Result.getOrThrow(
    alias(
      { slug: ChainSlug.make("beta"), family: rulesOf["ethereum-vm"], network: "mainnet" },
      chains.solver.toLowerCase()
    )
  )
  return {
    chains,
    chain,
    hub,
    ledger,
    url,
    oracleUrl,
    held: (of: Address, { address }: Pick<Currency, "address">) => unitsOf(accountOn(ledger.state(), of), address),
    quote: Effect.fnUntraced(function*(asked: object) {
      const body = { tradeType: "EXACT_INPUT", includeProtocolData: true, ...asked }
      const answer = yield* post(`${url}/quote`, body)
      if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
      return { ...Schema.decodeUnknownSync(QuoteAnswer)(answer.json()), said: answer.json(), body }
    }),
    /** What a careful client checks in an answer before it pays, with its own knowledge of the chains. */
    verify: (said: unknown, body: object) =>
      Effect.map(known, ({ chains: served, settlement }) =>
        verifyQuote(said, body, {
          chains: served,
          solver: Result.getOrThrow(protocolAccounts.parse(chains.solver)),
          settlement: settlement.chain.slug,
          now: Math.floor(Date.now() / 1_000)
        })),
    /** The step's transfer as a wallet sends it, optionally with another amount. */
    transfer: (key: Parameters<typeof sendBy>[1], { steps: [step] }: LedgerQuote, amount?: bigint) => {
      const asked = transferOfStep(step?.items[0]?.data)
      return sendBy(ledger.connection, key, { ...asked, amount: amount ?? asked.amount })
    },
    ended: ({ steps: [step] }: LedgerQuote) =>
      until(
        Effect.map(
          get(`${url}/intents/status?requestId=${step?.requestId ?? ""}`),
          (answer) => Schema.decodeUnknownSync(StatusAnswer)(answer)
        ),
        ({ status }) => ["success", "refund", "failure"].includes(status)
      ),
    /** The deposit of an order is minted on the hub and moved to the solver. */
    settled: ({ protocol: { v2: { orderId } } }: LedgerQuote) =>
      until(
        Effect.map(
          get(`${url}/requests?orderId=${orderId}`),
          (answer) => Schema.decodeUnknownSync(Settlements)(answer).requests[0]?.data.settlements ?? []
        ),
        (settlements) => settlements.length > 0 && settlements.every(({ state }) => state === "settled")
      ),
    /** The solver's balance on the hub, of a currency of a chain. */
    onHub: (of: Parameters<typeof hubTokenId>[0], currency: string) =>
      Effect.promise(() =>
        reader(hub).readContract({
          abi: hubAbi,
          address: hubAddressOf("Hub"),
          functionName: "balanceOf",
          args: [toHex(BigInt(solverOnHub), { size: 20 }), Result.getOrThrow(hubTokenId(of, currency))]
        })
      )
  }
})
