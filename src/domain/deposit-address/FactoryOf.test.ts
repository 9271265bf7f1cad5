import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { evmAddress, alpha } from "../quote/testing/Chains.ts"
import { OrderId } from "../order/Order.ts"
import { computeDepositAddress } from "./DepositAddress.ts"
import { factoryOf, isOfFormerFactory } from "./FactoryOf.ts"

const [present, old, older, foreign] = [evmAddress("f1"), evmAddress("f2"), evmAddress("f3"), evmAddress("f4")]
const depositor = evmAddress("d1")
const orderId = OrderId.make(`0x${"01".repeat(32)}`)
const chain = { ...alpha, depositAddresses: { factory: present, former: [old, older] } }
const at = (factory: typeof present) => ({
  orderId,
  depositor,
  address: Result.getOrThrow(computeDepositAddress({ factory, orderId, depositor }))
})

describe("the factory of a deposit address", () => {
  it("is the configured one that the address is computed from", () => {
    for (const factory of [present, old, older]) assert.strictEqual(factoryOf(chain, at(factory)), factory)
    assert.isUndefined(factoryOf(chain, at(foreign)))
    assert.isUndefined(factoryOf(chain, { ...at(present), depositor: evmAddress("d2") }))
    assert.isUndefined(factoryOf({ ...alpha, depositAddresses: { keys: "derived" } }, at(present)))
  })

  it("is a former one if it is not the one that is quoted from", () => {
    assert.deepStrictEqual([present, old, older, foreign].map((factory) => isOfFormerFactory(chain, at(factory))), [
      false,
      true,
      true,
      false
    ])
  })
})
