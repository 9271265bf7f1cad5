/**
 * The first endpoint of a chain, which the solver prefers, lies about money, while two others are honest (QUORUM-5). It
 * invents a deposit, hides one, hides a reorg, denies a payment so that it would be paid again, names nonces that leave
 * a gap, shows half of a send as the whole, and names great fees.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { keccak256, parseEther } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ended, nativeRequest, quote, reader, sendCall, sendDeposit, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import type { Call, LyingNode } from "../../testing/LyingNode.ts"
import {
  alarms,
  balanceOf,
  closed,
  eventually,
  holdMining,
  orderIdOf,
  paymentsOf,
  resumeMining
} from "../../testing/Misbehaving.ts"
import { sendRaw, signDeposit } from "../../testing/SignedDeposit.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Network extends Context.Service<Network, Effect.Success<typeof startNetwork>>()("test/DoubtedNetwork") {
  static readonly layer = Layer.effect(Network, Effect.suspend(() => startNetwork))
}

/** A host that reads each chain by three endpoints: one that can lie and is preferred, and two honest ones. */
const doubting = Effect.gen(function*() {
  const { chains, startInstance } = yield* Network
  const [alphaLiar, betaLiar] = [yield* lyingNode(chains.alpha.url), yield* lyingNode(chains.beta.url)]
  const [alphaVoice, betaVoice] = [yield* lyingNode(chains.alpha.url), yield* lyingNode(chains.beta.url)]
  const { output, url } = yield* startInstance({
    ALPHA_RPC_URL: [alphaLiar.url, chains.alpha.url, alphaVoice.url].join(","),
    BETA_RPC_URL: [betaLiar.url, chains.beta.url, betaVoice.url].join(",")
  })
  return { chains, alphaLiar, betaLiar, output, url }
})

const ask = Effect.fnUntraced(function*(url: string, index: number, amount: string, recipient: Hex) {
  const { chains } = yield* Network
  const key = chains.users[index] ?? "0x"
  const user = privateKeyToAccount(key).address
  const body = nativeRequest(user, chains.alpha, chains.beta, parseEther(amount), { recipient })
  return { key, user, recipient, quoted: yield* quote(url, body) }
})

/** How often this endpoint contradicted its quorum. Fails when another endpoint of the chain did, too. */
const named = (url: string, chain: string, liar: LyingNode) =>
  Effect.promise(async () => {
    const text = await fetch(`${url}/metrics`).then((response) => response.text())
    const lines = text.split("\n").filter((line) =>
      line.startsWith("causeway_endpoint_dissents_total{") && line.includes(`"${chain}"`)
    )
    const of = (line: string) => Number(line.split(" ").at(-1))
    const { host } = new URL(liar.url)
    for (const line of lines) if (!line.includes(host)) assert.strictEqual(of(line), 0, line)
    return lines.filter((line) => line.includes(host)).map(of).reduce((sum, each) => sum + each, 0)
  })

const eventuallyNamed = (url: string, chain: string, liar: LyingNode) =>
  eventually(`the alarm names the liar of ${chain}`, named(url, chain, liar), (count) => count > 0)

const assertUnpaid = Effect.fnUntraced(function*(quoted: QuoteAnswer, recipient: Hex) {
  const { chains: { alpha, beta, solver } } = yield* Network
  assert.strictEqual(yield* balanceOf(beta, recipient), 0n)
  assert.lengthOf(yield* paymentsOf(beta, solver, quoted), 0)
  assert.lengthOf(yield* paymentsOf(alpha, solver, quoted), 0)
})

/** A node's answer to a call, as text, to make a lie from. */
const answerOf = (node: LyingNode, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.promise(async () => JSON.stringify((await node.ask({ id: 1, method, params })).result))

/** An answer with more logs appended. */
const withLogs = (result: unknown, logs: ReadonlyArray<unknown>) => {
  const said: ReadonlyArray<unknown> = Array.isArray(result) ? result : []
  return { result: [...said, ...logs] }
}

const logsOf = (receipt: unknown) => (receipt as { readonly logs: ReadonlyArray<unknown> }).logs

const replaceAll = (text: string, changes: ReadonlyArray<readonly [from: string, to: string]>): string =>
  changes.reduce(
    (changed, [from, to]) => changed.replaceAll(from.slice(2).toLowerCase(), to.slice(2).toLowerCase()),
    text
  )

/** The base fee is what it is: only blocks tell it. */
const namingTip = (tip: bigint): Parameters<LyingNode["lie"]>[0] => ({ method }, truth) =>
  method === "eth_maxPriorityFeePerGas" ? Promise.resolve({ result: hex(tip) }) : truth()

const hex = (value: bigint): Hex => `0x${value.toString(16)}`
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`

layer(Network.layer, { excludeTestServices: true })("the preferred endpoint of three", (it) => {
  it.effect("invents a deposit in a real block: nothing is paid for it, and the alarm names the endpoint", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaLiar, chains: { alpha }, url } = yield* doubting
      // A small real deposit is the template of the invented one.
      const real = yield* ask(url, 0, "0.01", "0x000000000000000000000000000000000000e101")
      const { transactionHash: made } = yield* sendDeposit(alpha, real.key, real.quoted)
      assert.strictEqual((yield* ended(url, real.quoted)).status, "success")
      const told = yield* ask(url, 1, "2", "0x000000000000000000000000000000000000e102")
      const raw = yield* signDeposit(alpha, told.key, told.quoted)
      const hash = keccak256(raw)
      const place = yield* Effect.promise(() => reader(alpha).getBlock())
      const from = yield* Effect.promise(() => reader(alpha).getTransactionReceipt({ hash: made }))
      const changes = [
        [made, hash],
        [orderIdOf(real.quoted), orderIdOf(told.quoted)],
        [real.user, told.user],
        [from.blockHash, place.hash],
        [word(parseEther("0.01")), word(parseEther("2"))]
      ] as const
      const moved = (text: string): unknown =>
        JSON.parse(
          replaceAll(text, changes)
            .replaceAll(`"${hex(from.blockNumber)}"`, `"${hex(place.number)}"`)
            .replaceAll(`"${hex(parseEther("0.01"))}"`, `"${hex(parseEther("2"))}"`)
        )
      const receipt = moved(yield* answerOf(alphaLiar, "eth_getTransactionReceipt", made))
      const transaction = moved(yield* answerOf(alphaLiar, "eth_getTransactionByHash", made))
      const logs = logsOf(receipt)
      const isForDeposits = ({ params }: Call) => JSON.stringify(params).includes(from.logs[0]?.topics[0] ?? "none")
      alphaLiar.lie(async (call, truth) => {
        if (call.method === "eth_getTransactionReceipt" && call.params?.[0] === hash) return { result: receipt }
        if (call.method === "eth_getTransactionByHash" && call.params?.[0] === hash) return { result: transaction }
        const answer = await truth()
        return call.method === "eth_getLogs" && isForDeposits(call) ?
          withLogs(answer.result, logs)
          : answer
      })
      yield* eventuallyNamed(url, "alpha", alphaLiar)
      yield* eventually("the deposit is closed as gone", closed(url, "gone"), (count) => count > 0)
      yield* assertUnpaid(told.quoted, told.recipient)
      // The other endpoints serve the chain, although this one keeps lying.
      const next = yield* ask(url, 2, "1", "0x000000000000000000000000000000000000e103")
      yield* sendDeposit(alpha, next.key, next.quoted)
      assert.strictEqual((yield* ended(url, next.quoted)).status, "success")
      yield* assertUnpaid(told.quoted, told.recipient)
    })))

  it.effect("hides a deposit for ever: it is found once it is final, filled once, and told as an alarm (QUORUM-7)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaLiar, chains: { alpha, beta, solver }, output, url } = yield* doubting
      const asked = yield* ask(url, 5, "1", "0x000000000000000000000000000000000000e106")
      let hidden = 0
      alphaLiar.lie(async ({ method }, truth) => {
        const answer = await truth()
        if (method !== "eth_getLogs" || !JSON.stringify(answer.result).includes(orderIdOf(asked.quoted).slice(2))) {
          return answer
        }
        hidden += 1
        return { result: [] }
      })
      yield* sendDeposit(alpha, asked.key, asked.quoted)
      assert.strictEqual((yield* ended(url, asked.quoted)).status, "success")
      assert.isAbove(hidden, 0)
      assert.lengthOf(yield* paymentsOf(beta, solver, asked.quoted), 1)
      yield* eventually("the alarm", alarms(url, "deposit-hidden"), (count) => count === 1)
      yield* eventually(
        "the log says so",
        Effect.sync(output),
        (text) => text.includes(`are found only now: ${new URL(alphaLiar.url).host} hides them`)
      )
    })))

  it.effect("hides the reorg that removed a deposit, and calls it final: nothing is paid for it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaLiar, chains: { alpha }, url } = yield* doubting
      // Large enough to be filled only once it is final.
      const told = yield* ask(url, 3, "45", "0x000000000000000000000000000000000000e104")
      yield* holdMining(alpha)
      const hash = yield* sendRaw(alpha, yield* signDeposit(alpha, told.key, told.quoted))
      yield* alpha.mine()
      const place = yield* Effect.promise(() => reader(alpha).getTransactionReceipt({ hash }))
      const at = hex(place.blockNumber)
      const old = new Map<string, unknown>()
      for (
        const [method, ...params] of [
          ["eth_getTransactionReceipt", hash],
          ["eth_getTransactionByHash", hash],
          ["eth_getBlockByNumber", at, false]
        ] as const
      ) old.set(`${method} ${params[0]}`, JSON.parse(yield* answerOf(alphaLiar, method, ...params)))
      const logs = logsOf(old.get(`eth_getTransactionReceipt ${hash}`))
      alphaLiar.lie(async ({ method, params }, truth) => {
        const hidden = old.get(`${method} ${String(params?.[0])}`)
        if (hidden !== undefined) return { result: hidden }
        const answer = await truth()
        return method === "eth_getLogs" && JSON.stringify(params).includes(place.logs[0]?.topics[0] ?? "none") ?
          withLogs(answer.result, logs)
          : answer
      })
      yield* eventually("the deposit is seen", status(url, told.quoted), (answer) => answer.status === "depositing")
      yield* alpha.reorg(1)
      yield* alpha.mine(6)
      yield* resumeMining(alpha)
      yield* eventuallyNamed(url, "alpha", alphaLiar)
      yield* eventually("it is waiting again", status(url, told.quoted), (answer) => answer.status === "waiting")
      yield* assertUnpaid(told.quoted, told.recipient)
    })))

  it.effect("denies a payment and claims that another transaction used its nonce: it is paid once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaLiar, chains: { alpha, beta, solver }, url } = yield* doubting
      const asked = yield* ask(url, 4, "1", "0x000000000000000000000000000000000000e105")
      const denied = new Set<string>()
      betaLiar.lie(async ({ method, params }, truth) => {
        if (method === "eth_sendRawTransaction") denied.add(keccak256(String(params?.[0]) as Hex))
        if (method === "eth_getTransactionReceipt" || method === "eth_getTransactionByHash") {
          return denied.has(String(params?.[0])) ? { result: null } : truth()
        }
        const answer = await truth()
        if (method !== "eth_getBlockByNumber" || answer.result === null) return answer
        const block = answer.result as { readonly transactions: ReadonlyArray<unknown> }
        return { result: { ...block, transactions: block.transactions.filter((each) => !denied.has(String(each))) } }
      })
      yield* sendDeposit(alpha, asked.key, asked.quoted)
      assert.strictEqual((yield* ended(url, asked.quoted)).status, "success")
      yield* eventuallyNamed(url, "beta", betaLiar)
      yield* eventually("the deposit is closed", closed(url, "filled"), (count) => count > 0)
      assert.lengthOf(yield* paymentsOf(beta, solver, asked.quoted), 1)
      assert.strictEqual(yield* balanceOf(beta, asked.recipient), BigInt(asked.quoted.details.currencyOut.amount))
      assert.strictEqual(yield* alarms(url, "sequence-used-by-another"), 0)
    })))

  it.effect("names a nonce that the account has not reached: the payment does not wait behind a gap", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaLiar, chains: { alpha, beta, solver }, url } = yield* doubting
      const asked = yield* ask(url, 5, "1", "0x000000000000000000000000000000000000e109")
      betaLiar.lie(async ({ method, params }, truth) => {
        const answer = await truth()
        return method === "eth_getTransactionCount" && params?.[1] === "latest"
          ? { result: hex(BigInt(String(answer.result)) + 7n) }
          : answer
      })
      yield* sendDeposit(alpha, asked.key, asked.quoted)
      assert.strictEqual((yield* ended(url, asked.quoted)).status, "success")
      assert.lengthOf(yield* paymentsOf(beta, solver, asked.quoted), 1)
      assert.strictEqual(yield* balanceOf(beta, asked.recipient), BigInt(asked.quoted.details.currencyOut.amount))
    })))

  it.effect("names a great tip: the payment burns no more than the others name (EVM-9)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaLiar, chains: { alpha, beta, solver }, url } = yield* doubting
      const asked = yield* ask(url, 7, "1", "0x000000000000000000000000000000000000e111")
      betaLiar.lie(namingTip(parseEther("0.0001")))
      yield* sendDeposit(alpha, asked.key, asked.quoted)
      assert.strictEqual((yield* ended(url, asked.quoted)).status, "success")
      const [paid, ...others] = yield* paymentsOf(beta, solver, asked.quoted)
      assert.lengthOf(others, 0)
      assert.isBelow(Number(paid?.maxPriorityFeePerGas ?? Infinity), 100e9)
    })))

  it.effect("names a great fee: what has to go back is worth its gas by the others' word (REFUND-18)", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaLiar, chains: { alpha, solver }, url } = yield* doubting
      const asked = yield* ask(url, 8, "1", "0x000000000000000000000000000000000000e112")
      yield* sendDeposit(alpha, asked.key, asked.quoted)
      assert.strictEqual((yield* ended(url, asked.quoted)).status, "success")
      alphaLiar.lie(namingTip(parseEther("0.0001")))
      // A second deposit of the order.
      yield* sendDeposit(alpha, asked.key, asked.quoted)
      const refunds = yield* eventually(
        "it is refunded",
        paymentsOf(alpha, solver, asked.quoted),
        (all) => all.length > 0
      )
      assert.isAbove(Number(refunds[0]?.value ?? 0n), Number(parseEther("0.9")))
    })))

  it.effect("shows half of a send as the whole: the request does not succeed by its word, and does once all is paid", () =>
    Effect.scoped(Effect.gen(function*() {
      const { alphaLiar, chains: { alpha, users }, url } = yield* doubting
      const [key, recipient] = [users[6] ?? "0x", "0x000000000000000000000000000000000000e110"] as const
      // Large enough to count only once it is final.
      const [whole, half] = [parseEther("60"), parseEther("30")]
      const user = privateKeyToAccount(key).address
      const quoted = yield* quote(url, nativeRequest(user, alpha, alpha, whole, { recipient }))
      const data = quoted.steps[0]?.items[0]?.data.data ?? "0x"
      alphaLiar.lie(async ({ method }, truth) => {
        const answer = await truth()
        return method === "eth_getBlockByNumber" || method === "eth_getTransactionByHash"
          ? {
            result: JSON.parse(JSON.stringify(answer.result).replaceAll(`"${hex(half)}"`, `"${hex(whole)}"`)) as unknown
          }
          : answer
      })
      yield* sendCall(alpha, key, { to: recipient, data, value: half })
      yield* eventuallyNamed(url, "alpha", alphaLiar)
      yield* eventually("it is awaited again", status(url, quoted), ({ txHashes }) => txHashes.length === 0)
      assert.notStrictEqual((yield* status(url, quoted)).status, "success")
      yield* sendCall(alpha, key, { to: recipient, data, value: whole })
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
    })))
})
