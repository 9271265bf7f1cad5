import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { evmAddress, alpha } from "../quote/testing/Chains.ts"
import { OrderId } from "../order/Order.ts"
import { transferOf } from "../permit/testing/PermitTransfers.ts"
import { computeDepositAddress } from "./DepositAddress.ts"
import { mayBeForeignSweep } from "./ForeignSweep.ts"

const [present, former] = [evmAddress("f1"), evmAddress("f2")]
const depositor = evmAddress("d1")
const [first, later] = [OrderId.make(`0x${"01".repeat(32)}`), OrderId.make(`0x${"02".repeat(32)}`)]
const chain = { ...alpha, depositAddresses: { factory: present, former: [former] } }

const quotedAt = (factory: typeof present, orderId = first) => {
  const address = Result.getOrThrow(computeDepositAddress({ factory, orderId: first, depositor }))
  return transferOf({ depositAddress: { address, mode: "open", depositor } }, { orderId })
}

it("a deposit may be a foreign sweep only at a former factory, under the address's own order and for its depositor", () => {
  assert.isTrue(mayBeForeignSweep(chain, quotedAt(former), { depositor }))
  assert.isFalse(mayBeForeignSweep(chain, quotedAt(present), { depositor }))
  // Only operators sweep under another order. With another depositor it is a deposit of somebody's own money.
  assert.isFalse(mayBeForeignSweep(chain, quotedAt(former, later), { depositor }))
  assert.isFalse(mayBeForeignSweep(chain, quotedAt(former), { depositor: evmAddress("d2") }))
  assert.isFalse(mayBeForeignSweep(chain, transferOf({}, { orderId: first }), { depositor }))
})
