import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createWalletClient, http, parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi } from "../../../../adapters/ethereum/contracts/artifacts/TestFeed.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { ended, execute, nativeRequest, post, quote, reader } from "../../testing/Client.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const setFeed = (anvil: Anvil, key: `0x${string}`, functionName: "setAnswer" | "setAge", value: bigint) =>
  Effect.promise(async () => {
    const { chain } = reader(anvil)
    const wallet = createWalletClient({ account: privateKeyToAccount(key), chain, transport: http() })
    const hash = functionName === "setAnswer"
      ? await wallet.writeContract({ abi, address: addressOf("FeedETH"), functionName, args: [value] })
      : await wallet.writeContract({ abi, address: addressOf("FeedETH"), functionName, args: [value] })
    await reader(anvil).waitForTransactionReceipt({ hash })
  })

/** Feeds are read at most once a second. */
const untilRead = Effect.sleep("1200 millis")

describe("prices from on-chain feeds", () => {
  it.live("follow the feed, and a stale or broken feed is a refusal, not a price", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, startInstance } = yield* startNetwork
      const { url } = yield* startInstance()
      const key = chains.users[0] ?? "0x"
      const request = nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("1"))
      const price = yield* post(`${url}/price`, request)
      const before = yield* quote(url, request)
      assert.deepStrictEqual(Object.keys(price.json() as object), ["fees", "details"])
      const { details, fees } = price.json() as Pick<QuoteAnswer, "details" | "fees">
      assert.strictEqual(fees["relayerService"]?.amount, before.fees["relayerService"]?.amount)
      assert.strictEqual(details.currencyIn.amount, before.details.currencyIn.amount)
      assert.isTrue((before.fees["relayerService"]?.amount ?? "") === "8000000000000", "two cents at 2500 dollars")

      yield* setFeed(chains.alpha, key, "setAnswer", 5_000n * 10n ** 8n)
      yield* untilRead
      const dearer = yield* quote(url, request)
      assert.strictEqual(dearer.fees["relayerService"]?.amount, "4000000000000")

      for (const [functionName, value] of [["setAge", 4_000n], ["setAnswer", 0n]] as const) {
        yield* setFeed(chains.alpha, key, functionName, value)
        yield* untilRead
        const refused = yield* post(`${url}/quote`, request)
        assert.strictEqual(refused.status, 503, refused.text)
        assert.include(refused.text, "PRICE_FETCH_FAILED")
        yield* setFeed(chains.alpha, key, functionName, functionName === "setAge" ? 0n : 2_500n * 10n ** 8n)
        yield* untilRead
        yield* quote(url, request)
      }

      // A price holds for half a minute of the chain's time. After that today's price applies, within the request's
      // tolerance.
      const paid = [{ slippageTolerance: "100", key: chains.users[1] ?? "0x" }, {
        slippageTolerance: "600",
        key: chains.users[2] ?? "0x"
      }]
      const quoted = yield* Effect.forEach(
        paid,
        ({ key, slippageTolerance }) =>
          quote(url, {
            ...request,
            user: privateKeyToAccount(key).address,
            destinationCurrency: USDC.address,
            amount: ETH.some.toString(),
            slippageTolerance
          })
      )
      const tolerant = quoted[1] ?? assert.fail("no quote")
      const owner = privateKeyToAccount(paid[1]?.key ?? "0x").address
      const had = yield* held(chains.beta, USDC, owner)
      yield* setFeed(chains.alpha, key, "setAnswer", 2_400n * 10n ** 8n)
      yield* setFeed(chains.beta, key, "setAnswer", 2_400n * 10n ** 8n)
      yield* chains.alpha.request("evm_increaseTime", [60])
      yield* chains.alpha.mine()
      yield* untilRead
      for (const [index, { key }] of paid.entries()) {
        yield* execute(chains.alpha, key, quoted[index] ?? assert.fail("no quote"))
      }
      const ends = yield* Effect.forEach(quoted, (each) => ended(url, each))
      assert.deepStrictEqual(ends.map(({ failReason, status }) => [status, failReason]), [["refund", "SLIPPAGE"], [
        "success",
        "N/A"
      ]])
      const arrived = (yield* held(chains.beta, USDC, owner)) - had
      assert.isTrue(
        arrived < BigInt(tolerant.details.currencyOut.amount) &&
          arrived >= BigInt(tolerant.details.currencyOut.minimumAmount),
        `${arrived}`
      )
    })))
})
