/**
 * Chains, a hub with its gate, oracles, and a transfer host that settles with them. A node that can lie
 * stands between the host and the hub, and each oracle has an address that can misbehave in its place.
 */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { setTimeout } from "node:timers/promises"
import { createWalletClient, defineChain, encodeFunctionData, http, parseAbiItem } from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { abi as gateAbi } from "../../../adapters/ethereum/contracts/artifacts/OracleGate.ts"
import { abi as hubAbi } from "../../../adapters/ethereum/contracts/artifacts/Hub.ts"
import { hubAddressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { anyFree } from "../../localnet/nodes/Port.ts"
import { deployHub } from "../../localnet/nodes/ethereum/Deployment.ts"
import { chainIdOf } from "../../localnet/run/Slug.ts"
import { reader } from "./Client.ts"
import { startOracleInstance } from "./HostInstance.ts"
import { lyingNode } from "./LyingNode.ts"
import { startNetwork } from "./TransferNetwork.ts"

export const ORACLE_KEY = "the-key-of-the-worker"

/** How an oracle's address answers: like its oracle, never, like a dead process, or with a scripted answer. */
export type Manner = "honest" | "hanging" | "dead" | {
  readonly status?: number
  readonly say: (answer: string) => string
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** An oracle's address. It forwards requests and answers in its manner. Ends with its scope. */
const facade = (target: string) =>
  Effect.acquireRelease(
    Effect.callback<
      {
        readonly url: string
        readonly behave: (manner: Manner | ((asked: number) => Manner)) => void
        readonly asked: () => number
        readonly close: () => void
      }
    >((resume) => {
      const state: { manner: Manner | ((asked: number) => Manner); asked: number } = { manner: "honest", asked: 0 }
      const answer = async (request: IncomingMessage, response: ServerResponse) => {
        state.asked += 1
        const now = state.manner
        const held = typeof now === "function" ? now(state.asked) : now
        if (held === "dead") return void request.socket.destroy()
        if (held === "hanging") { while (state.manner === now) await setTimeout(20) }
        const key = request.headers["x-api-key"]
        const passed = await fetch(`${target}${request.url ?? ""}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...(typeof key === "string" ? { "x-api-key": key } : {}) },
          body: await bodyOf(request)
        })
        const text = await passed.text()
        const [status, said] = typeof held === "object"
          ? [held.status ?? passed.status, held.say(text)]
          : [passed.status, text]
        response.writeHead(status, { "content-type": "application/json" }).end(said)
      }
      const server = createServer((request, response) => {
        answer(request, response).catch(() => request.socket.destroy())
      })
      const close = () => {
        state.manner = "dead"
        server.close()
        server.closeAllConnections()
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}`,
          behave: (next) => {
            state.manner = next
          },
          asked: () => state.asked,
          close
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const GATE = hubAddressOf("OracleGate")
const HUB = hubAddressOf("Hub")

/** The oracle's variables for the chains: those of the transfer host, without its keys and store. */
export const chainsOf = (environment: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) =>
      name === "CHAINS" || name.endsWith("_RPC_URL") || name === "SOLANA_GENESIS_HASH" ||
      name === "EXCHANGEA_DEPOSITORY" || name === "EXCHANGEB_DEPOSITORY" || name.startsWith("EXCHANGEA_HUB_API_")
    )
  )

type Network = Effect.Success<typeof startNetwork>

/**
 * `many` oracles, all known to the gate, of which `threshold` must sign, over a running network. `startOracle`: how each
 * starts, where it serves families or reads files of its own.
 */
export const settlingOver = Effect.fnUntraced(
  function*<N extends Network>(
    network: N,
    many: number,
    threshold: number,
    startOracle: (settings: Readonly<Record<string, string>>) => ReturnType<typeof startOracleInstance> =
      startOracleInstance
  ) {
    const { parties } = network.chains
    const hub = yield* Anvil.start({ chainId: chainIdOf.hub, blockTime: 1, accounts: 0 })
    const keys = Array.from({ length: many }, () => generatePrivateKey())
    const [first] = keys
    yield* deployHub(hub, { ...parties, oracle: privateKeyToAccount(first ?? "0x").address })
    // The gate's owner adds the other oracles.
    yield* hub.request("anvil_impersonateAccount", [parties.allocator])
    const asOwner = (data: Hex) =>
      Effect.andThen(hub.request("eth_sendTransaction", [{ from: parties.allocator, to: GATE, data }]), hub.mine())
    for (const key of keys.slice(1)) {
      yield* asOwner(
        encodeFunctionData({ abi: gateAbi, functionName: "setOracle", args: [privateKeyToAccount(key).address, true] })
      )
    }
    const setThreshold = (needed: number) =>
      asOwner(encodeFunctionData({ abi: gateAbi, functionName: "setThreshold", args: [BigInt(needed)] }))
    yield* setThreshold(threshold)
    const node = yield* lyingNode(hub.url)
    const ports = yield* Effect.forEach(keys, () => anyFree)
    const oracles = yield* Effect.forEach(
      keys,
      Effect.fnUntraced(function*(key, index) {
        // The first has the others as peers, and returns their signatures too.
        const peers = index > 0 ? [] : ports.slice(1).map((port) => `http://127.0.0.1:${port}|${ORACLE_KEY}`)
        const { url } = yield* startOracle({
          ENVIRONMENT: "local",
          ...chainsOf(network.environment),
          HUB_RPC_URL: hub.url,
          HUB_ALLOCATOR: parties.allocator,
          ECDSA_PRIVATE_KEY: key,
          API_KEYS: `${ORACLE_KEY}:worker`,
          HTTP_PORT: `${ports[index]}`,
          ...(peers.length === 0 ? {} : { PEERS: peers.join(";") })
        })
        return { key, address: privateKeyToAccount(key).address, direct: url, ...(yield* facade(url)) }
      }),
      { concurrency: "unbounded" }
    )
    const settling = {
      HUB_RPC_URL: node.url,
      HUB_ALLOCATOR: parties.allocator,
      ORACLE_URL: oracles.map(({ url }) => url).join(","),
      ORACLE_API_KEY: ORACLE_KEY
    }
    const client = reader(hub)
    const executions = Effect.promise(async () => {
      const logs = await client.getLogs({
        address: GATE,
        event: parseAbiItem("event Executed(bytes32 indexed idempotencyKey)"),
        fromBlock: 0n
      })
      return logs.flatMap(({ args: { idempotencyKey } }) => idempotencyKey ?? [])
    })
    const held = (account: Hex, token: bigint) =>
      Effect.promise(() =>
        client.readContract({ abi: hubAbi, address: HUB, functionName: "balanceOf", args: [account, token] })
      )
    /** Submits what an oracle has signed. Anyone may do this. */
    const submit = (
      key: Hex,
      execution: {
        readonly idempotencyKey: Hex
        readonly actions: ReadonlyArray<Hex>
        readonly signatures: ReadonlyArray<{ readonly signature: Hex }>
      }
    ) =>
      Effect.promise(async () => {
        const chain = defineChain({
          id: hub.chainId,
          name: "hub",
          nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
          rpcUrls: { default: { http: [hub.url] } }
        })
        const wallet = createWalletClient({ account: privateKeyToAccount(key), chain, transport: http() })
        const { actions, idempotencyKey, signatures } = execution
        const hash = await wallet.sendTransaction({
          to: GATE,
          // Fixed, so that a refused submission is mined too.
          gas: 5_000_000n,
          data: encodeFunctionData({
            abi: gateAbi,
            functionName: "execute",
            args: [{ idempotencyKey, actions: [...actions] }, signatures.map(({ signature }) => signature)]
          })
        })
        return (await client.waitForTransactionReceipt({ hash })).status
      })
    return { ...network, hub, node, oracles, settling, setThreshold, executions, held, submit }
  }
)

export const startSettling = (many: number, threshold: number) =>
  Effect.flatMap(startNetwork, (network) => settlingOver(network, many, threshold))
