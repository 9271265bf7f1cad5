import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { encodeAbiParameters, encodeEventTopics } from "viem"
import vectors from "../../../src/domain/settlement/vectors/settlement.json" with { type: "json" }
import { Address } from "../../../src/domain/chain/Address.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { decodeDepositLog, depositEvents } from "./DepositLog.ts"

const depository = Address.make("0xa9aeeaa5254407849c15688e12a168b0f9d83bf0")

const hexOf = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array): `0x${string}` => `0x${Buffer.from(array).toString("hex")}`)
const account = hexOf(20)
const id = hexOf(32)
const amount = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

const topicOf = (eventName: "RelayNativeDeposit" | "RelayErc20Deposit"): `0x${string}` => {
  const [topic] = encodeEventTopics({ abi: depositEvents, eventName })
  return topic
}

const native = (from: `0x${string}`, value: bigint, orderId: `0x${string}`) => ({
  address: depository,
  topics: [topicOf("RelayNativeDeposit")],
  data: encodeAbiParameters([{ type: "address" }, { type: "uint256" }, { type: "bytes32" }], [from, value, orderId])
})

const erc20 = (from: `0x${string}`, token: `0x${string}`, value: bigint, orderId: `0x${string}`) => ({
  address: depository,
  topics: [topicOf("RelayErc20Deposit")],
  data: encodeAbiParameters([{ type: "address" }, { type: "address" }, { type: "uint256" }, { type: "bytes32" }], [from, token, value, orderId])
})

describe("deposit logs", () => {
  it("have the topics of the protocol", () => {
    assert.strictEqual(topicOf("RelayNativeDeposit"), vectors.topics["RelayNativeDeposit(address,uint256,bytes32)"])
    assert.strictEqual(topicOf("RelayErc20Deposit"), vectors.topics["RelayErc20Deposit(address,address,uint256,bytes32)"])
  })

  it("say who, what, how much and for which order", () => {
    fc.assert(
      fc.property(account, account, amount, id, (from, token, value, orderId) => {
        assert.deepStrictEqual<unknown>(
          decodeDepositLog(depository, native(from, value, orderId)),
          { depositor: from, currency: `0x${"0".repeat(40)}`, amount: value, depositId: orderId }
        )
        assert.deepStrictEqual<unknown>(
          decodeDepositLog(depository, erc20(from, token, value, orderId)),
          { depositor: from, currency: token, amount: value, depositId: orderId }
        )
      }),
      { numRuns: inputs(500) }
    )
  })

  it("count only when the depository itself has emitted them", () => {
    fc.assert(
      fc.property(account, account, amount, id, (foreign, from, value, orderId) => {
        fc.pre(foreign !== depository)
        assert.isUndefined(decodeDepositLog(depository, { ...native(from, value, orderId), address: foreign }))
      }),
      { numRuns: inputs(200) }
    )
  })

  it("with further topics, too little data or any garbage are none, and never a throw", () => {
    const topic = fc.oneof(fc.constantFrom(topicOf("RelayNativeDeposit"), topicOf("RelayErc20Deposit")), id, fc.string())
    const data = fc.uint8Array({ maxLength: 200 }).map((array): `0x${string}` => `0x${Buffer.from(array).toString("hex")}`)
    fc.assert(
      fc.property(fc.array(topic, { maxLength: 4 }), data, fc.oneof(fc.constant<string>(depository), fc.string()), (topics, bytes, address) => {
        const decoded = decodeDepositLog(depository, { address, topics, data: bytes })
        if (decoded !== undefined) assert.isTrue(topics.length === 1 && bytes.length >= 2 + 2 * 96 && address === depository)
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })
})
