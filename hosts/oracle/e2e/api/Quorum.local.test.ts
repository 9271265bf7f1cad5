import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Fiber, Layer, Redacted, Result } from "effect"
import * as fc from "fast-check"
import { encodeFunctionData, toHex } from "viem"
import { loadChains } from "../../../configuration/LoadChains.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { sendCall } from "../../../transfer/testing/Client.ts"
import { lyingNode } from "../../../transfer/testing/LyingNode.ts"
import type { Lie, LyingNode } from "../../../transfer/testing/LyingNode.ts"
import { deploySpammer, spam } from "../../testing/Spammer.ts"
import { startChains } from "../../../transfer/testing/TestChains.ts"
import { shows } from "../../../../scripts/testing/Shows.ts"
import { ChainObserver } from "../../../../ports/chain/ChainObserver.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../../src/domain/chain/TransactionId.ts"
import type { Observation } from "../../../../src/domain/evidence/TransactionEvidence.ts"
import { abi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { viemHex } from "../../../../adapters/ethereum/rpc/ViemHex.ts"
import {
  EthereumQuorums,
  layer as observerLayer,
  observedEndpoints
} from "../../../../adapters/ethereum/observe/Observer.ts"

const AMOUNT = 123_456_789n
const ORDER = `0x${"5a".repeat(32)}` as const

const makeRunning = Effect.gen(function*() {
  const chains = yield* startChains
  const five = yield* Effect.forEach([1, 2, 3, 4, 5], () => lyingNode(chains.alpha.url))
  const nodes = five.slice(0, 3)
  const provider = ConfigProvider.fromUnknown({ ALPHA_RPC_URL: chains.alpha.url, BETA_RPC_URL: chains.beta.url })
  const configured = yield* Effect.orDie(
    Effect.provideService(loadChains("local", ["alpha", "beta"]), ConfigProvider.ConfigProvider, provider)
  )
  const [chain] = configured.chains
  if (chain === undefined) return yield* Effect.die(new Error("no chain"))
  const key = chains.users[0] ?? "0x"
  const deposit = (value: bigint) =>
    sendCall(chains.alpha, key, {
      to: viemHex(chain.depository),
      data: encodeFunctionData({ abi, functionName: "depositNative", args: [toHex(0xa1, { size: 20 }), ORDER] }),
      value
    })
  const { transactionHash } = yield* deposit(AMOUNT)
  yield* chains.alpha.mine(3)
  return { alpha: chains.alpha, key, chain, deposit, five, nodes, id: TransactionId.make(transactionHash) }
})

class Running extends fixtureOf<Running>()("test/ObserverRunning", makeRunning) {}

/** A new observer over some nodes, with nothing cached. */
const observer = (urls: ReadonlyArray<string>, chainId: ChainId, needed?: number, deadlineMs = 800) =>
  observerLayer.pipe(Layer.provide(Layer.succeed(EthereumQuorums, {
    of: new Map([[chainId, Result.getOrThrow(observedEndpoints(urls.map((url) => Redacted.make(url)), needed))]]),
    deadlineMs
  })))

const observe = Effect.fnUntraced(function*(urls: ReadonlyArray<string>, needed?: number) {
  const { chain, id } = yield* Running
  return yield* Effect.gen(function*() {
    const { observe } = yield* ChainObserver
    return yield* observe(chain, [id])
  }).pipe(Effect.provide(observer(urls, chain.id, needed)))
})

const word = (value: bigint) => toHex(value, { size: 32 }).slice(2)

const spoil = (of: unknown, from: string, to: string): unknown => JSON.parse(JSON.stringify(of).replaceAll(from, to))

/** What a node may do instead of telling the truth. Those in `liars` tell something false that is consistent. */
const behaviours: Readonly<Record<string, Lie | "hang">> = {
  truth: (_call, truth) => truth(),
  dead: () => Promise.reject(new Error("down")),
  hang: "hang",
  "wrong chain": async ({ method }, truth) => method === "eth_chainId" ? { result: "0x1" } : truth(),
  truncated: async ({ method }, truth) =>
    method === "eth_getTransactionReceipt" ? { result: { status: "0x1" } } : truth(),
  refusing: async () => ({ error: { code: 429, message: "too many" } }),
  stale: async ({ method, params }, truth) => {
    const answer = await truth()
    return method === "eth_getBlockByNumber" && ["finalized", "latest"].includes(String(params?.[0]))
      ? { result: { ...Object(answer.result), number: "0x1" } }
      : answer
  },
  "liar: amount": async ({ method }, truth) => {
    const answer = await truth()
    return method === "eth_getTransactionReceipt"
      ? { result: spoil(answer.result, word(AMOUNT), word(AMOUNT * 2n)) }
      : answer
  },
  "liar: absent": async ({ method }, truth) => method === "eth_getTransactionReceipt" ? { result: null } : truth(),
  "liar: high": async ({ method, params }, truth) => {
    const answer = await truth()
    return method === "eth_getBlockByNumber" && params?.[0] === "finalized"
      ? { result: { ...Object(answer.result), number: "0xffffff" } }
      : answer
  }
}

const behave = (node: LyingNode | undefined, name: string) => {
  const behaviour = behaviours[name]
  if (behaviour === "hang") node?.hang()
  else if (behaviour !== undefined) node?.lie(behaviour)
}

/** Every multiset of three behaviours with at most one liar: what a quorum of two of three must tolerate. */
const mixes = (): ReadonlyArray<ReadonlyArray<string>> => {
  const names = Object.keys(behaviours)
  return names.flatMap((a, i) => names.slice(i).flatMap((b, j) => names.slice(i + j).map((c) => [a, b, c])))
    .filter((mix) => mix.filter(isLiar).length <= 1)
}

const isLiar = (name: string): boolean => name.startsWith("liar")

const isAttestable = (seen: Observation | undefined): boolean =>
  seen?._tag === "Transaction" && seen.finality._tag === "Final"

layer(Running.layer, { excludeTestServices: true })("evidence under a quorum of endpoints", (it) => {
  it.effect("shows a final deposit of the chain, in two round trips of four reads", () =>
    Effect.gen(function*() {
      const { chain, id, nodes: [node] } = yield* Running
      behave(node, "truth")
      const before = node?.calls() ?? 0
      const [seen] = yield* observe([node?.url ?? ""])
      // The fifth reads the chain id, because the endpoint is new.
      assert.strictEqual((node?.calls() ?? 0) - before, 5)
      assert.isTrue(isAttestable(seen))
      if (seen?._tag !== "Transaction") return
      assert.deepStrictEqual(
        seen.deposits.map(({ amount, depositId, depository }) => [amount, String(depositId), depository]),
        [[AMOUNT, ORDER, chain.depository]]
      )
      assert.deepStrictEqual([seen.transactionId, seen.outcome], [id, "succeeded"])
    }))

  it.effect("is never false, and is true when enough endpoints are honest, in every mix of faults up to the bound", () =>
    Effect.gen(function*() {
      const { nodes } = yield* Running
      for (const node of nodes) behave(node, "truth")
      const urls = nodes.map(({ url }) => url)
      const [truth] = yield* observe(urls)
      for (const mix of mixes()) {
        mix.forEach((name, index) => behave(nodes[index], name))
        const outcome = yield* Effect.exit(observe(urls))
        const [seen] = Exit.isSuccess(outcome) ? outcome.value : []
        if (isAttestable(seen)) assert.deepStrictEqual(seen, truth, mix.join(", "))
        const truthful = mix.filter((name) => name === "truth").length
        if (truthful >= 2) assert.isTrue(isAttestable(seen), mix.join(", "))
        if (mix.includes("liar: absent")) assert.notStrictEqual(seen?._tag, "Absent", mix.join(", "))
      }
    }))

  it.effect("is never false with two liars of five, of whom three must agree", () =>
    Effect.gen(function*() {
      const { five } = yield* Running
      for (const node of five) behave(node, "truth")
      const urls = five.map(({ url }) => url)
      const [truth] = yield* observe(urls)
      const honest = Object.keys(behaviours).filter((name) => !isLiar(name))
      const liars = Object.keys(behaviours).filter(isLiar)
      // The worst cases are always tried; the others are drawn at random in each run.
      const worst = liars.flatMap((
        liar
      ) => [["truth", "truth", "truth", liar, liar], ["truth", "truth", "stale", liar, liar], [
        "truth",
        "hang",
        "dead",
        liar,
        liar
      ]])
      const drawn = fc.sample(
        fc.tuple(
          fc.array(fc.constantFrom(...honest), { minLength: 3, maxLength: 5 }),
          fc.array(fc.constantFrom(...liars), { minLength: 2, maxLength: 2 })
        )
          .chain(([some, others]) =>
            fc.shuffledSubarray([...some, ...others.slice(0, 5 - some.length)], { minLength: 5, maxLength: 5 })
          ),
        60
      )
      for (const mix of [...worst, ...drawn]) {
        mix.forEach((name, index) => behave(five[index], name))
        const outcome = yield* Effect.exit(observe(urls))
        const [seen] = Exit.isSuccess(outcome) ? outcome.value : []
        if (isAttestable(seen)) assert.deepStrictEqual(seen, truth, mix.join(", "))
        if (mix.filter((name) => name === "truth").length >= 3) assert.isTrue(isAttestable(seen), mix.join(", "))
      }
      for (const node of five) behave(node, "truth")
    }))

  it.effect("does not wait once enough endpoints agree, and cancels reads that nobody waits for", () =>
    Effect.gen(function*() {
      const { chain, id, nodes } = yield* Running
      for (const node of nodes) behave(node, "truth")
      behave(nodes[2], "hang")
      const urls = nodes.map(({ url }) => url)
      // A read that waited for the silent node would wait an hour.
      yield* Effect.gen(function*() {
        const { observe } = yield* ChainObserver
        yield* observe(chain, [id])
      }).pipe(Effect.provide(observer(urls, chain.id, 2, 3_600_000)))
      for (const node of nodes) behave(node, "hang")
      const left = yield* Effect.forkChild(Effect.provide(
        Effect.gen(function*() {
          const { observe } = yield* ChainObserver
          yield* observe(chain, [id])
        }),
        observer(urls, chain.id, 2, 3_600_000)
      ))
      yield* Effect.sleep(100)
      yield* Fiber.interrupt(left)
      for (const node of nodes) behave(node, "truth")
    }))

  it.effect("shows that nothing is final yet without waiting for a silent endpoint, although that one might know more", () =>
    Effect.gen(function*() {
      const { chain, id, nodes } = yield* Running
      behave(nodes[0], "truth")
      behave(nodes[1], "stale")
      behave(nodes[2], "hang")
      const [seen] = yield* Effect.gen(function*() {
        const { observe } = yield* ChainObserver
        return yield* observe(chain, [id])
      }).pipe(Effect.provide(observer(nodes.map(({ url }) => url), chain.id, 2, 3_600_000)))
      assert.isTrue(seen?._tag === "Transaction" && seen.finality._tag === "Pending")
      for (const node of nodes) behave(node, "truth")
    }))

  it.effect(
    "never contains what a reorg removed; the transaction's new block is the evidence",
    () =>
      Effect.gen(function*() {
        const { alpha, chain, deposit, nodes } = yield* Running
        for (const node of nodes) behave(node, "truth")
        const urls = nodes.map(({ url }) => url)
        const seen = (id: string) =>
          Effect.gen(function*() {
            const { observe } = yield* ChainObserver
            const [first] = yield* observe(chain, [TransactionId.make(id)])
            return first?._tag === "Transaction"
              ? `${first.finality._tag}, ${first.deposits.map(({ amount }) => amount).join()}`
              : first?._tag
          }).pipe(Effect.provide(observer(urls, chain.id, undefined, 60_000)))
        const { blockNumber, transactionHash: lost } = yield* deposit(11n)
        assert.strictEqual(yield* seen(lost), "Pending, 11")
        // A block comes each second, so its own may not be the last.
        yield* alpha.height.pipe(
          Effect.flatMap((height) => alpha.reorg(Number(height - blockNumber) + 1)),
          Effect.andThen(alpha.request("eth_getTransactionReceipt", [lost])),
          Effect.repeat({ until: (receipt) => receipt === null })
        )
        assert.strictEqual(yield* seen(lost), "Absent")
        const stays = (yield* deposit(12n)).transactionHash
        yield* alpha.mine(3)
        assert.deepStrictEqual([yield* seen(lost), yield* seen(stays)], ["Absent", "Final, 12"])
      }),
    shows("ethereum-vm", "reorg")
  )

  it.effect("is read once for all concurrent requests, and not again once it is final", () =>
    Effect.gen(function*() {
      const { alpha, chain, deposit, id, nodes: [node] } = yield* Running
      behave(node, "truth")
      const before = node?.calls("eth_getTransactionReceipt") ?? 0
      yield* Effect.gen(function*() {
        const { observe } = yield* ChainObserver
        const all = yield* Effect.forEach(Array.from({ length: 20 }), () => observe(chain, [id]), {
          concurrency: "unbounded"
        })
        assert.isTrue(all.every(([seen]) => isAttestable(seen)))
        yield* observe(chain, [id])
        assert.strictEqual((node?.calls("eth_getTransactionReceipt") ?? 0) - before, 1)
        // A transaction that is not final is read again, and becomes final.
        const fresh = TransactionId.make((yield* deposit(5n)).transactionHash)
        const [early] = yield* observe(chain, [fresh])
        assert.isTrue(early?._tag === "Transaction" && early.finality._tag === "Pending" && early.finality.needed > 0)
        yield* alpha.mine(3)
        const [late] = yield* observe(chain, [fresh])
        assert.isTrue(isAttestable(late))
        const [absent] = yield* observe(chain, [TransactionId.make(`0x${"77".repeat(32)}`)])
        assert.strictEqual(absent?._tag, "Absent")
      }).pipe(Effect.provide(observer([node?.url ?? ""], chain.id)))
    }))

  it.effect("contains events of the configured contracts only, and none of a foreign contract beside an honest deposit", () =>
    Effect.gen(function*() {
      const { alpha, chain, deposit, key, nodes: [node] } = yield* Running
      behave(node, "truth")
      const EVENTS = 6_000
      const depositor = toHex(0xa1, { size: 20 })
      const to = yield* deploySpammer(alpha, key, viemHex(chain.depository))
      const attack = yield* sendCall(alpha, key, {
        to,
        data: spam(EVENTS, 32, depositor, ORDER),
        value: 13n,
        gas: 16_000_000n
      })
      assert.deepStrictEqual([attack.status, attack.logs.length], ["success", EVENTS + 1])
      yield* alpha.mine(3)
      yield* Effect.gen(function*() {
        const { observe } = yield* ChainObserver
        const before = node?.calls("eth_getTransactionReceipt") ?? 0
        const id = TransactionId.make(attack.transactionHash)
        const [seen] = yield* observe(chain, [id])
        if (seen?._tag !== "Transaction") return assert.fail("no evidence")
        assert.deepStrictEqual([
          seen.deposits.map(({ amount }) => amount),
          seen.payments.length,
          seen.routerCalls.length
        ], [[13n], 0, 0])
        // Small enough to be cached: asking again reads nothing.
        yield* observe(chain, [id])
        assert.strictEqual((node?.calls("eth_getTransactionReceipt") ?? 0) - before, 1)
        // Other transactions are read as usual.
        const honest = TransactionId.make((yield* deposit(17n)).transactionHash)
        yield* alpha.mine(3)
        assert.isTrue(isAttestable((yield* observe(chain, [honest]))[0]))
      }).pipe(Effect.provide(observer([node?.url ?? ""], chain.id, undefined, 8_000)))
    }))

  it.effect("comes with the state of its quorum, with host names and no URLs", () =>
    Effect.gen(function*() {
      const { chain, nodes } = yield* Running
      behave(nodes[0], "truth")
      behave(nodes[1], "dead")
      behave(nodes[2], "wrong chain")
      const urls = nodes.map(({ url }) => `${url}/secret-key`)
      const health = yield* Effect.gen(function*() {
        const observer = yield* ChainObserver
        return yield* observer.health(chain)
      }).pipe(Effect.provide(observer(urls, chain.id)))
      assert.deepStrictEqual([health.needed, health.hosts.length, health.answering.length, health.weak], [
        2,
        3,
        1,
        false
      ])
      assert.notInclude(JSON.stringify(health), "secret-key")
    }))
})
