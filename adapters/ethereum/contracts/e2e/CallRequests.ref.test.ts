import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Address, Hex } from "viem"
import { hashStruct } from "viem"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import vectors from "../../../../src/domain/hub/vectors/settlement.json" with { type: "json" }
import { abi } from "../artifacts/Depository.ts"
import type { Request } from "../testing/Requests.ts"
import { request, TYPES } from "../testing/Requests.ts"
import { useFixture } from "../testing/Fixture.ts"

const fixture = useFixture()

const hash = (message: Request): Promise<Hex> =>
  fixture().client.readContract({
    address: fixture().depository,
    abi,
    functionName: "hashCallRequest",
    args: [message]
  })

describe("Depository: the hash of a request", () => {
  it("is the pinned withdrawalId", async () => {
    const to: Address = "0x9876543210987654321098765432109876543210"
    const pinned = vectors.withdrawalId.find((vector) => vector.vm === "ethereum-vm")
    assert.strictEqual(await hash(request([{ to, value: 10n ** 18n }], { expiration: 1735680000n })), pinned?.id)
  })

  it("equals viem's hashStruct for any request", async () => {
    const bytes = (length: number) =>
      fc.uint8Array({ minLength: length, maxLength: length }).map((array): Hex =>
        `0x${Buffer.from(array).toString("hex")}`
      )
    const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
    const calls = fc.array(
      fc.record({
        to: bytes(20),
        data: fc.integer({ min: 0, max: 70 }).chain(bytes),
        value: uint,
        allowFailure: fc.boolean()
      }),
      { maxLength: 4 }
    )
    await fc.assert(
      fc.asyncProperty(fc.record({ calls, nonce: uint, expiration: uint }), async (message) => {
        assert.strictEqual(await hash(message), hashStruct({ data: message, types: TYPES, primaryType: "CallRequest" }))
      }),
      { numRuns: inputs(50, 2000) }
    )
  })
})
