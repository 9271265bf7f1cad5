/** Transfers that crash tests begin, and what must be true of each in the end, however often the worker was killed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../../localnet/chains/Anvil.ts"
import { ended, nativeRequest, quote, reader, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { orderIdOf } from "../../testing/Misbehaving.ts"
import type { TestChains } from "../../testing/TestChains.ts"

/** How a transfer is meant to end. */
export type Flow = "fill" | "refund"

export interface Begun {
  readonly flow: Flow
  readonly quoted: QuoteAnswer
  /** Nobody else ever pays this account, so that its balance is what was paid. */
  readonly paid: Hex
}

const AMOUNT = 10n ** 16n

const fresh = (index: number): Hex => toHex(0xc4a54_0000_0000n + BigInt(index), { size: 20 })

/** Asks for a transfer from alpha to beta, with app fees; one that is meant to go back pays another account on alpha. */
export const begin = Effect.fnUntraced(function*(url: string, { alpha, beta }: TestChains, key: Hex, flow: Flow, index: number) {
  const paid = fresh(index)
  const user = privateKeyToAccount(key).address
  const changes = flow === "fill"
    ? { recipient: paid, appFees: [{ recipient: toHex(0xfee, { size: 20 }), fee: "30" }] }
    : { recipient: toHex(0xdead, { size: 20 }), refundTo: paid, refundOnOrigin: true, referrer: "force-refund" }
  return { flow, quoted: yield* quote(url, nativeRequest(user, alpha, beta, AMOUNT, changes)), paid } satisfies Begun
})

const balanceOf = (anvil: Anvil, address: Hex) => Effect.promise(() => reader(anvil).getBalance({ address }))

/** Every transaction of the solver on a chain, as how often it names which order. */
const paymentsOf = (anvil: Anvil, solver: Hex) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const height = await client.getBlockNumber()
    const heights = Array.from({ length: Number(height) + 1 }, (_, index) => BigInt(index))
    const blocks = await Promise.all(heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true })))
    return blocks.flatMap(({ transactions }) => transactions).filter(({ from }) => from.toLowerCase() === solver.toLowerCase()).map(({ input }) => input)
  })

/** Each has ended as it was meant to, paid to the unit by exactly one transaction; the solver has sent nothing else. */
export const assertEachOnce = Effect.fnUntraced(function*(url: string, { alpha, beta, solver }: TestChains, begun: ReadonlyArray<Begun>) {
  for (const { flow, paid, quoted } of begun) {
    const end = yield* ended(url, quoted).pipe(
      Effect.timeoutOrElse({ duration: "30 seconds", orElse: () => Effect.flatMap(status(url, quoted), (now) => Effect.die(new Error(`${flow} ${orderIdOf(quoted)} has not ended: ${JSON.stringify(now)}`))) })
    )
    assert.strictEqual(end.status, flow === "fill" ? "success" : "refund", orderIdOf(quoted))
    const refunded = BigInt(end.refunds[0]?.refunded ?? "0")
    const due = flow === "fill" ? BigInt(quoted.details.currencyOut.amount) : refunded
    assert.isTrue(due > 0n)
    assert.strictEqual(yield* balanceOf(flow === "fill" ? beta : alpha, paid), due, orderIdOf(quoted))
  }
  // Long enough for the sweep and the guards to look again.
  yield* Effect.sleep("3 seconds")
  const named = [...(yield* paymentsOf(alpha, solver)), ...(yield* paymentsOf(beta, solver))].toSorted()
  assert.deepStrictEqual(named, begun.map(({ quoted }) => orderIdOf(quoted)).toSorted())
})
