/**
 * Deposit addresses and their salts against viem's CREATE2 and ABI encoder. DepositAddresses.local.test.ts compares
 * them with the contract.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { encodeAbiParameters, getContractAddress, keccak256 } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { ethereumAddresses } from "../families/ethereum/EthereumAddresses.ts"
import type { Address } from "../chain/Address.ts"
import { OrderId } from "../order/Order.ts"
import { computeDepositAddress, depositAddressSalt } from "./DepositAddress.ts"

type Text = `0x${string}`
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array): Text =>
    `0x${Buffer.from(array).toString("hex")}`
  )

const account = (text: string): Address => Result.getOrThrow(ethereumAddresses.parse(text))

const viemSalt = (orderId: Text, depositor: Text): Text =>
  keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "address" }], [orderId, depositor]))

/** Built as the contract builds it, from viem's functions. */
const viemAddress = (factory: Text, orderId: Text, depositor: Text): string => {
  const implementation = getContractAddress({ from: factory, nonce: 1n })
  const digits = (text: string) => text.slice(2).toLowerCase()
  const bytecode: Text = `0x60498060095f395ff33373${digits(factory)}14601b57005b365f5f375f5f365f73${
    digits(implementation)
  }5af43d5f5f3e6045573d5ffd5b3d5ff3`
  return getContractAddress({ opcode: "CREATE2", from: factory, salt: viemSalt(orderId, depositor), bytecode })
    .toLowerCase()
}

describe("a deposit address", () => {
  it("is viem's CREATE2 address, and its salt viem's hash, for any factory, order and depositor", () => {
    const zero = "0x0000000000000000000000000000000000000000"
    fc.assert(
      fc.property(bytes(20), bytes(32), bytes(20).filter((text) => text !== zero), (factory, orderId, depositor) => {
        const parts = { factory: account(factory), orderId: OrderId.make(orderId), depositor: account(depositor) }
        assert.strictEqual<string>(
          Result.getOrThrow(depositAddressSalt(parts.orderId, parts.depositor)),
          viemSalt(orderId, depositor)
        )
        assert.strictEqual<string>(
          Result.getOrThrow(computeDepositAddress(parts)),
          viemAddress(factory, orderId, depositor)
        )
      }),
      { numRuns: inputs(20_000) }
    )
  })

  it("does not exist without a depositor, and exists for EVM accounts only", () => {
    const orderId = OrderId.make(`0x${"ab".repeat(32)}`)
    const [factory, depositor] = [account(`0x${"f1".repeat(20)}`), account(`0x${"d1".repeat(20)}`)]
    const reasonOf = (change: { readonly factory?: string; readonly depositor?: string }) => {
      const made = computeDepositAddress(
        { factory, depositor, orderId, ...change } as Parameters<typeof computeDepositAddress>[0]
      )
      return Result.isFailure(made) ? made.failure.reason : "accepted"
    }
    assert.strictEqual(reasonOf({}), "accepted")
    assert.include(reasonOf({ depositor: `0x${"00".repeat(20)}` }), "zero")
    assert.include(reasonOf({ depositor: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb" }), "hex digits")
    assert.include(reasonOf({ factory: "0x12" }), "hex digits")
    assert.isTrue(Result.isFailure(depositAddressSalt(orderId, account(`0x${"00".repeat(20)}`))))
  })
})
