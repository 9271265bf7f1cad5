/** A deposit that no scan finds, because the node hides its logs: reading its transaction is enough, and pays once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { ended, nativeRequest, post, quote, reader, sendDeposit, status } from "../../testing/Client.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

it.live("a transaction that is checked on request is filled before it is scanned, and not again when it is scanned", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains, startInstance } = yield* startNetwork
    const node = yield* lyingNode(chains.alpha.url)
    const { url } = yield* startInstance({ ALPHA_RPC_URL: node.url })
    const recipient = "0x0000000000000000000000000000000000001dea"
    const key = chains.users[0] ?? "0x"
    const user = privateKeyToAccount(key).address
    const balance = Effect.promise(() => reader(chains.beta).getBalance({ address: recipient }))
    node.lie((call, truth) => call.method === "eth_getLogs" ? Promise.resolve({ result: [] }) : truth())

    const quoted = yield* quote(url, nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1"), { recipient }))
    const { transactionHash: txHash } = yield* sendDeposit(chains.alpha, key, quoted)
    yield* Effect.sleep(2_500)
    assert.strictEqual((yield* status(url, quoted)).status, "waiting", "the scans have passed it by")

    const index = post(`${url}/transactions/index`, { txHash, chainId: chains.alpha.chainId })
    const answers = yield* Effect.all([index, index, index], { concurrency: "unbounded" })
    assert.deepStrictEqual(answers.map((answer) => answer.status), [200, 200, 200])
    const end = yield* ended(url, quoted)
    assert.strictEqual(end.status, "success")
    assert.deepStrictEqual(end.inTxHashes, [txHash])

    node.tellTheTruth()
    yield* index
    yield* Effect.sleep(2_500)
    const after = yield* status(url, quoted)
    assert.deepStrictEqual(after, end)
    assert.strictEqual(yield* balance, BigInt(quoted.details.currencyOut.amount))
  })))
