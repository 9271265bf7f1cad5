/** A stranger's contract deposits thousands of times in a few transactions: each is read once, nothing is begun, and an honest deposit is filled. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { concatHex, createWalletClient, encodeFunctionData, erc20Abi, http, pad, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../localnet/Addresses.ts"
import { ended, nativeRequest, quote, reader, sendCall, sendDeposit } from "./testing/Client.ts"
import { lyingNode } from "./testing/LyingNode.ts"
import { closed, eventually } from "./testing/Misbehaving.ts"
import { USDC } from "./testing/Tokens.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

const TRANSACTIONS = 5
const EACH = 2_800

/** Calls the address in its first word as often as its second says, with the 68 bytes that follow. */
const LOOP: Hex = "0x6029600c60003960296000f3604460406000376020355b8015602757600060006044600060006000355af15060019003600a565b00"

/** How many executions the workflow engine was ever given. */
const workflowsIn = (file: string): number => {
  const store = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const row = store.prepare("SELECT COUNT(DISTINCT entity_id) AS count FROM cluster_messages").get()
  store.close()
  return Number(row?.["count"])
}

it.live("14,000 deposits of dust in five transactions cost a reading each and no workflow, and an honest deposit is filled", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains: { alpha, beta, users }, environment, startHost } = yield* startNetwork
    const node = yield* lyingNode(alpha.url)
    const { url } = yield* startHost({ ALPHA_RPC_URL: node.url })
    const store = (environment["DATABASE_URL"] ?? "").slice("sqlite:".length)
    const [stranger = "0x", user = "0x"] = users

    const wallet = createWalletClient({ account: privateKeyToAccount(stranger), transport: http(alpha.url) })
    const contract = yield* Effect.promise(async () => {
      const hash = await wallet.sendTransaction({ data: LOOP, chain: null })
      return (await reader(alpha).waitForTransactionReceipt({ hash })).contractAddress ?? "0x"
    })
    yield* sendCall(alpha, stranger, {
      to: USDC.address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [contract, BigInt(TRANSACTIONS * EACH)] })
    })
    const inner = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [addressOf("Depository"), 1n] })
    const [workflows, read] = [workflowsIn(store), node.calls("eth_getTransactionReceipt")]
    for (let sent = 0; sent < TRANSACTIONS; sent += 1) {
      const { logs, status } = yield* sendCall(alpha, stranger, { to: contract, gas: 16_000_000n, data: concatHex([pad(USDC.address), toHex(EACH, { size: 32 }), inner]) })
      assert.deepStrictEqual([status, logs.length], ["success", EACH])
    }
    const quoted = yield* quote(url, nativeRequest(privateKeyToAccount(user).address, alpha, beta, 10n ** 16n))
    yield* sendDeposit(alpha, user, quoted)
    assert.strictEqual((yield* ended(url, quoted)).status, "success")
    yield* eventually("the dust is nobody's", closed(url, "foreign"), (count) => count === TRANSACTIONS * EACH)

    // The honest deposit's own filling, with the watching of its payment, and no other.
    assert.strictEqual(workflowsIn(store) - workflows, 1)
    // Five readings of dust; the honest deposit is looked at until it is final.
    assert.isBelow(node.calls("eth_getTransactionReceipt") - read, 100)
  })))
