/**
 * The first of the settlement chain's three endpoints lies about credits, while two are honest: what it hides is
 * credited, and what it makes up is not (QUORUM-5, QUORUM-9).
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import type { Answer, Lie, LyingNode } from "../../testing/LyingNode.ts"
import { marked, startCreditFixture, transferCall } from "./testing/CreditFixture.ts"

class Fixture extends fixtureOf<Fixture>()("test/CreditQuorumStage", startCreditFixture) {}

const USDC = addressOf("TestUSDC")
const word = (value: bigint): string => value.toString(16).padStart(64, "0")

/** Crediting over a first endpoint that tells this lie, and two honest ones. */
const doubting = Effect.fnUntraced(function*(lieOf: (liar: LyingNode) => Lie) {
  const { anvil, crediting } = yield* Fixture
  const [liar, voice] = [yield* lyingNode(anvil.url), yield* lyingNode(anvil.url)]
  liar.lie(lieOf(liar))
  return yield* crediting(undefined, undefined, [liar.url, anvil.url, voice.url])
})

const replaced = (answer: Answer, from: string, to: string): Answer => ({
  ...answer,
  result: JSON.parse(JSON.stringify(answer.result ?? null).replaceAll(from, to)) as unknown
})

/** What a scan and a look at one transaction read. */
const isAboutLogs = (method: string): boolean =>
  method === "eth_getLogs" || method === "eth_getTransactionReceipt" || method === "eth_getTransactionByHash"

layer(Fixture.layer, { excludeTestServices: true })("the preferred endpoint of three", (it) => {
  it.effect("hides a credit for ever: the wallet is credited once, and the alarm names the endpoint alone", () => {
    const logged: Array<string> = []
    return Effect.scoped(Effect.gen(function*() {
      const { send, solver } = yield* Fixture
      let hiding = "none"
      const wallet = toHex(0xba2_0000_0001n, { size: 20 })
      let hidden = 0
      const { balance, listed, settled } = yield* doubting((liar) => {
        hiding = new URL(liar.url).host
        return async ({ method }, truth) => {
          const answer = await truth()
          if (method !== "eth_getLogs" || !JSON.stringify(answer.result).includes(word(7_000_001n))) return answer
          hidden += 1
          return { result: [] }
        }
      })
      yield* send(0, { to: USDC, data: transferCall(solver, 7_000_001n, marked(wallet)) })
      yield* settled
      assert.strictEqual(yield* balance(wallet), 7_000_001n)
      assert.lengthOf(yield* listed, 1)
      assert.isAbove(hidden, 0)
      const told = logged.filter((line) => line.includes("are not shown by"))
      assert.deepStrictEqual(told.map((line) => line.includes(`are not shown by ${hiding}:`)), [true])
    })).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])))
  })

  it.effect("shows a credit of a million times as much: what the quorum shows is credited, and the next credit, too", () =>
    Effect.scoped(Effect.gen(function*() {
      const { send, solver } = yield* Fixture
      const [wallet, next] = [toHex(0xba2_0000_0002n, { size: 20 }), toHex(0xba2_0000_0003n, { size: 20 })] as const
      const { balance, settled } = yield* doubting(() => async ({ method }, truth) => {
        const answer = await truth()
        return isAboutLogs(method) ? replaced(answer, word(3n), word(3_000_000n)) : answer
      })
      yield* send(0, { to: USDC, data: transferCall(solver, 3n, marked(wallet)) })
      yield* settled
      assert.strictEqual(yield* balance(wallet), 3n)
      yield* send(0, { to: USDC, data: transferCall(solver, 5n, marked(next)) })
      yield* settled
      assert.deepStrictEqual([yield* balance(wallet), yield* balance(next)], [3n, 5n])
    })))

  it.effect("shows a credit that was never made: nobody is credited, and the next credit is not held up", () =>
    Effect.scoped(Effect.gen(function*() {
      const { send, solver } = yield* Fixture
      const [wallet, nobody] = [toHex(0xba2_0000_0004n, { size: 20 }), toHex(0xba2_0000_0005n, { size: 20 })] as const
      const made = yield* send(0, { to: USDC, data: transferCall(solver, 11n, marked(wallet)) })
      const forged: Hex = `0x${"ab".repeat(32)}`
      let told = 0
      const forge = (answer: Answer) =>
        replaced(replaced(answer, made.slice(2), forged.slice(2)), wallet.slice(2), nobody.slice(2))
      const { balance, settled } = yield* doubting((liar) => async (call, truth) => {
        if (isAboutLogs(call.method) && call.params?.[0] === forged) {
          return forge(await liar.ask({ ...call, params: [made] }))
        }
        const answer = await truth()
        if (call.method !== "eth_getLogs" || !JSON.stringify(answer.result).includes(made)) return answer
        told += 1
        return {
          result: [answer, forge(answer)].flatMap(({ result }): ReadonlyArray<unknown> =>
            Array.isArray(result) ? result : []
          )
        }
      })
      yield* settled
      assert.isAbove(told, 0)
      assert.deepStrictEqual([yield* balance(wallet), yield* balance(nobody)], [11n, 0n])
    })))
})
