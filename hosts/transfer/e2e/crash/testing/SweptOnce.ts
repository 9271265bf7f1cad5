/**
 * What must be true at the end of money that was sent to a deposit address, however often the worker was killed,
 * according to the chains alone.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { parseAbiItem } from "viem"
import type { Hex, Transaction } from "viem"
import type { Anvil } from "../../../../localnet/nodes/ethereum/Anvil.ts"
import { reader } from "../../../testing/Client.ts"
import { balanceOf, eventually } from "../../../testing/Misbehaving.ts"

export interface Paid {
  /** The deposit address. */
  readonly at: Hex
  /** Wei that were sent there in one transfer. */
  readonly sent: bigint
  /** The part above the quoted amount of a strict address. */
  readonly excess: bigint
  /** The account has no other income: its balance is what was returned. */
  readonly back: Hex
}

/** More than the gas of a refund on a local chain. */
const REFUND_GAS = 10n ** 15n

const nativeDeposit = parseAbiItem("event RelayNativeDeposit(address from, uint256 amount, bytes32 id)")

/** The depository's deposits for an order. */
const depositsOf = (anvil: Anvil, order: Hex) =>
  Effect.promise(async () => {
    const logs = await reader(anvil).getLogs({ event: nativeDeposit, fromBlock: 0n })
    return logs.flatMap(({ args: { amount, id } }) => id === order && amount !== undefined ? [amount] : [])
  })

/** For an address that got more than quoted: waits until the excess is returned, before anything is counted. */
export const untilReturned = (alpha: Anvil, { back, excess }: Paid) =>
  excess === 0n
    ? Effect.void
    : Effect.asVoid(eventually("the excess is back", balanceOf(alpha, back), (units) => units > 0n))

interface Sent {
  /** The solver's, on both chains. */
  readonly payments: ReadonlyArray<Transaction>
  /** The operator's, on both chains. */
  readonly sweeps: ReadonlyArray<Transaction>
}

/**
 * One sweep, one deposit of everything that was sent, nothing left at the address, and the excess less its gas in one
 * transaction. `order` is the one that the fill names.
 */
export const assertSweptOnce = Effect.fnUntraced(
  function*(alpha: Anvil, sent: Sent, order: Hex, { at, back, excess, sent: units }: Paid) {
    assert.lengthOf(
      sent.sweeps.filter(({ input, value }) => value === 0n && input.includes(order.slice(2))),
      1,
      `${order}: sweeps`
    )
    assert.deepStrictEqual(yield* depositsOf(alpha, order), [units], `${order}: deposits`)
    assert.strictEqual(yield* balanceOf(alpha, at), 0n, `${order}: what is left at the address`)
    const returns = sent.payments.filter(({ to }) => to?.toLowerCase() === back.toLowerCase())
    assert.lengthOf(returns, excess === 0n ? 0 : 1, `${order}: returns of the excess`)
    const returned = returns.reduce((sum, { value }) => sum + value, 0n)
    assert.strictEqual(yield* balanceOf(alpha, back), returned, `${order}: what is back`)
    if (excess > 0n) {
      assert.isTrue(
        returned < excess && returned > excess - REFUND_GAS,
        `${order}: ${returned} of an excess of ${excess}`
      )
    }
  }
)
