import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { ExchangeClient, HttpTransport } from "@nktkas/hyperliquid"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { privateKeyToAccount } from "viem/accounts"
import { deposit as depositOnB } from "../commands/attest/ExchangeBDeposit.ts"
import { readJson } from "./state/AtomicFile.ts"
import { anyFree } from "../nodes/Port.ts"
import * as Leftovers from "./Leftovers.ts"
import { Localnet } from "./state/LocalnetFile.ts"
import { pathsBelow } from "./state/Paths.ts"
import { isRunning } from "./Running.ts"
import type { ChildProgram } from "../testing/ChildProgram.ts"
import { moduleOf, runProgram } from "../testing/ChildProgram.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"
import { tally } from "../../../scripts/testing/Tally.ts"

/** `npm start` in its own folder, with a transfer service that does nothing. */
const start = (root: string, environment: Readonly<Record<string, string>> = {}, words: ReadonlyArray<string> = []) =>
  runProgram(
    `import { launch } from ${moduleOf("run/Launch.ts")}
     import { pathsBelow } from ${moduleOf("run/state/Paths.ts")}
     import { standIns } from ${moduleOf("testing/StandIn.ts")}
     await launch(standIns, ${JSON.stringify(words)}, pathsBelow(${JSON.stringify(root)}))`,
    environment
  )

const serving = (program: ChildProgram) =>
  Effect.andThen(program.written("Serving."), Effect.sync(() => assert.include(program.output(), "Serving.")))

const described = (root: string) => Effect.map(readJson(pathsBelow(root).localnetFile, Localnet), Option.getOrThrow)

const answers = (url: string, method: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }),
      headers: { "content-type": "application/json" }
    })
    return Schema.decodeUnknownSync(Schema.Struct({ result: Schema.String }))(await response.json()).result
  })

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
  it.live("describes its running services, and leaves nothing behind after Ctrl-C, kill and a closed terminal", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = pathsBelow(root)
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        const program = yield* start(root)
        yield* serving(program)
        const localnet = yield* described(root)
        assert.strictEqual(statSync(paths.localnetFile).mode & 0o777, 0o600)
        assert.strictEqual(localnet.pid, program.pid)
        assert.strictEqual(localnet.accounts.length, 10)
        assert.deepStrictEqual(localnet.chains.map(({ id, settlement }) => [id, settlement]), [["alpha", false], [
          "beta",
          true
        ]])
        for (const { chainId, rpcUrl } of [...localnet.chains, localnet.hub]) {
          assert.strictEqual(Number(yield* answers(rpcUrl, "eth_chainId")), chainId)
        }
        assert.include(program.output(), `${localnet.transferUrl}/quote`)
        const { solana } = localnet
        assert.strictEqual(yield* answers(solana?.rpcUrl ?? "", "getGenesisHash"), solana?.genesisHash)
        assert.strictEqual(solana?.accounts.length, 10)
        assert.include(program.output(), solana?.depository ?? "no address")
        const chains = yield* Leftovers.find(paths)
        assert.strictEqual(chains.length, 4)
        program.kill(signal)
        // Ctrl-C reaches us twice: from the terminal, and from npm, which received it too.
        program.kill(signal)
        assert.strictEqual(yield* program.ended, 0, program.output())
        tally("kills", 1)
        assert.deepStrictEqual(
          readdirSync(paths.folder).filter((name) => !["localnet.log", "run.lock", "state"].includes(name)),
          []
        )
        assert.deepStrictEqual(chains.filter(isRunning), [])
        yield* Effect.promise(() =>
          fetch(localnet.transferUrl).then(() => assert.fail("it still answers"), () => undefined)
        )
      }
    })))

  it.live("starts again after SIGKILL with the same keys, and refuses a second run meanwhile", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = pathsBelow(root)
      const first = yield* start(root)
      yield* serving(first)
      const keys = readFileSync(paths.keys, "utf8")
      const second = yield* start(root)
      assert.strictEqual(yield* second.ended, 1)
      assert.include(second.output(), `process ${first.pid}`)
      assert.isTrue(existsSync(paths.localnetFile))
      first.kill("SIGKILL")
      tally("kills", 1)
      const third = yield* start(root)
      yield* serving(third)
      assert.strictEqual((yield* described(root)).pid, third.pid)
      assert.strictEqual(readFileSync(paths.keys, "utf8"), keys)
      assert.include(third.output(), "kept")
      third.kill("SIGINT")
      assert.strictEqual(yield* third.ended, 0)
      const fresh = yield* start(root, {}, ["--fresh", "--without-solana"])
      yield* serving(fresh)
      assert.isUndefined((yield* described(root)).solana)
      assert.strictEqual((yield* Leftovers.find(paths)).length, 3)
      assert.notStrictEqual(readFileSync(paths.keys, "utf8"), keys)
    })))

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
        : yield* depositOnB(before.exchangeB, sender, 5n, `0x${"e1".repeat(32)}`)
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

  it.live("names the chain that has died, ends the others, and fails", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const paths = pathsBelow(root)
      const program = yield* start(root)
      yield* serving(program)
      const chains = yield* Leftovers.find(paths)
      const beta = chains.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("beta.json"))
      process.kill(beta ?? 0, "SIGKILL")
      tally("kills", 1)
      assert.strictEqual(yield* program.ended, 1)
      assert.include(program.output(), "chain id 616102")
      assert.deepStrictEqual(chains.filter(isRunning), [])
      assert.isFalse(existsSync(paths.localnetFile))
    })))

  it.live("refuses invalid arguments, and a requested port that is taken", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const nonsense = yield* start(root, {}, ["--refresh"])
      assert.strictEqual(yield* nonsense.ended, 1)
      assert.include(nonsense.output(), "--fresh")
      const port = `${yield* anyFree}`
      const first = yield* start(root, { HUB_PORT: port })
      yield* serving(first)
      assert.strictEqual((yield* described(root)).hub.rpcUrl, `http://127.0.0.1:${port}`)
      const taken = yield* start(yield* temporaryFolder, { HUB_PORT: port })
      assert.strictEqual(yield* taken.ended, 1)
      assert.include(taken.output(), `HUB_PORT asks for port ${port}`)
    })))
})
