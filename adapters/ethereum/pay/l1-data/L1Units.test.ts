/** What a transaction must offer before any code runs, as a node tells it: with less it would hold up its nonce for ever. */
import { assert, describe, it } from "@effect/vitest"
import { createPublicClient, custom, numberToHex, toHex } from "viem"
import { gasWithin, intrinsicGas } from "../GasWithin.ts"
import { unitsToBegin } from "./L1Units.ts"

const ACCOUNT = toHex(1, { size: 20 })
const data = toHex(7, { size: 32 })
const authorization = {
  address: toHex(2, { size: 20 }),
  chainId: 1,
  nonce: 0,
  r: toHex(3, { size: 32 }),
  s: toHex(4, { size: 32 }),
  yParity: 0
} as const
const delegating = { data, authorizationList: [authorization] }

/** A node to which a transaction without code takes so much. */
const nodeOf = (takes: bigint) => {
  const asked: Array<string> = []
  const request = ({ method }: { readonly method: string }) => {
    asked.push(method)
    return Promise.resolve(numberToHex(takes))
  }
  return { asked, client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) }
}

describe("what a transaction takes before any code runs", () => {
  it("is asked for on Arbitrum, and where it carries delegations, which make state (EIP-8037)", async () => {
    const ofChain = [
      [{ l1DataFee: "arbitrum" }, { data }],
      [{}, delegating]
    ] as const
    for (const [chain, body] of ofChain) {
      const { asked, client } = nodeOf(intrinsicGas(body) + 218_790n)
      assert.strictEqual(await unitsToBegin(client, ACCOUNT, chain, body), (218_790n * 12n) / 10n)
      assert.deepStrictEqual(asked, ["eth_estimateGas"])
    }
  })

  it("is the EVM's own price everywhere else, without a question", async () => {
    const { asked, client } = nodeOf(1_000_000n)
    assert.strictEqual(await unitsToBegin(client, ACCOUNT, {}, { data }), 0n)
    assert.deepStrictEqual(asked, [])
  })

  it("keeps a fill with a delegation from a replacement that no block takes", async () => {
    const { client } = nodeOf(intrinsicGas(delegating) + 218_790n)
    const above = await unitsToBegin(client, ACCOUNT, {}, delegating)
    const signed = { ...delegating, gas: 900_000n, maxFeePerGas: 10n }
    assert.strictEqual(gasWithin(signed, 45n), 200_000n)
    assert.isUndefined(gasWithin(signed, 45n, above))
  })
})
