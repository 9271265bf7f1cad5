/** Transfers that crash tests begin, and what must be true of each in the end, however often the worker was killed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Anvil } from "../../../localnet/chains/Anvil.ts"
import { ended, nativeRequest, quote, reader, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { keyOf, ledgerOf } from "../../testing/Sponsor.ts"
import type { TestSponsor } from "../../testing/Sponsor.ts"
import { actualOf } from "../../testing/Sponsored.ts"
import type { TestChains } from "../../testing/TestChains.ts"

/** How a transfer is meant to end, who pays its fees, and whether its payment is mined as it was signed first. */
export type Flow = "fill" | "refund" | "sponsored" | "replaced"

/** Pays the fees of `sponsored` transfers, however many there are. */
export const sponsor: TestSponsor = { id: "crash", wallet: toHex(0xc4a5_50, { size: 20 }), balance: 10n ** 12n }

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
  const filled = { recipient: paid, appFees: [{ recipient: toHex(0xfee, { size: 20 }), fee: "30" }] }
  const changes = {
    fill: filled,
    refund: { recipient: toHex(0xdead, { size: 20 }), refundTo: paid, refundOnOrigin: true, referrer: "force-refund" },
    replaced: filled,
    sponsored: { ...filled, subsidizeFees: true }
  }
  const headers = flow === "sponsored" ? keyOf(sponsor) : {}
  return { flow, quoted: yield* quote(url, nativeRequest(user, alpha, beta, AMOUNT, changes[flow]), headers), paid } satisfies Begun
})

const balanceOf = (anvil: Anvil, address: Hex) => Effect.promise(() => reader(anvil).getBalance({ address }))

/** Every transaction of the solver on a chain, in its order there: a plain payment has the order's id as its input. */
export const paymentsOf = (anvil: Anvil, solver: Hex) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const height = await client.getBlockNumber()
    const heights = Array.from({ length: Number(height) + 1 }, (_, index) => BigInt(index))
    const blocks = await Promise.all(heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true })))
    return blocks.flatMap(({ transactions }) => transactions).filter(({ from }) => from.toLowerCase() === solver.toLowerCase())
  })

const UNENDED = "90 seconds"

const endOf = (url: string, { flow, quoted }: Begun) =>
  ended(url, quoted).pipe(Effect.timeoutOrElse({
    duration: UNENDED,
    orElse: () => Effect.flatMap(status(url, quoted), (now) => Effect.die(new Error(`${flow} ${orderIdOf(quoted)} has not ended: ${JSON.stringify(now)}`)))
  }))

/**
 * Each has ended as it was meant to, paid to the unit by exactly one transaction; the solver has sent nothing else.
 * `inTime` says that every deposit came while its quote held: then what was quoted is what was paid.
 */
export const assertEachOnce = Effect.fnUntraced(function*(url: string, { alpha, beta, solver }: TestChains, begun: ReadonlyArray<Begun>, inTime: boolean) {
  const ends = yield* Effect.forEach(begun, (each) => endOf(url, each))
  // Long enough for the sweep and the guards to look again.
  yield* Effect.sleep("3 seconds")
  const payments = [...(yield* paymentsOf(alpha, solver)), ...(yield* paymentsOf(beta, solver))]
  assert.lengthOf(payments, begun.length)
  for (const [index, { flow, paid, quoted }] of begun.entries()) {
    const order = orderIdOf(quoted)
    const end = ends[index]
    assert.strictEqual(end?.status, flow === "refund" ? "refund" : "success", order)
    const [payment, ...others] = payments.filter(({ input }) => input === order)
    assert.lengthOf(others, 0, order)
    assert.strictEqual(payment?.to?.toLowerCase(), paid.toLowerCase(), order)
    assert.strictEqual(yield* balanceOf(flow === "refund" ? alpha : beta, paid), payment?.value, order)
    const { amount, minimumAmount } = quoted.details.currencyOut
    if (flow === "refund") assert.strictEqual(`${payment?.value}`, end?.refunds[0]?.refunded, order)
    else if (inTime) assert.strictEqual(`${payment?.value}`, amount, order)
    else assert.isTrue((payment?.value ?? 0n) >= BigInt(minimumAmount), order)
  }
})

const of = (ledger: Readonly<Record<string, bigint>>, kind: string): bigint =>
  Object.entries(ledger).filter(([account]) => account.startsWith(kind)).reduce((sum, [, units]) => sum + units, 0n)

/** The sponsor has paid once for each of its transfers, at most what was quoted, and nothing of its money is held any more. */
export const assertSponsoredOnce = Effect.fnUntraced(function*(url: string, store: string, begun: ReadonlyArray<Begun>) {
  const sponsored = begun.filter(({ flow }) => flow === "sponsored")
  if (sponsored.length === 0) return
  const actual = yield* Effect.forEach(sponsored, ({ quoted }) => eventually("settled", actualOf(url, quoted), (each) => each !== undefined))
  const ledger = yield* ledgerOf(store)
  const paid = actual.reduce((sum, each) => sum + BigInt(each?.sponsorPayment.amount ?? 0), 0n)
  assert.deepStrictEqual([of(ledger, "Hold:"), of(ledger, "Revenue"), of(ledger, `Wallet:${sponsor.wallet}`)], [0n, paid, sponsor.balance - paid])
  assert.strictEqual(of(ledger, "Receivable:"), -of(ledger, "AppFeePending:"))
  assert.isTrue(paid > 0n)
})
