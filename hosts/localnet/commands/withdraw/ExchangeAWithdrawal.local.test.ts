/**
 * `npm run demo` from and to exchange A, and `npm run withdraw -- --chain exchangea-local`: what these transfers gave the
 * solver on the hub leaves the depository.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { heldOnExchange, PERPS, SPOT } from "../../../transfer/testing/PaidOnExchangeA.ts"
import { MAPPINGS_KEY, startExchangeANetwork } from "../../../transfer/testing/ExchangeANetwork.ts"
import { startFixture } from "../../../transfer/testing/Fixture.ts"
import { ORACLE_KEY, settlingOver } from "../../../transfer/testing/SettlingNetwork.ts"
import { valuesOf } from "../../../cli/testing/Words.ts"
import { EXCHANGE_A_CHAIN_ID, exchangeASlug } from "../../nodes/exchange-a/ExchangeAChain.ts"
import { hubAddressOf } from "../../nodes/ethereum/Addresses.ts"
import { chainIdOf } from "../../run/Slug.ts"
import * as Screen from "../../../cli/Screen.ts"
import type { LocalnetError } from "../../run/LocalnetError.ts"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import * as Demo from "../demo/Arguments.ts"
import * as Transfer from "../demo/DemoTransfer.ts"
import { localnet as described } from "../demo/testing/Described.ts"
import { flags, plan } from "./Arguments.ts"
import { run } from "./Withdraw.ts"

const USD = 100_000_000n

const evmAccount = (privateKey: `0x${string}`) => ({ address: privateKeyToAccount(privateKey).address, privateKey })

/** A host and a real oracle as a running network. */
const startRunning = Effect.gen(function*() {
  const fixture = yield* startFixture(
    Effect.flatMap(startExchangeANetwork, (network) => settlingOver(network, 1, 1)),
    { keys: [MAPPINGS_KEY], settings: ({ settling }) => settling }
  )
  const { chains, depositoryKey, environment, exchangeUrl, hub, oracles, url, walletKey } = fixture
  const network: Localnet = {
    ...described,
    transferUrl: url,
    oracleUrl: oracles[0]?.direct ?? "",
    demo: { ...described.demo, oracleApiKey: ORACLE_KEY },
    chains: described.chains.map((chain) => {
      const { chainId, url: rpcUrl } = chain.id === "alpha" ? chains.alpha : chains.beta
      return { ...chain, chainId, rpcUrl }
    }),
    exchangeA: {
      id: exchangeASlug,
      chainId: EXCHANGE_A_CHAIN_ID,
      vmType: "exchangea-vm",
      rpcUrl: exchangeUrl,
      depository: evmAccount(depositoryKey),
      accounts: [evmAccount(walletKey)],
      solver: evmAccount(`0x${environment["EXCHANGEA_SOLVER_PRIVATE_KEY"]?.slice(2) ?? ""}`)
    },
    hub: {
      rpcUrl: hub.url,
      chainId: chainIdOf.hub,
      hubAddress: hubAddressOf("Hub"),
      oracleAddress: hubAddressOf("OracleGate")
    },
    accounts: chains.users.map(evmAccount),
    solver: evmAccount(chains.solverKey),
    allocator: evmAccount(chains.allocatorKey)
  }
  return { ...fixture, network }
})

/** What a command prints, and why it failed. */
const printed = <P, A>(
  planned: Result.Result<P, LocalnetError>,
  command: (plan: P, screen: Screen.Screen) => Effect.Effect<A, LocalnetError>
) =>
  Effect.gen(function*() {
    let said = ""
    const screen = Screen.make({ write: (text) => void (said += text) }, {})
    const done = yield* Effect.result(Effect.flatMap(Effect.fromResult(planned), (made) => command(made, screen)))
    return { failed: Result.isFailure(done) ? done.failure.message : undefined, said }
  })

describe("npm run demo and npm run withdraw with exchange A", () => {
  it.live("transfer both ways and by a deposit address, and withdraw a part and the rest, to the unit", () =>
    Effect.scoped(Effect.gen(function*() {
      const { book, depository, fresh, network, other } = yield* startRunning
      const demo = (...words: ReadonlyArray<string>) =>
        printed(Demo.plan(valuesOf(Demo.flags, words), network), Transfer.run)
      const from = ["--from", exchangeASlug, "--to", "alpha", "--to-currency", "ETH"]
      for (
        const words of [
          [...from, "--amount", "100"],
          [...from, "--amount", "40", "--deposit-address"],
          [...from, "--amount", "20", "--currency", "USDC-SPOT"],
          ["--from", "alpha", "--to", exchangeASlug, "--amount", "0.05", "--recipient", "new"]
        ]
      ) {
        const { failed, said } = yield* demo(...words)
        assert.isUndefined(failed, said)
        assert.include(said, "settled")
      }
      const withdraw = (...words: ReadonlyArray<string>) =>
        printed(plan(valuesOf(flags, ["--chain", exchangeASlug, ...words]), network), run)
      const recipient = other.address
      for (
        const [currency, words, amount] of [
          [PERPS, ["--amount", "30.5"], 3_050_000_000n],
          [PERPS, [], 140n * USD - 3_050_000_000n],
          [SPOT, ["--currency", "USDC-SPOT"], 20n * USD]
        ] as const
      ) {
        const before = heldOnExchange(book, currency, recipient)
        const left = heldOnExchange(book, currency, depository)
        const { failed, said } = yield* withdraw("--recipient", recipient, ...words)
        assert.isUndefined(failed, said)
        assert.include(said, "burnt")
        assert.strictEqual(heldOnExchange(book, currency, recipient) - before, amount)
        assert.strictEqual(left - heldOnExchange(book, currency, depository), amount)
      }
      assert.include((yield* withdraw()).failed, "npm run demo")
      assert.isUndefined((yield* demo(...from, "--amount", "20")).failed)
      const all = heldOnExchange(book, PERPS, depository)
      // The depository would pay for the new account, out of what it owes to others.
      assert.include((yield* withdraw("--recipient", fresh())).failed, "has no account")
      assert.strictEqual(heldOnExchange(book, PERPS, depository), all)
      for (const words of [["--recipient", "0x12"], ["--currency", "DOGE"], ["--expire"]]) {
        assert.include((yield* withdraw(...words)).failed, words[0] ?? "")
      }
    })))
})
