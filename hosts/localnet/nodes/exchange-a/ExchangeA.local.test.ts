/** What the simulator of exchange A does to accounts and nonces, asked with the unmodified SDK. */
import { assert, describe, it } from "@effect/vitest"
import { ExchangeClient, HttpTransport, InfoClient } from "@nktkas/hyperliquid"
import { blockDetails, txDetails, userDetails } from "@nktkas/hyperliquid/api/explorer"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { ExchangeA } from "./ExchangeA.ts"
import { ACTIVATION_FEE } from "./node/Book.ts"
import { USDC } from "./node/Token.ts"

const [user, other] = [privateKeyToAccount(`0x${"a1".repeat(32)}`), privateKeyToAccount(`0x${"b2".repeat(32)}`)]
const TOKEN = `USDC:${USDC.tokenId}`
const usd = (whole: number) => BigInt(whole) * 10n ** 8n

const started = Effect.gen(function*() {
  const exchange = yield* ExchangeA.start()
  const { book, urls: [url = ""] } = exchange
  const transport = new HttpTransport({ apiUrl: url, timeout: 5_000 })
  let last = book.now()
  const send = (amount: string, destination: string, given?: { from?: typeof user; nonce?: number; dex?: string }) => {
    const { dex = "spot", from = user, nonce = last += 1 } = given ?? {}
    const client = new ExchangeClient({ transport, wallet: from, nonceManager: () => nonce })
    return Effect.promise(() =>
      client.sendAsset({
        destination,
        sourceDex: dex,
        destinationDex: dex,
        token: TOKEN,
        amount,
        fromSubAccount: ""
      }).then(() => "ok", String)
    )
  }
  const setMode = (abstraction: "unifiedAccount" | "portfolioMargin", from = user) => {
    const client = new ExchangeClient({ transport, wallet: from, nonceManager: () => last += 1 })
    return Effect.promise(() => client.userSetAbstraction({ user: user.address, abstraction }).then(() => "ok", String))
  }
  return { exchange, setMode, book, info: new InfoClient({ transport }), send, url }
})

describe("the simulated exchange A", () => {
  it.effect("charges the sender for a new account, once", () =>
    Effect.gen(function*() {
      const { book, info, send } = yield* started
      book.credit(user.address, "spot", usd(10))
      const check = { user: other.address, source: user.address }
      assert.deepInclude(yield* Effect.promise(() => info.preTransferCheck(check)), { userExists: false, fee: "1" })
      assert.strictEqual(yield* send("3", other.address), "ok")
      assert.deepInclude(yield* Effect.promise(() => info.preTransferCheck(check)), { userExists: true, fee: "0" })
      assert.strictEqual(yield* send("3", other.address), "ok")
      assert.strictEqual(book.balance(user.address, "spot"), usd(4) - ACTIVATION_FEE)
      assert.strictEqual(book.balance(other.address, "spot"), usd(6))
      assert.include(yield* send("3", `0x${"77".repeat(20)}`), "gas")
      const ledger = yield* Effect.promise(() => info.userNonFundingLedgerUpdates({ user: other.address }))
      assert.deepStrictEqual(ledger.map(({ delta }) => "fee" in delta ? delta.fee : ""), ["1", "0"])
    }))

  it.effect("purges an account that sends its last unit: its nonces can be used again", () =>
    Effect.gen(function*() {
      const { book, send } = yield* started
      book.credit(user.address, "spot", usd(10))
      book.credit(other.address, "spot", usd(1))
      // None that `send` counts up to.
      const nonce = book.now() + 1_000
      assert.strictEqual(yield* send("5", other.address, { nonce }), "ok")
      assert.include(yield* send("5", other.address, { nonce }), "nonce")
      assert.strictEqual(yield* send("5", other.address), "ok")
      assert.isFalse(book.exists(user.address))
      assert.include(yield* send("5", other.address), "Must deposit")
      book.credit(user.address, "spot", usd(5))
      assert.strictEqual(yield* send("5", other.address, { nonce }), "ok")
    }))

  it.effect("keeps the hundred highest nonces, and refuses any below them, late or early ones", () =>
    Effect.gen(function*() {
      const { book, send } = yield* started
      book.credit(user.address, "spot", usd(1_000))
      book.credit(other.address, "spot", usd(1))
      const now = book.now()
      for (let count = 0; count < 100; count += 1) {
        assert.strictEqual(yield* send("1", other.address, { nonce: now + count }), "ok")
      }
      const day = 86_400_000
      for (const nonce of [now - 1, now, now - 2 * day, now + 2 * day]) {
        assert.include(yield* send("1", other.address, { nonce }), "Invalid nonce")
      }
      assert.strictEqual(yield* send("1", other.address, { nonce: now + 200 }), "ok")
      // The lowest was dropped, and is below all that are kept.
      assert.include(yield* send("1", other.address, { nonce: now }), "too low")
    }))

  it.effect("shows a ledger in pages of 500, the oldest of the range", () =>
    Effect.gen(function*() {
      const { book, info } = yield* started
      book.credit(user.address, "spot", usd(1_000))
      book.credit(other.address, "spot", usd(1))
      for (let count = 0; count < 502; count += 1) {
        const nonce = `${book.now() + count}`
        const shown = { type: "sendAsset", destination: other.address, amount: "1", nonce: Number(nonce), token: TOKEN }
        const sent = { signer: user.address.toLowerCase(), destination: other.address, from: "spot", to: "spot" }
        assert.isUndefined(book.submit({ ...sent, nonce, token: TOKEN, amount: "1", shown }))
      }
      const page = yield* Effect.promise(() => info.userNonFundingLedgerUpdates({ user: other.address, startTime: 0 }))
      assert.lengthOf(page, 500)
      assert.strictEqual(page[0]?.hash, book.all()[0]?.hash)
    }))

  it.effect("shows a block of each millisecond once it is over, and the newest transactions that an account has sent", () =>
    Effect.gen(function*() {
      const { book, send, url } = yield* started
      const config = { transport: new HttpTransport({ rpcUrl: url, timeout: 5_000 }) }
      for (const { address } of [user, other]) book.credit(address, "spot", usd(10))
      book.hold()
      assert.strictEqual(yield* send("1", other.address), "ok")
      assert.strictEqual(yield* send("1", user.address, { from: other }), "ok")
      const [first, second] = book.all()
      const hash = `0x${first?.hash.slice(2) ?? ""}` as const
      const { tx } = yield* Effect.promise(() => txDetails(config, { hash }))
      const blockAt = (height: number) =>
        Effect.promise(() => blockDetails(config, { height }).then((said) => said.blockDetails, () => undefined))
      assert.isUndefined(yield* blockAt(tx.block))
      book.pass(2)
      const block = yield* blockAt(tx.block)
      assert.deepInclude(block, { blockTime: tx.time, height: tx.block, numTxs: 2 })
      assert.deepStrictEqual(block?.txs.map((each) => each.hash), [hash, `0x${second?.hash.slice(2) ?? ""}`])
      assert.deepInclude(yield* blockAt(tx.block + 1), { blockTime: tx.time + 1, numTxs: 0 })
      assert.isUndefined(yield* blockAt(tx.block + 2))
      const { txs } = yield* Effect.promise(() => userDetails(config, { user: user.address }))
      assert.deepStrictEqual(txs.map((each) => each.hash), [hash])
    }))

  it.effect("counts USDC on perps in millionths", () =>
    Effect.gen(function*() {
      const { book, send } = yield* started
      for (const { address } of [user, other]) book.credit(address, "", usd(10))
      assert.include(yield* send("1.0000001", other.address, { dex: "" }), "Invalid amount")
      assert.strictEqual(yield* send("1.000001", other.address, { dex: "" }), "ok")
    }))

  it.effect("keeps everything on spot in a pooled mode, which only the account's own key sets", () =>
    Effect.gen(function*() {
      const { book, info, send, setMode } = yield* started
      for (const { address } of [user, other]) for (const dex of ["", "spot"]) book.credit(address, dex, usd(10))
      const asked = { user: user.address }
      const mode = Effect.promise(() => info.userAbstraction(asked))
      assert.strictEqual(yield* mode, "default")
      assert.notStrictEqual(yield* setMode("unifiedAccount", other), "ok")
      assert.strictEqual(yield* mode, "default")
      for (const pooled of ["unifiedAccount", "portfolioMargin"] as const) {
        assert.strictEqual(yield* setMode(pooled), "ok")
        assert.strictEqual(yield* mode, pooled)
        const { withdrawable } = yield* Effect.promise(() => info.clearinghouseState(asked))
        assert.strictEqual(Number(withdrawable), 0)
        const { balances } = yield* Effect.promise(() => info.spotClearinghouseState(asked))
        assert.deepStrictEqual(balances.map(({ coin, total }) => [coin, total]), [["USDC", "20"]])
        assert.include(
          yield* send("1", other.address, { dex: "" }),
          "Action disabled when unified account is active"
        )
        // What it is paid on perps is on spot as well.
        assert.strictEqual(yield* send("1", user.address, { from: other, dex: "" }), "ok")
        assert.strictEqual(yield* send("1", other.address), "ok")
      }
      const ledger = yield* Effect.promise(() => info.userNonFundingLedgerUpdates({ ...asked, startTime: 0 }))
      assert.lengthOf(ledger, 4)
    }))

  it.effect("has executed what it answers nothing to, unless it is away", () =>
    Effect.gen(function*() {
      const { book, exchange, send } = yield* started
      for (const { address } of [user, other]) book.credit(address, "spot", usd(10))
      yield* exchange.misbehave({ kind: "away" })
      assert.notStrictEqual(yield* send("1", other.address), "ok")
      assert.lengthOf(book.all(), 0)
      yield* exchange.misbehave({ kind: "down", questions: ["exchange"] })
      assert.notStrictEqual(yield* send("1", other.address), "ok")
      assert.lengthOf(book.all(), 1)
    }))
})
