/**
 * The one deposit address of the contract tests, the user's for ORDER: its address, funding, and the check that it is
 * untouched.
 */
import { assert } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { Address, Hex } from "viem"
import { erc20Abi, getAddress } from "viem"
import { EthereumAddress } from "../../../../src/domain/chain/Address.ts"
import { computeDepositAddress } from "../../../../src/domain/deposit-address/DepositAddress.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import type { SweepOf } from "./Factory.ts"
import { sweepData } from "./Factory.ts"
import type { Fixture } from "./Fixture.ts"
import { NATIVE, word } from "./Fixture.ts"

export const ORDER = word(8)
export const LATER = word(9)

/** An address in the core's type. */
export const account = Schema.decodeSync(EthereumAddress)

/** Computed by the pure core: every test that pays an address shows that the contract agrees. */
export const addressOf = (factory: Address, orderId: Hex, depositor: Address): Address =>
  getAddress(Result.getOrThrow(computeDepositAddress({
    factory: account(factory),
    orderId: OrderId.make(orderId),
    depositor: account(depositor)
  })))

export const usersAddress = ({ factory, user }: Fixture): Address => addressOf(factory, ORDER, user)

/** A sweep of the address, with changes. */
export const sweepOf = ({ user }: Fixture, currency: Address, change: Partial<SweepOf> = {}): SweepOf => ({
  orderId: ORDER,
  depositor: user,
  currency,
  ...change
})

/** Sends it 10 wei and 10 USDC. `exists`: it was swept, and so deployed, before. */
export const fund = async (fixture: Fixture, exists: boolean): Promise<void> => {
  const { factory, mint, send, solver, thief, usdc } = fixture
  const address = usersAddress(fixture)
  if (exists) {
    await send(thief, address, "0x", 1n)
    await send(solver, factory, sweepData(sweepOf(fixture, NATIVE)))
  }
  await send(thief, address, "0x", 10n)
  await mint(usdc, address, 10n)
}

/** Everything that `fund` sent is still there, and no account has an allowance for it. */
export const untouched = async (fixture: Fixture): Promise<void> => {
  const { balance, client, depository, puppet, thief, usdc } = fixture
  const address = usersAddress(fixture)
  assert.deepStrictEqual([await balance(NATIVE, address), await balance(usdc, address)], [10n, 10n])
  for (const spender of [depository, puppet, thief]) {
    const allowed = await client.readContract({
      address: usdc,
      abi: erc20Abi,
      functionName: "allowance",
      args: [address, spender]
    })
    assert.strictEqual(allowed, 0n)
  }
}
