import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Result, Schema } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { curl } from "./Announcement.ts"
import { readJson } from "./state/AtomicFile.ts"
import { anyFree } from "../nodes/Port.ts"
import { flags as attestFlags, plan as planAttestation } from "../commands/attest/Arguments.ts"
import { run as attest } from "../commands/attest/Attest.ts"
import { valuesOf } from "../../cli/testing/Words.ts"
import { flags, plan } from "../commands/demo/Arguments.ts"
import { run as transfer } from "../commands/demo/DemoTransfer.ts"
import { Localnet } from "./state/LocalnetFile.ts"
import { pathsBelow } from "./state/Paths.ts"
import * as Screen from "../../cli/Screen.ts"
import { moduleOf, runProgram } from "../testing/ChildProgram.ts"
import { temporaryFolder } from "../testing/TemporaryFolder.ts"
import { askAs, signInOperator } from "../../transfer/testing/DashboardClient.ts"
import { get } from "../../transfer/testing/Get.ts"
import { tally } from "../../../scripts/testing/Tally.ts"

/** Other ports than usual: another suite starts networks on the usual ones at the same time. */
const freePorts = Effect.all({
  TRANSFER_PORT: anyFree,
  ORACLE_PORT: anyFree,
  ALPHA_PORT: anyFree,
  BETA_PORT: anyFree,
  HUB_PORT: anyFree,
  SOLANA_PORT: anyFree,
  JUPITER_PORT: anyFree,
  BITCOIN_PORT: anyFree,
  TRON_PORT: anyFree,
  EXCHANGEA_PORT: anyFree,
  EXCHANGEB_PORT: anyFree
}).pipe(Effect.map((ports) => Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, `${port}`]))))

const start = (root: string, words: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  runProgram(
    `import { loadHosts } from ${moduleOf("LoadHosts.ts")}
     import { launch } from ${moduleOf("run/Launch.ts")}
     import { pathsBelow } from ${moduleOf("run/state/Paths.ts")}
     await launch(loadHosts, ${JSON.stringify(words)}, pathsBelow(${JSON.stringify(root)}))`,
    environment
  )

/** The accounts from this position on, so that no transfer waits for another. */
const ownFrom = (localnet: Localnet, position: number): Localnet => {
  const { accounts, bitcoin, solana, tron } = localnet
  const later = <A>(all: ReadonlyArray<A>) => all.slice(position)
  return {
    ...localnet,
    accounts: later(accounts),
    ...(solana === undefined ? {} : { solana: { ...solana, accounts: later(solana.accounts) } }),
    ...(bitcoin === undefined ? {} : { bitcoin: { ...bitcoin, accounts: later(bitcoin.accounts) } }),
    ...(tron === undefined ? {} : { tron: { ...tron, accounts: later(tron.accounts) } })
  }
}

/** Makes all of them at once, to the hub, to the unit. */
const transferred = (localnet: Localnet, transfers: ReadonlyArray<ReadonlyArray<string>>) =>
  Effect.forEach(
    transfers,
    Effect.fnUntraced(function*(words, index) {
      let said = ""
      const screen = Screen.make({
        write: (text) => {
          said += text
        }
      }, {})
      const made = Result.getOrThrow(plan(valuesOf(flags, words), ownFrom(localnet, index + 1)))
      const moved = yield* transfer(made, screen)
      assert.strictEqual(moved.left, made.amount, said)
      assert.strictEqual(moved.settled, made.amount, said)
      // Sponsored with the account's rent, all of it arrives, and the sponsor has paid in the end.
      if (made.sponsor === undefined) return
      assert.strictEqual(moved.arrived, made.amount)
      assert.match(said, /the sponsor pays .* rent 0\.305892/)
      assert.match(said, /sponsor paid 0\.[0-9]+ USDC/)
    }),
    { concurrency: "unbounded", discard: true }
  )

const usdc = ["--currency", "USDC", "--amount", "25"]

/** The transfers of docs/solana.md. */
const overSolana = [
  ["--from", "solana-local", "--to", "alpha"],
  ["--from", "alpha", "--to", "solana-local"],
  ["--from", "beta", "--to", "solana-local", ...usdc, "--recipient", "new", "--sponsored"],
  ["--from", "solana-local", "--to", "beta", ...usdc]
]

/** Those of docs/bitcoin.md. */
const overBitcoin = [
  ["--from", "bitcoin-local", "--to", "alpha", "--amount", "0.01"],
  ["--from", "alpha", "--to", "bitcoin-local", "--amount", "0.5"],
  ["--from", "bitcoin-local", "--to", "beta", "--to-currency", "USDC", "--amount", "0.01", "--recipient", "new"],
  ["--from", "solana-local", "--to", "bitcoin-local", "--amount", "5", "--recipient", "new"],
  ["--from", "bitcoin-local", "--to", "alpha", "--amount", "0.01", "--deposit-address"],
  ["--from", "alpha", "--to", "bitcoin-local", "--amount", "0.5", "--recipient", "new", "--deposit-address"],
  ["--from", "solana-local", "--to", "bitcoin-local", "--amount", "5", "--recipient", "new", "--deposit-address"]
]

/** Those of docs/tron.md, with the families beside it. */
const overTron = [
  ["--from", "tron-local", "--to", "bitcoin-local", "--amount", "300"],
  ["--from", "bitcoin-local", "--to", "tron-local", "--to-currency", "USDT", "--amount", "0.01"],
  ["--from", "tron-local", "--to", "solana-local", "--currency", "USDT", "--to-currency", "SOL", "--amount", "25"],
  ["--from", "solana-local", "--to", "tron-local", "--amount", "1"]
]

/**
 * A deposit on each chain through the family's own client, attested and accepted by the hub, exact to the unit. The
 * printed request can be repeated.
 */
const attested = (localnet: Localnet, chains: ReadonlyArray<string>) =>
  Effect.forEach(
    chains,
    Effect.fnUntraced(function*(chain, index) {
      let said = ""
      const screen = Screen.make({
        write: (text) => {
          said += text
        }
      }, {})
      const own = { ...localnet, accounts: localnet.accounts.slice(-2 - index) }
      // The least that exchange B transfers is one.
      const [text, hundredths] = chain === "exchangeb-local" ? ["2", 200n] : ["0.02", 2n]
      const made = Result.getOrThrow(
        planAttestation(valuesOf(attestFlags, ["--chain", chain, "--amount", text]), own)
      )
      const { amount, transactionId } = yield* attest(made, screen)
      assert.strictEqual(amount, hundredths * 10n ** BigInt(made.chain.currency.decimals - 2))
      assert.include(said, transactionId)
      const [, url = "", key = "", body = ""] = /curl -s (\S+) -H 'x-api-key: (\S+)' .* -d '(.*)'\n/.exec(said) ?? []
      const pasted = yield* Effect.promise(() =>
        fetch(url, { method: "POST", headers: { "x-api-key": key, "content-type": "application/json" }, body })
      )
      assert.strictEqual(pasted.status, 200)
    }),
    { concurrency: "unbounded", discard: true }
  )

/**
 * The examples of clients that know the network's file, and of the families their libraries alone, as they are started
 * from anywhere. By accounts of their own.
 */
const assertClients = (localnetFile: string) =>
  Effect.forEach(
    [
      [
        new URL("../../../examples/client/local-bitcoin.ts", import.meta.url),
        [],
        /BTC to ETH: success\nBTC to USDC by a deposit address: success\nETH to BTC: success\n/
      ],
      // ETH for GEM, and GEM for ETH.
      [
        new URL("../../../examples/client/local-solana.ts", import.meta.url),
        ["1"],
        /^(?:[A-Z]+ on \d+ to [A-Z]+ on \d+: \d+ as quoted, settled\n){2}$/
      ],
      // TRX and USDT, to and from three families.
      [
        new URL("../../../examples/client/local-tron.ts", import.meta.url),
        ["2"],
        /^(?:[A-Z]+ on \d+ to [A-Z]+ on \d+: \d+ as quoted, settled\n){12}$/
      ]
    ] as const,
    ([script, words, told]) =>
      Effect.gen(function*() {
        const { stdout } = yield* Effect.promise(() =>
          promisify(execFile)(process.execPath, [fileURLToPath(script), localnetFile, ...words])
        )
        assert.match(stdout, told)
      }),
    { concurrency: "unbounded", discard: true }
  )

/** The dashboard is built and served, and its operator signs in with the token of `localnet.json`. */
const assertDashboard = Effect.fnUntraced(function*({ adminToken, transferUrl }: Localnet) {
  for (
    const [path, type, part] of [
      ["/dashboard", "text/html", "dashboard/app.js"],
      ["/dashboard/app.js", "text/javascript", "Admin token"],
      ["/dashboard/app.css", "text/css", "{"]
    ] as const
  ) {
    const answer = yield* get(`${transferUrl}${path}`)
    assert.strictEqual(answer.status, 200, `${path}: ${answer.text}`)
    assert.include(answer.type, type)
    assert.include(answer.text, part)
  }
  const session = yield* signInOperator(transferUrl, adminToken)
  const overview = yield* askAs(transferUrl, session, "GET", "/dashboard/api/admin/overview")
  assert.strictEqual(overview.status, 200, overview.text)
})

describe("npm start with the transfer service", () => {
  it.live("moves value at its start and from another process, and continues after SIGKILL with chains and store that agree", () =>
    Effect.scoped(Effect.gen(function*() {
      const root = yield* temporaryFolder
      const others = ["bitcoin-local", "tron-local", "exchangea-local", "exchangeb-local"]
      for (const origin of ["contracts, tokens, funds", "three chains, kept"]) {
        // The second start adds the chains that the first one lacked.
        const all = origin === "three chains, kept"
        const network = yield* start(root, all ? ["--all-families"] : [], yield* freePorts)
        yield* network.written("Serving.")
        const output = network.output()
        assert.include(output, origin)
        for (const state of ["waiting", "success", "settled 0.1 ETH are the solver's", "It is there."]) {
          assert.include(output, state, output)
        }

        const localnet = Option.getOrThrow(yield* readJson(pathsBelow(root).localnetFile, Localnet))
        yield* assertDashboard(localnet)
        // The demo sponsor has paid in once, and its key is linked: the statement is shown to no other key.
        const { apiKey, balanceUsd, sponsorWallet } = localnet.demo
        assert.strictEqual(balanceUsd, "1000.000000")
        assert.include(localnet.accounts.map(({ address }) => address), sponsorWallet)
        const shown = yield* Effect.promise(() =>
          fetch(`${localnet.transferUrl}/app-fees/${sponsorWallet}/statement`, { headers: { "x-api-key": apiKey } })
        )
        assert.strictEqual(shown.status, 200)
        assert.lengthOf(((yield* Effect.promise(() => shown.json())) as { entries: ReadonlyArray<unknown> }).entries, 1)
        // The oracle lists and reads every chain of the network, including those that only it serves.
        const expected = ["alpha", "beta", "solana-local", ...all ? others : []]
        const ready = yield* Effect.promise(() =>
          fetch(`${localnet.oracleUrl}/ready/v1`, { headers: { "x-api-key": localnet.demo.oracleApiKey } }).then((
            answer
          ) => answer.json())
        )
        const { chains } = Schema.decodeUnknownSync(
          Schema.Struct({
            chains: Schema.Array(Schema.Struct({ id: Schema.String, answering: Schema.Int, withdrawals: Schema.Int }))
          })
        )(ready)
        assert.sameDeepMembers(
          chains.map((chain) => ({ ...chain })),
          expected.map((id) => ({ id, answering: 1, withdrawals: 1 }))
        )
        const listed = yield* Effect.promise(() =>
          fetch(`${localnet.oracleUrl}/chains/v1`, { headers: { "x-api-key": localnet.demo.oracleApiKey } }).then((
            answer
          ) => answer.json())
        )
        assert.sameMembers(
          Schema.decodeUnknownSync(Schema.Struct({ chains: Schema.Array(Schema.Struct({ id: Schema.String })) }))(
            listed
          ).chains.map(({ id }) => id),
          expected
        )
        // The printed request works unchanged.
        assert.include(output, `\n${curl(localnet)}\n`)
        const [, url = "", body = ""] = /POST (\S+) .* -d '(.*)'$/.exec(curl(localnet)) ?? []
        const pasted = yield* Effect.promise(() =>
          fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })
        )
        assert.strictEqual(pasted.status, 200)

        const words = ["--from", "beta", "--to", "alpha", "--amount", "1.25", "--recipient", localnet.allocator.address]
        let said = ""
        const screen = Screen.make({
          write: (text) => {
            said += text
          }
        }, {})
        // Compares sent and received amounts with the quote, to the unit.
        const moved = yield* transfer(Result.getOrThrow(plan(valuesOf(flags, words), localnet)), screen)
        assert.strictEqual(moved.left, 1_250_000_000_000_000_000n)
        assert.isAbove(Number(moved.arrived), 0)
        // The whole deposit is the solver's on the hub: attested, submitted, exact to the unit.
        assert.strictEqual(moved.settled, moved.left)
        assert.include(said, "success")
        if (all) {
          yield* Effect.all([transferred(localnet, overSolana), attested(localnet, expected)], {
            concurrency: "unbounded"
          })
          yield* transferred(localnet, overTron)
          yield* transferred(localnet, overBitcoin)
          yield* assertClients(pathsBelow(root).localnetFile)
        }
        network.kill("SIGKILL")
        tally("kills", 1)
      }
    })))
})
