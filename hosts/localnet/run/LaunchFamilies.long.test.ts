import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { privateKeyToAccount } from "viem/accounts"
import { tally } from "../../../scripts/testing/Tally.ts"
import { deposit as depositOnB } from "../commands/attest/ExchangeBDeposit.ts"
import { anyFree } from "../nodes/Port.ts"
import { described, serving, start } from "../testing/NpmStart.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"
import * as Leftovers from "./Leftovers.ts"
import { isRunning } from "./Running.ts"
import { pathsBelow } from "./state/Paths.ts"

const asked = (url: string, body?: object) =>
  Effect.promise(async (): Promise<unknown> =>
    (await fetch(url, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })).json()
  )

const blockHash = (url: string, height: number) =>
  Effect.map(
    asked(url, { jsonrpc: "1.0", id: 1, method: "getblockhash", params: [height] }),
    (answer) => Schema.decodeUnknownSync(Schema.Struct({ result: Schema.String }))(answer).result
  )

/** The network with all families. */
const families = Effect.fnUntraced(function*(root: string) {
  const localnet = yield* described(root)
  const { bitcoin, exchangeA, exchangeB, tron } = localnet
  if (bitcoin === undefined || tron === undefined || exchangeA === undefined || exchangeB === undefined) {
    return yield* Effect.die(new Error("a family is missing"))
  }
  return { ...localnet, bitcoin, tron, exchangeA, exchangeB }
})

/** The id of a Tron block. Default: the last block. */
const tronBlock = (url: string, number?: number) =>
  Effect.map(
    asked(`${url}/wallet/getblock`, number === undefined ? {} : { id_or_num: `${number}` }),
    (block) => Schema.decodeUnknownSync(Schema.Struct({ blockID: Schema.String }))(block).blockID
  )

/**
 * The state of the chains that only the oracle serves: the last blocks of Bitcoin and Tron, and what the first account
 * has sent.
 */
const stateOf = Effect.fnUntraced(
  function*({ bitcoin, exchangeA, exchangeB, tron }: Effect.Success<ReturnType<typeof families>>) {
    const height = Schema.decodeUnknownSync(Schema.Struct({ result: Schema.Int }))(
      yield* asked(bitcoin.rpcUrl, { jsonrpc: "1.0", id: 1, method: "getblockcount", params: [] })
    ).result
    const list = yield* asked(`${exchangeA.rpcUrl}/explorer`, {
      type: "userDetails",
      user: exchangeA.accounts[0]?.address
    })
    const next = yield* asked(
      `${exchangeB.rpcUrl}/api/v1/nextNonce?account_index=${exchangeB.accounts[0]?.index}&api_key_index=2`
    )
    return {
      height,
      hash: yield* blockHash(bitcoin.rpcUrl, height),
      tron: yield* tronBlock(tron.rpcUrl),
      ofUser: Schema.decodeUnknownSync(Schema.Struct({ txs: Schema.Array(Schema.Struct({ hash: Schema.String })) }))(
        list
      ).txs.map(({ hash }) => hash),
      nonce: Schema.decodeUnknownSync(Schema.Struct({ nonce: Schema.Int }))(next).nonce
    }
  }
)

describe("npm start", () => {
  it.live("with all families: each answers and continues where it was; if one dies the run ends, and nothing is left behind", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = pathsBelow(root)
      const [bitcoinPort, exchangePort] = [yield* anyFree, yield* anyFree]
      const ports = { BITCOIN_PORT: `${bitcoinPort}`, EXCHANGEA_PORT: `${exchangePort}` }
      const first = yield* start(root, ports, ["--all-families"])
      yield* serving(first)
      const before = yield* families(root)
      assert.deepStrictEqual([before.bitcoin.rpcUrl, before.exchangeA.rpcUrl], [
        `http://127.0.0.1:${bitcoinPort}`,
        `http://127.0.0.1:${exchangePort}`
      ])
      assert.strictEqual(before.solana?.id, "solana-local")
      for (const { id } of [before.bitcoin, before.tron, before.exchangeA, before.exchangeB]) {
        assert.include(first.output(), id)
      }
      const [user, other] = before.exchangeA.accounts
      yield* Effect.promise(() =>
        new ExchangeClient({
          transport: new HttpTransport({ apiUrl: before.exchangeA.rpcUrl }),
          wallet: privateKeyToAccount(user?.privateKey ?? "0x")
        })
          .usdSend({ destination: other?.address ?? "0x", amount: "1" })
      )
      const [sender] = before.exchangeB.accounts
      assert.isDefined(sender)
      const sent = sender === undefined
        ? undefined
        : yield* depositOnB(before.exchangeB, sender, 5_000_000n, `0x${"e1".repeat(32)}`)
      const seen = yield* stateOf(before)
      assert.lengthOf(seen.ofUser, 1)
      assert.strictEqual(seen.nonce, 1)
      first.kill("SIGINT")
      assert.strictEqual(yield* first.ended, 0, first.output())
      assert.deepStrictEqual(yield* Leftovers.find(paths), [])
      for (const { rpcUrl } of [before.bitcoin, before.tron, before.exchangeA, before.exchangeB]) {
        yield* Effect.promise(() => fetch(rpcUrl).then(() => assert.fail(`${rpcUrl} still answers`), () => undefined))
      }

      const second = yield* start(root, {}, ["--all-families"])
      yield* serving(second)
      const after = yield* families(root)
      assert.include(second.output(), "three chains, kept")
      const kept = yield* stateOf(after)
      assert.deepStrictEqual([kept.ofUser, kept.nonce], [seen.ofUser, seen.nonce])
      assert.isAtLeast(kept.height, seen.height)
      assert.strictEqual(yield* blockHash(after.bitcoin.rpcUrl, seen.height), seen.hash)
      assert.strictEqual(yield* tronBlock(after.tron.rpcUrl, Number.parseInt(seen.tron.slice(0, 16), 16)), seen.tron)
      const found = yield* Effect.promise(() =>
        fetch(`${after.exchangeB.rpcUrl}/api/v1/tx?by=hash&value=${sent?.transactionId ?? ""}`)
      )
      assert.strictEqual(found.status, 200)
      const processes = yield* Leftovers.find(paths)
      assert.lengthOf(processes, 6)
      const bitcoin = processes.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(paths.bitcoin))
      process.kill(bitcoin ?? 0, "SIGKILL")
      tally("kills", 1)
      assert.strictEqual(yield* second.ended, 1)
      assert.include(second.output(), "the Bitcoin chain")
      assert.deepStrictEqual(processes.filter(isRunning), [])
      assert.isFalse(existsSync(paths.localnetFile))

      // One damaged state is set aside with all others.
      writeFileSync(paths.exchangeA, "{")
      const third = yield* start(root, {}, ["--without-solana", "--with-exchange-a"])
      yield* serving(third)
      assert.include(third.output(), "exchange-a.json is damaged")
      const left = yield* described(root)
      assert.deepStrictEqual([left.solana, left.bitcoin, left.tron, left.exchangeB], [
        undefined,
        undefined,
        undefined,
        undefined
      ])
      assert.isDefined(left.exchangeA)
    })))
})
