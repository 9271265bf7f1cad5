/** The executions of a gate on a real chain, read through nodes that have lost state, refuse, are silent or lie. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { createServer } from "node:http"
import { createTestClient, encodeDeployData, http, publicActions, walletActions } from "viem"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { Anvil } from "../../../hosts/localnet/nodes/ethereum/Anvil.ts"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { signDigest } from "../../../src/domain/encoding/Signature.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import { encodeAction } from "../../../src/domain/hub/Action.ts"
import { executionDigest } from "../../../src/domain/hub/Execution.ts"
import { abi as gateAbi, bytecode as gateCode } from "../contracts/artifacts/OracleGate.ts"
import { abi as hubAbi, bytecode as hubCode } from "../contracts/artifacts/Hub.ts"
import { EthereumEndpoints } from "../rpc/EthereumRpc.ts"
import * as EthereumRpc from "../rpc/EthereumRpc.ts"
import * as EthereumHubGate from "./HubGate.ts"

const CHAIN_ID = 616_110
const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const [settled, young, unknown] = [word(1), word(2), word(3)] as const

const Call = Schema.Struct({
  id: Schema.Unknown,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Array(Schema.Unknown))
})
type Call = typeof Call.Type
const decodeAsked = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Union([Call, Schema.Array(Call)])))

/** A node's false answer to a call. `dropped` ends the connection. */
type Lie = (call: Call) => { readonly result: unknown } | { readonly error: object } | "dropped" | undefined

/** A proxy node in front of a chain. It ends with its scope. */
const nodeBefore = (target: string, lie: Lie = () => undefined) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const truth = async (call: Call): Promise<unknown> =>
        await (await fetch(target, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", ...call })
        })).json()
      const server = createServer((request, response) => {
        const answer = async () => {
          let text = ""
          for await (const chunk of request) text += String(chunk)
          const asked = decodeAsked(text)
          const calls = "method" in asked ? [asked] : asked
          const said = calls.map((call) => ({ call, lie: lie(call) }))
          if (said.some((each) => each.lie === "dropped")) return void request.socket.destroy()
          const answers = await Promise.all(said.map(async (each) =>
            typeof each.lie === "object" ? { jsonrpc: "2.0", id: each.call.id, ...each.lie } : await truth(each.call)
          ))
          response.setHeader("content-type", "application/json").end(
            JSON.stringify("method" in asked ? answers[0] : answers)
          )
        }
        answer().catch(() =>
          request.socket.destroy()
        )
      })
      const close = () => {
        server.close()
        server.closeAllConnections()
      }
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(
          Effect.succeed({
            url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
            close
          })
        )
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ url }) => url))

/** A hub with its gate. `settled` was executed in a final block, `young` in one that is not final, `unknown` never. */
const fixture = Effect.gen(function*() {
  const anvil = yield* Anvil.start({ chainId: CHAIN_ID, accounts: 0 })
  const oracle = generatePrivateKey()
  const account = privateKeyToAccount(generatePrivateKey())
  yield* anvil.setBalance(account.address, 10n ** 20n)
  const client = createTestClient({ mode: "anvil", account, transport: http(anvil.url), pollingInterval: 5 }).extend(
    publicActions
  ).extend(walletActions)
  const done = Effect.fnUntraced(function*(hash: Promise<Hex>) {
    const sent = yield* Effect.promise(() => hash)
    yield* anvil.mine()
    const receipt = yield* Effect.promise(() => client.waitForTransactionReceipt({ hash: sent }))
    assert.strictEqual(receipt.status, "success")
    return receipt
  })
  const create = (data: Hex) =>
    Effect.map(
      done(client.sendTransaction({ data, gas: 5_000_000n, chain: null })),
      ({ contractAddress }) => contractAddress ?? assert.fail()
    )
  const hub = yield* create(encodeDeployData({ abi: hubAbi, bytecode: hubCode, args: [account.address] }))
  const gate = yield* create(
    encodeDeployData({
      abi: gateAbi,
      bytecode: gateCode,
      args: [hub, account.address, "RelayOracle", "1", [privateKeyToAccount(oracle).address], 1n]
    })
  )
  yield* done(
    client.writeContract({
      address: hub,
      abi: hubAbi,
      functionName: "setGate",
      args: [gate, true],
      gas: 200_000n,
      chain: null
    })
  )
  const execute = Effect.fnUntraced(function*(idempotencyKey: Hex32) {
    const action = Result.getOrThrow(
      encodeAction({ _tag: "Mint", to: Address.make(account.address.toLowerCase()), tokenId: 7n, amount: 1n })
    )
    const digest = executionDigest({
      name: "RelayOracle",
      version: "1",
      chainId: BigInt(CHAIN_ID),
      verifyingContract: gate.toLowerCase()
    }, { idempotencyKey, actions: [action] })
    const signature = Result.getOrThrow(signDigest(Result.getOrThrow(digest), Hex32.make(oracle)))
    yield* done(
      client.writeContract({
        address: gate,
        abi: gateAbi,
        functionName: "execute",
        args: [{ idempotencyKey, actions: [action] }, [signature as Hex]],
        gas: 500_000n,
        chain: null
      })
    )
  })
  yield* execute(settled)
  yield* anvil.mine(5)
  yield* execute(young)
  const final = yield* Effect.promise(() => client.getBlock({ blockTag: "finalized" }))
  const at = { chain: { ...alpha, id: ChainId.make(CHAIN_ID) }, gate: Address.make(gate.toLowerCase()) }
  const statesThrough = (urls: ReadonlyArray<string>, needed?: number, chain = at.chain) => {
    const endpoints = Layer.succeed(EthereumEndpoints, {
      urls: new Map([[at.chain.id, urls.map((url) => Redacted.make(url))]]),
      ...(needed === undefined ? {} : { quorums: new Map([[at.chain.id, needed]]) })
    })
    return HubGate.pipe(
      Effect.flatMap(({ executed }) => executed({ ...at, chain }, [settled, young, unknown])),
      Effect.map((states) => [settled, young, unknown].map((key) => states.get(key))),
      Effect.provide(EthereumHubGate.layer.pipe(Layer.provide(EthereumRpc.layer.pipe(Layer.provide(endpoints))))),
      Effect.result,
      Effect.map(Result.match({ onSuccess: (states) => states.join(" "), onFailure: ({ kind }) => kind }))
    )
  }
  return { anvil, chain: at.chain, finalBlock: `0x${final.number.toString(16)}`, statesThrough }
})

/** More than every node is taken to keep. */
const BLOCKS = 80

const TRUTH = "final carried-out open"
const YES = `0x${"0".repeat(63)}1`

describe("the gate of a hub", () => {
  it.live("shows a final block's executions, also on a node that has pruned that block, and fails when a node refuses or is silent", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, finalBlock, statesThrough } = yield* fixture
      assert.strictEqual(yield* statesThrough([anvil.url]), TRUTH)
      const saying = (of: ReturnType<Lie>) =>
        nodeBefore(
          anvil.url,
          ({ method, params }) => method === "eth_call" && params?.[1] === finalBlock ? of : undefined
        )
      const forgets = yield* saying({ error: { code: -32_000, message: "missing trie node" } })
      assert.strictEqual(yield* statesThrough([forgets]), TRUTH)
      // A node that rate-limits has not lost its state.
      assert.strictEqual(
        yield* statesThrough([yield* saying({ error: { code: -32_005, message: "limit exceeded" } })]),
        "refused"
      )
      assert.strictEqual(yield* statesThrough([yield* saying("dropped")]), "unreachable")
      // The state at that block reveals a lagging index of events.
      const lags = yield* nodeBefore(anvil.url, ({ method }) => method === "eth_getLogs" ? { result: [] } : undefined)
      assert.strictEqual(yield* statesThrough([lags]), TRUTH)
    })))

  it.live("calls no execution final for a node that has pruned events and state since the final block", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, chain, statesThrough } = yield* fixture
      yield* anvil.mine(BLOCKS)
      // All executions are above the final block of such a chain.
      const slow = { ...chain, finality: { _tag: "Depth", blocks: BLOCKS + 10, seconds: 0 } } as const
      const read = (url: string) => statesThrough([url], undefined, slow)
      assert.strictEqual(yield* read(anvil.url), "carried-out carried-out open")
      const head = yield* anvil.height
      const isOld = (block: unknown) => typeof block === "string" && block.startsWith("0x") && BigInt(block) < head
      const without = (gone: ReadonlyArray<string>) =>
        nodeBefore(anvil.url, ({ method, params }) => {
          if (!gone.includes(method)) return undefined
          if (method === "eth_call") {
            return isOld(params?.[1]) ? { error: { code: -32_000, message: "missing trie node" } } : undefined
          }
          return { result: method === "eth_getLogs" ? [] : null }
        })
      const pruned = yield* without(["eth_call", "eth_getLogs", "eth_getBlockReceipts", "eth_getTransactionReceipt"])
      assert.strictEqual(yield* read(pruned), "behind")
      assert.strictEqual(yield* read(yield* without(["eth_call", "eth_getLogs"])), "behind")
      assert.strictEqual(yield* read(yield* without(["eth_call"])), "carried-out carried-out open")
    })))

  it.live("is read under the quorum of its chain: one liar can neither settle nor reopen anything", () =>
    Effect.scoped(Effect.gen(function*() {
      const { anvil, statesThrough } = yield* fixture
      const settling = yield* nodeBefore(
        anvil.url,
        ({ method, params }) =>
          method === "eth_call" && typeof params?.[1] === "string"
            ? { result: YES }
            : method === "eth_getLogs"
            ? { result: [] }
            : undefined
      )
      const forgetting = yield* nodeBefore(
        anvil.url,
        ({ method }) => method === "eth_call" ? { result: `0x${"0".repeat(64)}` } : undefined
      )
      const dead = yield* nodeBefore(anvil.url, () => "dropped")
      const [one, two] = [yield* nodeBefore(anvil.url), yield* nodeBefore(anvil.url)]
      assert.strictEqual(yield* statesThrough([settling]), "final final final")
      for (const liar of [settling, forgetting, dead]) assert.strictEqual(yield* statesThrough([liar, one, two]), TRUTH)
      assert.strictEqual(yield* statesThrough([settling, one, two], 3), "behind")
      assert.strictEqual(yield* statesThrough([settling, one], 2), "behind")
      assert.strictEqual(yield* statesThrough([dead, one], 2), "unreachable")
      assert.strictEqual(yield* statesThrough([dead, one], 1), TRUTH)
    })))
})
