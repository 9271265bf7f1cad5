/** Calls of a fill cannot take what is not the order's, whatever they are (SAFE-1). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Address, Hex } from "viem"
import { encodeFunctionData, erc20Abi } from "viem"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { abi as marketAbi, bytecode as marketCode } from "../artifacts/Market.ts"
import { approve, play, robberies, wealth } from "../testing/Robberies.ts"
import type { Act } from "../testing/Fixture.ts"
import { fillData, NATIVE, useFixture, word } from "../testing/Fixture.ts"

const fixture = useFixture()

const ALICE: Address = "0x00000000000000000000000000000000000000a1"
const BOB: Address = "0x00000000000000000000000000000000000000b0"

describe("fill", () => {
  it("for any calls, the vault loses exactly the payments or nothing, and router and executor end empty", async () => {
    const s = fixture()
    const market = await s.create(s.thief, marketCode)
    await s.mint(s.usdt, market, 10_000n)
    let order = 1000
    const amount = fc.bigInt({ min: 0n, max: 1000n })
    const payment = fc.tuple(
      fc.constantFrom(ALICE, BOB, s.router, s.puppet, s.refuser),
      fc.constantFrom(NATIVE, s.usdc, s.usdt),
      amount
    )
    const menu = fc.oneof(
      amount.map((value): Act => ({ to: BOB, data: "0x", value })),
      amount.map((value): Act => ({ to: s.usdc, data: approve(s.puppet, value) })),
      amount.map((value): Act => ({
        to: s.usdc,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [s.router, value] })
      })),
      amount.map((value): Act => ({ to: s.usdc, data: approve(market, value) })),
      amount.map((value): Act => ({
        to: market,
        data: encodeFunctionData({ abi: marketAbi, functionName: "swap", args: [s.usdc, value, s.usdt, value] })
      })),
      fc.nat(16).map((index): number => index),
      fc.constant<Act>({ to: s.puppet, data: play })
    )
    const fill = async (
      payments: ReadonlyArray<readonly [Address, Address, bigint]>,
      chosen: ReadonlyArray<Act | number>,
      lessons: ReadonlyArray<number>
    ) => {
      const executor = await s.nextExecutor()
      const acts = await robberies(s, executor)
      const calls = chosen.flatMap((call) => typeof call === "number" ? acts.slice(call, call + 1) : [call])
      await s.teach(lessons.flatMap((index) => acts.slice(index, index + 1)))
      const before = await wealth(s)
      order += 1
      const data: Hex = fillData({
        orderId: word(order),
        payments,
        calls,
        leftovers: [s.usdc, s.usdt],
        recipient: ALICE
      })
      const { status } = await s.transact(s.solver, { to: s.vault, data })
      const paid = [NATIVE, s.usdc, s.usdt].map((token) =>
        status === "reverted" ? 0n : payments.reduce((sum, [, of, value]) => of === token ? sum + value : sum, 0n)
      )
      assert.deepStrictEqual(await wealth(s), before.map((was, index) => was - (paid[index] ?? 0n)))
      for (const token of [NATIVE, s.usdc, s.usdt]) {
        assert.strictEqual(await s.balance(token, executor), 0n)
        assert.strictEqual(await s.balance(token, s.router), 0n)
      }
      return status
    }
    // The law is tried on fills that succeed: of each token, with calls and what they leave; and on one that does not.
    const given: Act = { to: BOB, data: "0x", value: 3n }
    assert.strictEqual(await fill([[ALICE, NATIVE, 7n], [BOB, s.usdc, 8n], [BOB, s.usdt, 9n]], [], []), "success")
    assert.strictEqual(await fill([[s.router, NATIVE, 7n], [s.router, s.usdc, 8n]], [given], []), "success")
    assert.strictEqual(await fill([[s.refuser, NATIVE, 7n]], [], []), "reverted")
    await fc.assert(
      fc.asyncProperty(
        fc.array(payment, { maxLength: 4 }),
        fc.array(menu, { maxLength: 4 }),
        fc.array(fc.nat(16), { maxLength: 3 }),
        async (payments, chosen, lessons) => void (await fill(payments, chosen, lessons))
      ),
      { numRuns: inputs(60, 1000) }
    )
  })
})
