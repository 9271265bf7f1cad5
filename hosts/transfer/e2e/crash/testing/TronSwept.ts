/**
 * USDT at a strict deposit address on Tron that crash tests pay, more than was quoted: the whole balance is swept once,
 * with TRX that the solver sends once, the quoted amount is filled, and the excess is returned.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import type { Hex } from "viem"
import { usdt } from "../../../../localnet/nodes/tron/Deposits.ts"
import { nodeAddress, toEvm } from "../../../../localnet/nodes/tron/node/Account.ts"
import type { Executed } from "../../../../localnet/nodes/tron/node/Ledger.ts"
import { keyOf } from "../../../../localnet/nodes/tron/node/LocalKey.ts"
import type { Wallet } from "../../../../localnet/nodes/tron/node/Wallet.ts"
import { balanceOf } from "../../../testing/Misbehaving.ts"
import { assertFilled, payTron, sweepsOf, tronAddressFor } from "../../../testing/TronAddressed.ts"
import { fromTron, namedBy } from "../../../testing/TronClient.ts"
import type { TronQuote } from "../../../testing/TronClient.ts"
import { TRX } from "../../../testing/TronNetwork.ts"
import type { startTronNetwork } from "../../../testing/TronNetwork.ts"

export interface TronSwept {
  readonly _tag: "Swept"
  readonly scenario: "swept"
  readonly quoted: TronQuote
  readonly depositAddress: string
  /** Has no other income. */
  readonly paid: Hex
  /** The excess is returned there. Has no other income. */
  readonly back: string
}

const ONE = 1_000_000n
const QUOTED = 100n * ONE
const EXCESS = 40n * ONE

/** More than a payment of USDT costs, in USDT. */
const MOST_GAS = 20n * ONE

export const beginSwept = Effect.fnUntraced(
  function*(url: string, destinationChainId: number, paid: Hex, back: string) {
    const body = fromTron(
      { key: keyOf(`0x${randomBytes(32).toString("hex")}`) },
      paid,
      [destinationChainId, "0x0000000000000000000000000000000000000000"],
      [usdt, QUOTED],
      { strict: true, refundTo: back }
    )
    const { depositAddress, quoted } = yield* tronAddressFor(url, body)
    return { _tag: "Swept", scenario: "swept", quoted, depositAddress, paid, back } satisfies TronSwept
  }
)

/** From any wallet. */
export const paySwept = (wallet: Wallet, { depositAddress }: TronSwept) =>
  payTron(wallet, depositAddress, usdt, QUOTED + EXCESS)

/** The sun that a plain transfer brings to an account. */
const sunTo = (account: string, { transaction: { raw_data: { contract: [{ parameter: { value } }] } } }: Executed) =>
  "to_address" in value && value.to_address === nodeAddress(toEvm(account)) ? [BigInt(value.amount)] : []

/**
 * Once each: TRX for the sweep, the sweep, the fill and the return. Answers what the solver has sent for it and what
 * the depository has got. `sent`: all transactions of the solver on Tron, `onBeta`: on beta.
 */
export const assertSweptOnTron = Effect.fnUntraced(
  function*(
    { chains: { beta }, heldOnTron, tron }: Effect.Success<typeof startTronNetwork>,
    sent: ReadonlyArray<Executed>,
    onBeta: ReadonlyArray<{ readonly input: string }>,
    { back, depositAddress, paid, quoted }: TronSwept
  ) {
    const sweeps = sweepsOf(tron, depositAddress)
    const order = sweeps[0]?.order ?? assert.fail(`${depositAddress} was not swept`)
    assert.deepStrictEqual(sweeps.map(({ result }) => result), ["SUCCESS"], depositAddress)
    assert.strictEqual(yield* heldOnTron(usdt, depositAddress), 0n, depositAddress)
    const funds = sent.flatMap((each) => sunTo(depositAddress, each))
    assert.lengthOf(funds, 1, depositAddress)
    const funded = funds[0] ?? 0n
    const left = yield* heldOnTron(TRX, depositAddress)
    assert.isTrue(left < funded, `${left} of ${funded} are left at ${depositAddress}`)
    assert.lengthOf(onBeta.filter(({ input }) => input === order), 1, order)
    assertFilled(yield* balanceOf(beta, paid), quoted)
    const returns = sent.filter(({ transaction }) => namedBy(transaction) === order)
    assert.deepStrictEqual(returns.map(({ result }) => result), ["SUCCESS"], order)
    const returned = yield* heldOnTron(usdt, back)
    assert.isTrue(returned < EXCESS && returned > EXCESS - MOST_GAS, `${returned} of ${EXCESS}, ${order}`)
    return { funded, returned, deposited: QUOTED + EXCESS }
  }
)
