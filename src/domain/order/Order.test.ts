import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bytesToHex } from "@noble/hashes/utils.js"
import { asAddress } from "../families/AddressCodec.ts"
import { ChainSlug } from "../chain/ChainId.ts"
import { Hex, Hex32 } from "../encoding/Hex.ts"
import { recoverHash } from "../encoding/Signature.ts"
import { VmFamily } from "../chain/VmFamily.ts"
import vectors from "../hub/vectors/settlement.json" with { type: "json" }
import { Order, OrderId } from "./Order.ts"
import { orderId } from "./OrderId.ts"
import { isSignedBySolver, signOrder } from "./OrderSignature.ts"
import { orderTypeHash } from "./OrderType.ts"
import { decodeRouterCall, encodeRouterCall } from "./RouterCall.ts"
import { decodeExtraData, encodeExtraData } from "./ExtraData.ts"

const decodeOrder = Schema.decodeUnknownResult(Order)
const families = Schema.decodeUnknownSync(Schema.Record(Schema.String, VmFamily))(vectors.order.vms)
const familyOf = (slug: string) => families[slug]
const order = Schema.decodeUnknownSync(Order)(vectors.order.order)
const id = Schema.decodeUnknownSync(OrderId)(vectors.order.orderId)
const signature = Schema.decodeUnknownSync(Hex)(vectors.order.orderSignature)
const key = Schema.decodeUnknownSync(Hex32)(vectors.order.solverKey)

const tagOf = (result: ReturnType<typeof orderId>) => Result.isFailure(result) ? result.failure._tag : undefined

describe("the pinned order", () => {
  it("has the pinned type hash and id", () => {
    assert.strictEqual(`0x${bytesToHex(orderTypeHash)}`, vectors.orderTypeHash)
    assert.deepStrictEqual(Result.getOrThrow(orderId(order, familyOf)), id)
  })

  it("is signed as pinned, and the signature recovers to the solver", () => {
    assert.strictEqual(Result.getOrThrow(signOrder(id, key)), signature)
    assert.strictEqual(Result.getOrThrow(recoverHash(id, signature)), order.solver)
    assert.isTrue(isSignedBySolver(order, id, signature))
    assert.isFalse(
      isSignedBySolver({ ...order, solver: asAddress("0x0000000000000000000000000000000000000001") }, id, signature)
    )
  })

  it("encodes back to the same JSON", () => {
    assert.deepEqual(Schema.encodeUnknownSync(Order)(order), { ...vectors.order.order, version: "v1" })
  })

  it("has one id in any spelling of its addresses", () => {
    const upper = {
      ...order,
      solver: order.solver,
      fees: order.fees.map((fee) => ({ ...fee, recipient: fee.recipient.replace("fe", "FE") }))
    }
    assert.strictEqual(Result.getOrThrow(orderId(upper, familyOf)), id)
  })

  it("has no id on an unknown chain, or with an address of another family", () => {
    assert.strictEqual(tagOf(orderId(order, () => undefined)), "InvalidOrder")
    const misplaced = {
      ...order,
      output: {
        ...order.output,
        payments: [{
          recipient: "7EaP2zkxDLo86x4rnNwwLhB593PsbMva41dqfrfxhsb1",
          currency: "0x0000000000000000000000000000000000000000",
          minimumAmount: 1n,
          expectedAmount: 1n
        }]
      }
    }
    assert.strictEqual(tagOf(orderId(misplaced, familyOf)), "InvalidAddress")
  })

  it("takes the bytes of the chain's own family, even when another family spells a currency alike", () => {
    const ones = "1".repeat(32)
    const on = (family: VmFamily) => {
      const fee = {
        recipientChainId: order.solverChainId,
        recipient: order.solver,
        currencyChainId: ChainSlug.make("other"),
        currency: ones,
        amount: 1n
      }
      return orderId({ ...order, fees: [fee] }, (slug) => slug === "other" ? family : familyOf(slug))
    }
    const [solana, exchange] = [on("solana-vm"), on("exchangeb-vm")].map(Result.getOrThrow)
    assert.notStrictEqual(solana, exchange)
    assert.strictEqual(tagOf(on("ethereum-vm")), "InvalidAddress")
  })

  it("accepts Bitcoin addresses of its network only, also after the same address was seen on another", () => {
    const fee = {
      recipientChainId: ChainSlug.make("bitcoin"),
      recipient: "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
      currencyChainId: order.solverChainId,
      currency: "0x0000000000000000000000000000000000000000",
      amount: 1n
    }
    const on = (network: "mainnet" | "regtest") =>
      orderId({ ...order, fees: [fee] }, (slug) => slug === "bitcoin" ? "bitcoin-vm" : familyOf(slug), network)
    assert.isTrue(Result.isSuccess(on("regtest")))
    assert.strictEqual(tagOf(on("mainnet")), "InvalidAddress")
    assert.isTrue(Result.isSuccess(on("regtest")))
  })

  it("refuses amounts beyond uint256, leading zeros, deadlines beyond uint32 and wrong checksums", () => {
    const wrong = [
      { ...vectors.order.order, salt: "0x0c" },
      { ...vectors.order.order, solver: "0x88F9b82462f6c4bf4a0fb15e5c3971559a316e7f" },
      { ...vectors.order.order, output: { ...vectors.order.order.output, deadline: 4294967296 } },
      { ...vectors.order.order, fees: [{ ...vectors.order.order.fees[0], amount: (2n ** 256n).toString() }] },
      { ...vectors.order.order, fees: [{ ...vectors.order.order.fees[0], amount: "042" }] }
    ]
    for (const each of wrong) assert.isTrue(Result.isFailure(decodeOrder(each)))
  })

  it("names its call and its router", () => {
    const encoded = order.output.calls[0] ?? assert.fail("no call")
    const call = Result.getOrThrow(decodeRouterCall(encoded))
    assert.deepEqual(call, { to: call.to, data: call.data, value: 7n })
    assert.strictEqual(call.to, "0x00000000000000000000000000000000000000c1")
    assert.strictEqual(call.data, "0xdeadbeef")
    assert.strictEqual(Result.getOrThrow(encodeRouterCall(call)), encoded)
    const router = Result.getOrThrow(decodeExtraData("ethereum-vm", order.output.extraData))
    assert.strictEqual(router, "0x00000000000000000000000000000000000000f1")
    assert.strictEqual(Result.getOrThrow(encodeExtraData("ethereum-vm", router)), order.output.extraData)
  })
})
