/**
 * The same payments, sent to a former factory, sweep its addresses. The hole of the former factory does not exist in
 * today's.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type { Address, Hex } from "viem"
import { concat, encodeDeployData, getContractAddress, zeroHash } from "viem"
import { CurrencyAddress } from "../../../../src/domain/chain/Address.ts"
import { computeDepositAddress } from "../../../../src/domain/deposit-address/DepositAddress.ts"
import { factoryOf } from "../../../../src/domain/deposit-address/FactoryOf.ts"
import { OrderId } from "../../../../src/domain/order/Order.ts"
import { alpha } from "../../../../src/domain/quote/testing/Chains.ts"
import { paymentBody } from "../../pay/PaymentTransaction.ts"
import { abi } from "../artifacts/DepositAddresses.ts"
import { CREATE2_DEPLOYER, setDepository, setOperator, sweepData } from "../testing/Factory.ts"
import { bytecode } from "../testing/FormerFactory.ts"
import { event, eventsOf, NATIVE, useFixture } from "../testing/Fixture.ts"
import { account, addressOf, LATER, ORDER, sweepOf } from "../testing/UsersAddress.ts"

const fixture = useFixture()

/** A factory through which anyone may sweep, as it used to be. */
const former = async (): Promise<Address> => {
  const { depository, owner, send, solver, thief } = fixture()
  const initCode = encodeDeployData({ abi, bytecode, args: [owner] })
  const factory = getContractAddress({ opcode: "CREATE2", from: CREATE2_DEPLOYER, salt: zeroHash, bytecode: initCode })
  await send(thief, CREATE2_DEPLOYER, concat([zeroHash, initCode]))
  await send(owner, factory, setDepository(depository))
  await send(owner, factory, setOperator(solver))
  return factory
}

/** The transaction with which a worker sweeps the user's address of a factory. */
const bodyOf = (factories: { readonly present: Address; readonly former: Address }, at: Address, depositId: Hex) => {
  const chain = {
    ...alpha,
    depositAddresses: { factory: account(factories.present), former: [account(factories.former)] }
  }
  const [orderId, depositor] = [OrderId.make(ORDER), account(fixture().user)]
  const address = Result.getOrThrow(computeDepositAddress({ factory: account(at), orderId, depositor }))
  const recipient = factoryOf(chain, { address, orderId, depositor })
  const sweep = {
    address,
    orderId,
    depositor,
    depositId: OrderId.make(depositId),
    currency: CurrencyAddress.make(NATIVE)
  }
  return recipient === undefined
    ? undefined
    : paymentBody({
      _tag: "Sweep",
      chain,
      currency: chain.native,
      recipient,
      amount: 0n,
      orderId: OrderId.make(zeroHash),
      sweep
    })
}

describe("a former factory", () => {
  it("sweeps its own addresses, under the address's order or a later one; addresses of the current factory go to the current one", async () => {
    const { factory: present, send, solver, thief, user } = fixture()
    const old = await former()
    for (const [at, id] of [[old, ORDER], [old, LATER], [present, ORDER], [present, LATER]] as const) {
      await send(thief, addressOf(at, ORDER, user), "0x", 5n)
      const body = bodyOf({ present, former: old }, at, id)
      assert.strictEqual<string | undefined>(body?.to, account(at))
      assert.deepStrictEqual(eventsOf(await send(solver, at, body?.data ?? "0x")), [
        event("RelayNativeDeposit", user, 5n, id)
      ])
    }
  })

  it("that is not configured sweeps nothing", async () => {
    const { factory: present, stranger } = fixture()
    const old = await former()
    assert.isUndefined(bodyOf({ present, former: stranger }, old, ORDER))
  })

  it("lets anyone sweep another's address; the current factory does not", async () => {
    const { factory: present, refusal, send, thief, user } = fixture()
    const old = await former()
    for (const at of [old, present]) await send(thief, addressOf(at, ORDER, user), "0x", 5n)
    assert.lengthOf(eventsOf(await send(thief, old, sweepData(sweepOf(fixture(), NATIVE)))), 1)
    assert.strictEqual(await refusal(thief, present, sweepData(sweepOf(fixture(), NATIVE))), "NotAnOperator")
  })
})
