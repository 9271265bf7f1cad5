import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createWalletClient, http, parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi } from "../../adapters/ethereum/contracts/abi/TestFeed.ts"
import { addressOf } from "../localnet/Addresses.ts"
import type { Anvil } from "../localnet/chains/Anvil.ts"
import { nativeRequest, post, quote, reader } from "./testing/Client.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

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

describe("prices from feeds on the chain", () => {
  it.live("follow the feed, and a feed that is stale or broken is a refusal and no price", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, startHost } = yield* startNetwork
      const { url } = yield* startHost()
      const key = chains.users[0] ?? "0x"
      const request = nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("1"))
      const before = yield* quote(url, request)
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
    })))
})
